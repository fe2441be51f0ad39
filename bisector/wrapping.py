"""Long lines broken at their words, for terminals: they break in the middle of one. Imports nothing heavy."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TextIO
from unicodedata import east_asian_width

NARROWEST = 30
"""Columns; below that an indent would leave no room."""
_LABEL = re.compile(r" +\S+(?: \S+)* {2,}(?=\S)")
_OUTPUT = re.compile(r" +\| ")


def columns(stream: TextIO) -> int | None:
    """How wide the terminal is; None: it is none, or does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def wrapped(text: str, width: int | None) -> str:
    """What follows a label stays in its column, other lines go on a little further in; output stays as it is."""
    if width is None or width < NARROWEST:
        return text
    return "\n".join(row for line in text.split("\n") for row in _rows(line, width))


def _rows(line: str, width: int) -> Iterator[str]:
    if _cells(line) <= width or _OUTPUT.match(line):
        yield line
        return
    label = _LABEL.match(line)
    start = label[0] if label else line[: len(line) - len(line.lstrip())]
    indent = " " * (len(start) if label and len(start) < width // 2 else len(start) + 2)
    row, is_empty = start, True
    for word in line[len(start) :].split(" "):
        if not is_empty and _cells(row) + 1 + _cells(word) > width:
            yield row
            row, is_empty = indent, True
        row += word if is_empty else f" {word}"
        is_empty = False
    yield row


def _cells(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
