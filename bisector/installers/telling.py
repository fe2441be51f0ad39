"""The one line of a build's or an installer's output that tells why it failed. Pure.

Knows how compilers, build tools and Python word their errors, the cause before what it led to: a compiler's error
ends in a failed command, that in an exception of the build backend, that in an error of the installer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bisector.harmless import block, line

WIDTH = 300

_COMPILER = re.compile(r"(?!.*_configtest)[^\s:][^:]*:\d+(?::\d+)?: (?:fatal )?error: \S")
_CYTHON = re.compile(r"\S+\.(?:pyx|pxd|pxi):\d+:\d+: \S")
_LINKER = re.compile(r".*(?:: undefined reference to |\bld(?:\.\w+)?: (?:cannot find|error: ))")
_RUST = re.compile(r"error(?:\[E\d+\])?: (?!could not compile|aborting due to|Command |command )\S")
_RUST_PLACE = re.compile(r"\s*--> (\S+:\d+:\d+)")
_MESON = re.compile(r"\S*meson(?:\.build|_options\.txt|\.options):\d+:\d+: ERROR: \S")
_CMAKE = re.compile(r"CMake Error(?: at [^\s:]+:\d+ \([^)]*\))?:")
_FRAME = re.compile(r'\s+File "([^"]+)", line (\d+)')
_LIBRARY = re.compile(r"(?<![^\s('\"])[^\s('\"]*/(?:site|dist)-packages/")
"""Begins where a word does: a line without an end would be gone through from each of its letters."""
_NOT_ITS_OWN = re.compile(r"/(?:site|dist)-packages/|/lib/python\d|^<|/environments/guest/")
_CONCLUSION = re.compile(r"Because .*?(?:unsatisfiable|cannot be used)\b", re.DOTALL)
_FRAMING = re.compile(r"[\s│╰├─▶×]+")
_ERROR = re.compile(r"(?:ERROR|Error|error|FATAL|fatal)\b ?:? ?\S")
_AFTERMATH = re.compile(
    r"error: subprocess-exited-with-error|ERROR: Failed (?:building|to build)|error: failed to build",
    re.IGNORECASE,
)


def telling(output: str) -> str:
    """The first of these that the output has.

    | who                            | which line                                             |
    |--------------------------------|--------------------------------------------------------|
    | a compiler, Cython, the linker | its first error: the others mostly follow from it      |
    | rustc                          | its first error, with the place that stands below      |
    | meson, CMake                   | its first error, CMake's with the sentence below       |
    | uv's resolver                  | its conclusion, however many lines it takes            |
    | Python                         | the exception that got out, with the project's own line |
    | whoever says `error:`          | the last, unless it only says that something failed    |
    | nobody                         | the last line                                          |
    """
    text = block(output)
    lines = text.split("\n")
    readers: tuple[Callable[[Sequence[str]], str | None], ...] = (
        lambda said: _first(said, _COMPILER, _CYTHON, _LINKER),
        _rust,
        lambda said: _first(said, _MESON),
        _cmake,
        lambda said: _conclusion(text),
        _raised,
        _error,
        lambda said: next((one for one in reversed(said) if one.strip()), ""),
    )
    answers = (read(lines) for read in readers)
    told = next((answer for answer in answers if answer is not None), "")
    # A build's virtualenv lies elsewhere each time, and nobody finds it afterwards.
    return line(_LIBRARY.sub("", told), WIDTH)


def _first(lines: Sequence[str], *patterns: re.Pattern[str]) -> str | None:
    matching = (one for pattern in patterns for one in lines if pattern.match(one))
    return next(matching, None)


def _rust(lines: Sequence[str]) -> str | None:
    """Other tools say `error:` too; only rustc says where on the next line."""
    for number, one in enumerate(lines[:-1]):
        place = _RUST_PLACE.match(lines[number + 1])
        if place and _RUST.match(one):
            return f"{place[1]}: {one}"
    return None


def _cmake(lines: Sequence[str]) -> str | None:
    for number, one in enumerate(lines):
        if _CMAKE.match(one):
            below = (text for text in lines[number + 1 : number + 4] if text.startswith("  "))
            return one if not one.endswith(":") else f"{one} {next(below, '').strip()}"
    return None


def _conclusion(text: str) -> str | None:
    found = _CONCLUSION.search(text)
    return _FRAMING.sub(" ", found[0]) if found else None


def _raised(lines: Sequence[str]) -> str | None:
    """Below the last frame the first line that is indented less: the whole may be somebody's quotation."""
    framed = [(number, found) for number, one in enumerate(lines) if (found := _FRAME.match(one))]
    if not framed:
        return None
    last, _ = framed[-1]
    frames = [found for _, found in framed]
    own = [frame for frame in frames if not _NOT_ITS_OWN.search(frame[1])] or frames
    indent = _indent(lines[last])
    said = next((one.strip() for one in lines[last + 1 :] if one.strip() and _indent(one) < indent), None)
    if said is None or own[-1][1].startswith("<"):
        return said
    return f"{said} ({own[-1][1].rsplit('/', 1)[-1]}:{own[-1][2]})"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _error(lines: Sequence[str]) -> str | None:
    said = [one for one in lines if _ERROR.match(one)]
    return next((one for one in reversed(said) if not _AFTERMATH.match(one)), None)
