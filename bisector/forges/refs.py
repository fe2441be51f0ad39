"""Finds a commit among the heads of pull requests that a forge publishes as refs.

Knows numbers and shas; where the commits come from is its caller's. Pure but for the callables handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from bisector.forges.forge import PullRefs
from bisector.model import Commit

ListRefs = Callable[[Sequence[str]], Sequence[tuple[str, str]]]
"""Patterns to (ref, sha), as ls-remote tells them."""
Describe = Callable[[Sequence[str]], Sequence[Commit]]
"""Those of the shas that can be looked at; the others are left out."""

# Clocks of contributors differ; a pull request rarely holds more commits, and a walk must end somewhere.
SKEW = timedelta(days=1)
DEEPEST = 100
MOST_DESCRIBED = 5000


@dataclass(frozen=True, slots=True)
class Head:
    number: int
    sha: str


def heads_in(listing: Iterable[tuple[str, str]], kinds: Sequence[PullRefs]) -> tuple[Head, ...]:
    """By number; for a commit that heads several, the first of them is where it came in."""
    found = [
        Head(int(match[1]), sha)
        for ref, sha in listing
        for kind in kinds
        if (match := kind.pattern.fullmatch(ref))
    ]
    return tuple(sorted(found, key=lambda head: head.number))


def by_sha(heads: Sequence[Head], commit: Commit, merges: Sequence[Commit]) -> int | None:
    """The commit heads a pull request, or a merge joined one's head. An octopus names no single one."""
    merged = [merge.parents[1] for merge in merges if len(merge.parents) == 2]
    if len(commit.parents) == 2:
        merged = [commit.parents[1], *merged]
    numbers: dict[str, int] = {}
    for head in heads:
        numbers.setdefault(head.sha, head.number)
    return next((numbers[sha] for sha in (commit.sha, *merged) if sha in numbers), None)


def by_copy(heads: Sequence[Head], commit: Commit, describe: Describe) -> int | None:
    """The pull request that holds the commit as it was before a rebase: same author date, same title.

    Walks from the heads down, all at one depth together, so that of two that hold it the one nearer to its
    head is found (the other stands on top of it), and of two at the same depth the one with the lower number.
    Only commits made between the writing of the commit and its landing can be, or lead to, the original.
    """
    holders: dict[str, int] = {}
    for head in heads:
        if head.sha != commit.sha:
            holders.setdefault(head.sha, head.number)
    seen = {commit.sha, *holders}
    described = 0
    for _ in range(DEEPEST):
        # Invariant: `holders` are the commits at this depth, each with the lowest number it is reached from.
        known = describe(list(holders)) if holders else ()
        layer = [found for found in known if found.sha in holders and _in_time(found, commit)]
        originals = [holders[found.sha] for found in layer if _is_copy(found, commit)]
        if originals:
            return min(originals)
        described += len(holders)
        if not layer or described > len(heads) + MOST_DESCRIBED:
            return None
        holders = _parents(layer, holders, seen)
        seen |= holders.keys()
    return None


def _is_copy(found: Commit, commit: Commit) -> bool:
    return found.author_date == commit.author_date and found.subject == commit.subject


def _in_time(found: Commit, commit: Commit) -> bool:
    return commit.author_date - SKEW <= found.commit_date <= commit.commit_date + SKEW


def _parents(layer: Iterable[Commit], holders: dict[str, int], seen: set[str]) -> dict[str, int]:
    parents: dict[str, int] = {}
    for found in sorted(layer, key=lambda found: holders[found.sha]):
        for sha in found.parents:
            if sha not in seen:
                parents.setdefault(sha, holders[found.sha])
    return parents
