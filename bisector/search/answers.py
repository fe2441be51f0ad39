"""What a search may answer: commits to try, or how the search ended.

Knows no search; every one of them answers in these words.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Try:
    """Commits to try, the most telling first. The first decides; the rest are for idle workers."""

    commits: tuple[str, ...]
    left: int
    """Commits in question."""


@dataclass(frozen=True, slots=True)
class Found:
    """The only commit left in question."""

    commit: str


@dataclass(frozen=True, slots=True)
class Suspects:
    """Only commits are left that cannot be tested, and the first one known to be new, which stands last.

    Of them `untried` were not tried: they lie inside a stretch that was untestable wherever it was tried.
    """

    commits: tuple[str, ...]
    untried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An old commit contains a new one: no single commit explains the verdicts."""

    old: str
    new: str


Answer = Try | Found | Suspects | Contradiction
