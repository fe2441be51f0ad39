"""Python's tracebacks, found in the output of a program: which exception escaped, and through which frames.

Knows how Python 2.7 to 3.13 print them. Knows nothing of projects, recipes or verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum


@dataclass(frozen=True, slots=True)
class Step:
    """One frame: the file as printed, and the function; a SyntaxError's last has none."""

    file: str
    function: str | None


class Standing(Enum):
    """How a traceback came to be printed."""

    ESCAPED = "escaped"
    ELSEWHERE = "elsewhere"
    """In a thread or a child process: the program itself may have gone on."""
    SHRUGGED_OFF = "shrugged off"
    """Printed by the interpreter, which went on."""


@dataclass(frozen=True, slots=True)
class Thrown:
    """An exception as printed: class, message, frames from the outermost in, and its cause."""

    kind: str
    message: str
    steps: tuple[Step, ...]
    standing: Standing = Standing.ESCAPED
    cause: Thrown | None = None


IN_PASSING = "During handling of the above exception, another exception occurred:"
BECAUSE = "The above exception was the direct cause of the following exception:"
HEADER = re.compile(r"^(?:Exception Group )?Traceback \(most recent call last\):\s*$")
FRAME = re.compile(r'^  File "(?P<file>.+?)", line \d+(?:, in (?P<function>.+?))?\s*$')
LAST_LINE = re.compile(r"^(?P<kind>[A-Za-z_][\w.<>]*)(?P<colon>:(?: (?P<message>.*))?)?\s*$")
ELSEWHERE = re.compile(r"^(?:Exception in thread .*:|Process [\w-]+:)$")
SHRUGGED_OFF = re.compile(
    r"^(?:Exception ignored (?:in|on)\b.*|--- Logging error ---"
    r"|Error in (?:sys\.\w+|atexit\._run_exitfuncs):?"
    r"|(?:Task|Future) exception was never retrieved|Exception in callback .*|(?:future|handle): <.*>)$"
)
FATAL = re.compile(r"^Fatal Python error: (?P<what>.+)$")
FATAL_FRAME = re.compile(r'^  File "(?P<file>.+?)", line \d+ in (?P<function>.+?)\s*$')
LONGEST_LINE = 2000
"""Characters of a line that are looked at: no hostile line may cost more than it is long."""
CONTINUED = 6
"""Indented lines after the first that still belong to a message; further ones are somebody's dump."""


def escaped(output: str) -> Thrown | None:
    """The exception that ended the program: the last that the interpreter did not shrug off.

    What a thread or a child process printed counts only where nothing else is there.
    """
    thrown = [one for one in tracebacks(output) if one.standing is not Standing.SHRUGGED_OFF]
    at_top = [one for one in thrown if one.standing is Standing.ESCAPED]
    last = (at_top or thrown)[-1:]
    return last[0] if last else None


def tracebacks(output: str) -> Iterator[Thrown]:
    """Every traceback in the order printed; of a chain each link, joined to the one before it."""
    lines = list(_plain(bounded_lines(output)))
    previous: Thrown | None = None
    for start in _starts(lines):
        thrown = _one(lines, start)
        if thrown is None:
            continue
        announced = _announced(lines, start)
        if previous is not None and announced in (IN_PASSING, BECAUSE):
            cause = previous if announced == BECAUSE else None
            thrown = replace(thrown, cause=cause, standing=previous.standing)
        elif ELSEWHERE.match(announced):
            thrown = replace(thrown, standing=Standing.ELSEWHERE)
        elif SHRUGGED_OFF.match(announced):
            thrown = replace(thrown, standing=Standing.SHRUGGED_OFF)
        previous = thrown
        yield thrown


def bounded_lines(output: str) -> list[str]:
    return [line[:LONGEST_LINE] for line in output.splitlines()]


def fatal_steps(output: str) -> tuple[Step, ...]:
    """faulthandler's frames of the thread that died, from the outermost in; it prints them the other way."""
    lines = bounded_lines(output)
    fatal = [number for number, line in enumerate(lines) if FATAL.match(line)]
    if not fatal:
        return ()
    steps: list[Step] = []
    for line in lines[fatal[-1] + 1 :]:
        frame = FATAL_FRAME.match(line)
        if frame:
            steps.append(Step(frame["file"], frame["function"]))
        elif steps:
            break
    return tuple(reversed(steps))


def _plain(lines: list[str]) -> Iterator[str]:
    """Without colours, a launcher's `[rank0]: ` and the rails that an exception group is drawn with."""
    in_group = False
    for raw in lines:
        line = re.sub(r"\x1b\[[0-9;]*m", "", raw)
        line = re.sub(r"^\[rank\d+\]: ?", "", line)
        in_group = bool(re.match(r"^ +\+ Exception Group Traceback", line)) or (
            in_group and bool(re.match(r"^ +[|+]", line))
        )
        yield re.sub(r"^ +[|+] ?", "", line) if in_group else line


def _starts(lines: list[str]) -> Iterator[int]:
    """Where a traceback begins: at its header, or at a frame that has none.

    None has a SyntaxError in the script itself, and one whose header was cut off with the output's begin.
    """
    inside = at_margin = False
    for number, line in enumerate(lines):
        if HEADER.match(line):
            inside = at_margin = True
            yield number
        elif (frame := FRAME.match(line)) and not inside and not (frame["function"] and at_margin):
            inside = True
            yield number - 1
        elif line and not line.startswith(" "):
            inside, at_margin = False, True


def _announced(lines: list[str], start: int) -> str:
    """The last line before a traceback that says anything."""
    for line in reversed(lines[max(0, start - 3) : max(0, start)]):
        if line.strip():
            return line.strip()
    return ""


def _one(lines: list[str], start: int) -> Thrown | None:
    steps: list[Step] = []
    for number in range(start + 1, len(lines)):
        line = lines[number]
        frame = FRAME.match(line)
        if frame:
            steps.append(Step(frame["file"], frame["function"]))
            continue
        if line.startswith(" ") or not line:
            continue
        last = LAST_LINE.match(line)
        if HEADER.match(line):
            return None
        if last:
            return Thrown(last["kind"], _message(last, lines, number), tuple(steps))
    return None


def _message(last: re.Match[str], lines: list[str], number: int) -> str:
    """The message's first line, and those indented right below it.

    No more: what a program wrote before it died is often flushed after its traceback, at the margin.
    """
    message = (last["message"] or "").strip()
    at = number + 1
    if last["colon"] and not message:  # the message itself begins with a line break
        while at < len(lines) and not lines[at].strip():
            at += 1
        message = lines[at].strip() if at < len(lines) else ""
        at += 1
    for line in lines[at : at + CONTINUED]:
        if not line.startswith((" ", "\t")) or not line.strip():
            break
        message += "\n" + line.strip()
    return message
