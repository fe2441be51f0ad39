"""What a commit's own words say about its pull request: the value, and how words are read and cleaned.

Knows no forge's sentences. Commit messages are untrusted text: titles lose what could move a cursor.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from bisector.model import Commit

NUMBER = r"([1-9][0-9]{0,8})"
LONGEST_LINE = 1000
LONGEST_TITLE = 300
# Bidirectional marks can show one title and mean another; other format characters belong to real scripts.
HIDDEN = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Mention:
    """A pull request named in words; `url` only where the words give the address themselves."""

    number: int | str
    title: str | None = None
    url: str | None = None


def clean_title(text: str | None) -> str | None:
    """One line, without control characters and lone surrogates; None when nothing is left."""
    if text is None:
        return None
    spaced = re.sub(r"\s+", " ", HIDDEN.sub("", text[: 4 * LONGEST_TITLE]))
    title = "".join(c for c in spaced if unicodedata.category(c) not in ("Cc", "Cs")).strip()
    return (title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…") or None


def headline(commit: Commit) -> str:
    """The subject, with the rest of it that a web page may have broken off into the body."""
    subject = commit.subject[:LONGEST_LINE].strip()
    rest = first_line(commit)
    for dots in ("…", "..."):
        if rest is not None and subject.endswith(dots) and rest.startswith(dots):
            return subject.removesuffix(dots) + rest.removeprefix(dots)
    return subject


def body_lines(commit: Commit) -> Iterator[str]:
    """The body's lines of a length that a person or a forge writes."""
    return (line.strip() for line in commit.body.splitlines() if len(line) <= LONGEST_LINE)


def first_line(commit: Commit) -> str | None:
    """The first line of the body that says something: where merges put the title."""
    return next((line for line in body_lines(commit) if line), None)


def titled(number: str, title: str | None) -> Mention:
    return Mention(int(number), clean_title(title))
