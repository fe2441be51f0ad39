"""Looking for the recipe's regular expressions in what a run wrote.

`re` cannot be interrupted from another thread, so whoever must not hang runs this module as a process of its
own under a time limit (`python -m bisector.oracles.patterns`) and passes a Search of that kind to the judges.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

LONGEST_TEXT = 1 << 20
"""Characters searched, counted from the end."""


@dataclass(frozen=True, slots=True)
class Found:
    """The last match: its line, and its first group (all of it where the pattern has none)."""

    line: str
    group: str


@dataclass(frozen=True, slots=True)
class Absent:
    pass


@dataclass(frozen=True, slots=True)
class TookTooLong:
    """The search was given up; nothing is known."""

    seconds: float


SearchResult = Found | Absent | TookTooLong
Search = Callable[[str, str], SearchResult]


def search(pattern: str, text: str) -> SearchResult:
    """In this process and without a limit of time: for patterns that are known to behave."""
    bounded = text[-LONGEST_TEXT:]
    last = None
    for last in re.finditer(pattern, bounded, re.MULTILINE):  # noqa: B007
        pass
    if last is None:
        return Absent()
    begin = bounded.rfind("\n", 0, last.start()) + 1
    line = bounded[begin:].split("\n", 1)[0].strip()
    group = last.group(1) if last.re.groups else last.group()
    return Found(line, group or "")


def to_json(result: SearchResult) -> str:
    match result:
        case Found(line, group):
            return json.dumps({"line": line, "group": group})
        case TookTooLong(seconds):
            return json.dumps({"seconds": seconds})
        case Absent():
            return json.dumps({})


def from_json(text: str) -> SearchResult:
    """What the other process answered; raises ValueError for what it cannot have written."""
    match json.loads(text):
        case {"line": str(line), "group": str(group)}:
            return Found(line, group)
        case {"seconds": float(seconds)}:
            return TookTooLong(seconds)
        case {**rest} if not rest:
            return Absent()
        case other:
            raise ValueError(f"not the result of a search: {other!r}")


def main() -> None:
    """{"pattern": ..., "text": ...} on standard input; the result on standard output."""
    asked = json.load(sys.stdin)
    sys.stdout.write(to_json(search(asked["pattern"], asked["text"])) + "\n")


if __name__ == "__main__":
    main()
