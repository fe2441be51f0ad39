"""What of a failure's message is said by the failure, and what by the place and moment it happened in.

Knows text only. Where two messages are the same after `reworded`, the same thing was said.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bisector.model import Places

LONGEST = 600
"""Characters of a message that count; a dumped array says nothing more after them."""

HOLE = "<*>"
"""Stands where two observations of one failure differed."""


class Rule(NamedTuple):
    what: str
    pattern: re.Pattern[str]
    instead: str


def _rule(what: str, pattern: str, instead: str) -> Rule:
    return Rule(what, re.compile(pattern), instead)


# First the long and particular, then the short and general. Left alone on purpose: whole numbers of up to six
# digits (an index, a count, a status), versions with two dots, nan and inf, everything in words.
RULES = (
    _rule("terminal colours", r"\x1b\[[0-9;]*[A-Za-z]", ""),
    _rule("the interpreter's guess at a name", r"\.? (?:Did you mean|Did you forget)\b[^?]{0,200}\?", ""),
    _rule("where packages lie", r"[^\s'\"(]{0,300}/(?:site|dist)-packages/", "<site>/"),
    _rule("where the library lies", r"[^\s'\"(]{0,300}/lib/python\d\.\d+/", "<python>/"),
    _rule("UUID", r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "<uuid>"),
    _rule(
        "date",
        r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\w-])",
        "<date>",
    ),
    _rule("time of day", r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b", "<time>"),
    _rule("address in memory", r"\b0x[0-9a-fA-F]{6,16}\b", "<address>"),
    _rule(
        "temporary path",
        r"(?<![\w/])(?:/private)?(?:/var/folders/[^/\s]+/[^/\s]+/\w|/var/tmp|/tmp|/dev/shm)"
        r"(?:/[^\s/'\",:;)\]}>]+)*(/[^\s/'\",:;)\]}>]+)(?=[\s'\",:;)\]}>]|$)",
        r"<tmp>\1",
    ),
    _rule("temporary name", r"\btmp[a-z0-9_]{8}\b", "<tmp>"),
    _rule("line number", r"\b(line) \d+", r"\1 <n>"),
    _rule("line of a file", r"(\.\w{1,4}):\d+(?::\d+)?\b", r"\1:<n>"),
    _rule("port", r"(\d+\.\d+\.\d+\.\d+|localhost|\[::1?\]):\d+\b", r"\1:<n>"),
    _rule("number of a process", r"(?i)\b(pid|process|thread|tid|port)([ =:#]{1,3})\d+\b", r"\1\2<n>"),
    _rule("size", r"(?<![\w.])\d+(?:\.\d+)? ?(?:[KMGT]i?B|bytes)\b", "<size>"),
    _rule(
        "duration",
        r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)? ?(?:ns|us|µs|ms|s|secs?|seconds?|minutes?|hours?)\b",
        "<duration>",
    ),
    _rule(
        "measured number",
        r"(?<![\w.])[-+]?(?:\d+\.(?:\d+|(?=[,)\]]))|\.\d+|\d+(?=[eE][-+]?\d))(?:[eE][-+]?\d+)?(?!\w|\.\d)",
        "<float>",
    ),
    _rule("long number", r"\b\d{7,}\b", "<n>"),
    _rule(
        "hash", r"\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])(?:[0-9a-f]{7,64}|[0-9A-F]{32,64})\b", "<hash>"
    ),
    _rule("white space", r"\s+", " "),
)


def reworded(message: str, places: Places) -> str:
    """The message without what differs from run to run and from slot to slot; the table above says what."""
    for path, name in _named(places):
        message = message.replace(path, name)
    message = message[: 4 * LONGEST]
    for rule in RULES:
        message = rule.pattern.sub(rule.instead, message)
    return message.strip()[:LONGEST]


def _named(places: Places) -> list[tuple[str, str]]:
    """Longest path first: a scratch directory may lie inside another place."""
    known = (places.tree, "<tree>"), (places.scratch, "<scratch>"), (places.environment, "<environment>")
    return sorted(((path.rstrip("/"), name) for path, name in known if path), key=lambda one: -len(one[0]))


def common_template(first: str, second: str) -> str:
    """What both messages say, with holes where they differ."""
    if first == second:
        return first
    left, right = _tokens(first), _tokens(second)
    if len(left) == len(right):
        return _closed([a if a == b else HOLE for a, b in zip(left, right, strict=True)])
    head = _shared(left, right)
    tail = _shared(left[head:][::-1], right[head:][::-1])
    return _closed([*left[:head], HOLE, *left[len(left) - tail :]])


def _tokens(text: str) -> list[str]:
    return re.findall(r"<\*>|<\w+>|\w+|\s+|[^\w\s]", text)


def _shared(left: list[str], right: list[str]) -> int:
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))


def _closed(tokens: list[str]) -> str:
    return re.sub(r"(?:<\*>)+", HOLE, "".join(tokens))


def fits(message: str, template: str) -> bool:
    """Does the message say what the template says? Sought part by part: no pattern that could explode."""
    if HOLE not in template:
        return message == template
    head, *middle, tail = template.split(HOLE)
    if not message.startswith(head) or not message.endswith(tail) or len(message) < len(head) + len(tail):
        return False
    at, end = len(head), len(message) - len(tail)
    for part in middle:
        found = message.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
