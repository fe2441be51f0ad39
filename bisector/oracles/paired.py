"""Noisy numbers, measured in turns with the working end's code: told apart, or not.

Pure statistics. A machine that slows down slows both of a pair, so only the pairs' own ratios vote.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bisector.oracles.finding import Limit
from bisector.oracles.metric import beyond
from bisector.recipe.schema import Worse

CLEAR = 0.8
"""A pair of a commit that is clearly on one side votes for that side at least this often."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two figures taken one right after the other: this commit's and the working end's."""

    here: float
    working: float


@dataclass(frozen=True, slots=True)
class Worsened:
    pairs: int
    beyond: int


@dataclass(frozen=True, slots=True)
class Unchanged:
    pairs: int
    beyond: int


@dataclass(frozen=True, slots=True)
class Undecided:
    """More pairs may tell; when the budget is spent, nothing can be said."""

    pairs: int
    beyond: int


Told = Worsened | Unchanged | Undecided


def told_apart(pairs: Sequence[Pair], limit: Limit, error: float = 0.01) -> Told:
    """Wald's sequential test on the signs: each pair votes for a side of the limit, once.

    Each vote is worth log(CLEAR / (1 - CLEAR)); a side has won when its lead outweighs
    log((1 - error) / error). So it may be asked again after every pair without spoiling the error, whatever
    the figures' distribution, and a commit whose figures lie on the limit itself stays undecided. The
    order of the pairs counts: what was decided once is not taken back by later pairs.
    """
    lead_needed = math.ceil(math.log((1 - error) / error) / math.log(CLEAR / (1 - CLEAR)))
    lead = votes = 0
    for number, pair in enumerate(pairs, start=1):
        bad = _votes_beyond(pair, limit)
        votes += bad
        lead += 1 if bad else -1
        if lead >= lead_needed:
            return Worsened(number, votes)
        if lead <= -lead_needed:
            return Unchanged(number, votes)
    return Undecided(len(pairs), votes)


def _votes_beyond(pair: Pair, limit: Limit) -> bool:
    if limit.ratio is None or pair.working <= 0:
        return beyond(pair.here, limit)
    ratio = pair.here / pair.working
    return ratio > limit.ratio if limit.worse is Worse.HIGHER else ratio < limit.ratio


def ends_differ(failing: Sequence[float], working: Sequence[float], worse: Worse) -> Told:
    """Are the failing end's figures worse than the working end's, taken in turns? Any difference counts."""
    pairs = [Pair(bad, good) for bad, good in zip(failing, working, strict=True)]
    return told_apart(pairs, Limit(0.0, worse, "", ratio=1.0))
