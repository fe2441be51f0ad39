"""Bisection through untestable stretches: looks for the two edges of a stretch instead of walking through it.

Where nothing was skipped it is the plain search. It ends in suspects when all of them were tried, or when those
that were not lie within a stretch whose edges are known and which was untestable wherever it was tried.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bisector.history import History, weights
from bisector.model import Judgement
from bisector.search import plain
from bisector.search.answers import Answer, Contradiction, Found, Suspects, Try
from bisector.search.question import Verdicts, in_question, said
from bisector.search.testability import chances

ENOUGH = 10
"""So many untestable commits, and not one testable between them, make a stretch.

A smaller rest than was tried already is tried too: it costs little and leaves nothing to guess.
"""

UNLIKELY = 0.05
"""Inside a stretch, a commit whose chance of being testable is smaller is not worth a trial."""


def search(history: History, verdicts: Verdicts, workers: int = 1) -> Answer:
    """What to try next, for so many free workers, or how the search ended."""
    left = in_question(history, verdicts)
    if isinstance(left, Contradiction):
        return left
    if len(left) == 1:
        return Found(left.sha(0))

    def choice(world: History, heard: Verdicts) -> str | None:
        return choose(history, world, heard)

    commits = plain.look_ahead(left, verdicts, workers, choice)
    if commits:
        return Try(commits, len(left))
    skipped = set(said(left, verdicts, Judgement.SKIP))
    return Suspects(tuple(left), tuple(sha for sha in list(left)[:-1] if sha not in skipped))


def choose(history: History, left: History, verdicts: Verdicts) -> str | None:
    """The commit that tells most, if it can be tested as is likely; None when only a stretch is left."""
    skipped = [
        place for sha in said(left, verdicts, Judgement.SKIP) if (place := left.place(sha)) is not None
    ]
    if not skipped:
        return plain.choose(left, {})
    untried = sorted(set(range(len(left) - 1)).difference(skipped))
    testable = _testable(history, left, verdicts)
    inside = _between(left, skipped)
    hopeful = [place for place in untried if not inside[place] or testable[place] >= UNLIKELY]
    if not untried or (not hopeful and len(untried) > len(skipped) >= ENOUGH):
        return None
    contained = weights(left)

    def worth(place: int) -> float:
        return testable[place] * _surprise(contained[place] / len(left))

    return left.sha(max(hopeful or untried, key=worth))


def _testable(history: History, left: History, verdicts: Verdicts) -> list[float]:
    """For each commit left, the chance that it can be tested, learned from all that were tried."""
    tried: dict[int, bool] = {}
    for sha, judgement in verdicts.items():
        place = history.place(sha)
        if place is not None and judgement is not Judgement.ERROR:
            tried[place] = judgement is not Judgement.SKIP
    everywhere = chances(len(history), tried)
    return [everywhere[place] for sha in left if (place := history.place(sha)) is not None]


def _surprise(share: float) -> float:
    """What an answer tells, in bits, that holds for this share of the commits."""
    return 0.0 if share >= 1 else -share * math.log2(share) - (1 - share) * math.log2(1 - share)


def _between(left: History, skipped: Sequence[int]) -> list[bool]:
    """For each commit, whether it contains an untestable one and is contained in another."""
    below = left.reach(skipped)
    above = bytearray(len(left))
    for place in skipped:
        above[place] = 1
    for place, parents in enumerate(left.parents):
        if any(above[parent] for parent in parents):
            above[place] = 1
    return [bool(low and high) for low, high in zip(below, above, strict=True)]
