"""Noisy numbers, measured in turns with the working end's code: told apart, or not.

Pure statistics. A machine that slows down slows both of a pair, so only the pairs' own ratios vote.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate

from bisector.model import Ran, Run
from bisector.oracles.finding import Limit
from bisector.oracles.metric import Measured, beyond, limit_of, reading
from bisector.oracles.patterns import Search
from bisector.recipe.schema import Metric

CLEAR = 0.8
"""A pair of a commit that is clearly on one side votes for that side at least this often."""
SURE = 0.9
"""At an end that is clearly on its side, nearly every pair must: the limit is judged there, not the commit."""
ERROR = 0.01
EXACT = 4
"""Pairs after which figures that never changed are taken for exact."""


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


def measured(run: Run, beside: Run, metric: Metric, look: Search) -> Pair | None:
    """None where one of the two did not end well or gave no number."""
    if run.exit_status != 0 or beside.exit_status != 0:
        return None
    here, working = reading(run, metric, look), reading(beside, metric, look)
    if isinstance(here, Measured) and isinstance(working, Measured):
        return Pair(here.value, working.value)
    return None


def pairs_of(ran: Ran, metric: Metric, look: Search) -> list[Pair]:
    """Fewer than there are runs, where one of them gave no number."""
    found = (measured(run, beside, metric, look) for run, beside in zip(ran.runs, ran.beside, strict=False))
    return [pair for pair in found if pair is not None]


def told_apart(pairs: Sequence[Pair], limit: Limit, error: float = ERROR) -> Told:
    """The verdict of the pairs' votes, see `voted`."""
    return voted([_votes_beyond(pair, limit) for pair in pairs], error)


def voted(votes: Sequence[bool], error: float = ERROR) -> Told:
    """Wald's sequential test on the signs: each pair votes for a side of the limit, once.

    Each vote is worth log(CLEAR / (1 - CLEAR)); a side has won when its lead outweighs
    log((1 - error) / error). So it may be asked again after every pair without spoiling the error, whatever
    the figures' distribution, and a commit whose figures lie on the limit itself stays undecided. The
    order of the pairs counts: what was decided once is not taken back by later pairs.
    """
    worth = math.log(CLEAR / (1 - CLEAR))
    return _decided(votes, worth, -worth, error)


def _decided(votes: Sequence[bool], gain: float, loss: float, error: float) -> Told:
    """Whether the sum of the votes' worth left the band in which nothing is known, and on which side first."""
    bound = math.log((1 - error) / error)
    bad = list(accumulate(map(int, votes)))
    for number, beyond_so_far in enumerate(bad, start=1):
        weight = beyond_so_far * gain + (number - beyond_so_far) * loss
        if weight >= bound:
            return Worsened(number, beyond_so_far)
        if weight <= -bound:
            return Unchanged(number, beyond_so_far)
    return Undecided(len(votes), bad[-1] if bad else 0)


def _votes_beyond(pair: Pair, limit: Limit) -> bool:
    return beyond(pair.here, limit, pair.working)


def ends_differ(pairs: Sequence[Pair], metric: Metric) -> Told:
    """Is the failing end, in turns with the working one, beyond the limit that these very figures set?

    `voted` knows only two kinds of commits, and takes a coin for one of them. Here the coin is what the
    failing end must be told from: votes that are SURE against votes that fall either way.
    """
    if is_exact(pairs):
        votes = [_votes_beyond(pair, _limit(pairs, metric)) for pair in pairs]
        return Worsened(len(votes), len(votes)) if all(votes) else Unchanged(len(votes), sum(votes))
    return _sure([_votes_beyond(pair, _limit(pairs, metric)) for pair in pairs])


def stays(pairs: Sequence[Pair], limit: Limit) -> bool | None:
    """Is the working end, in turns with itself, as surely on its own side? None: more pairs may tell."""
    told = _sure([not _votes_beyond(pair, limit) for pair in pairs])
    return None if isinstance(told, Undecided) else isinstance(told, Worsened)


def _sure(votes: Sequence[bool]) -> Told:
    return _decided(votes, math.log(SURE / 0.5), math.log((1 - SURE) / 0.5), ERROR)


def _limit(pairs: Sequence[Pair], metric: Metric) -> Limit:
    return limit_of(metric, [pair.working for pair in pairs], [pair.here for pair in pairs])


def is_exact(pairs: Sequence[Pair]) -> bool:
    """Figures that never change are counts: one of them says as much as many."""
    return len(pairs) >= EXACT and len(set(pairs)) == 1


class Side(Enum):
    """Whose figures stand beside the working end's: its own prove that the limit is out of their reach."""

    WORKING_END = "the working end's own"
    COMMIT = "a commit's"


@dataclass(frozen=True, slots=True)
class Gauge:
    """What is measured in turns and against which limit; the failing end's own figures set one."""

    metric: Metric
    limit: Limit | None
    side: Side

    def has_enough(self, pairs: Sequence[Pair]) -> bool:
        """Whether more pairs could not change what is concluded."""
        if self.limit is None:
            return bool(pairs) and not isinstance(ends_differ(pairs, self.metric), Undecided)
        if isinstance(told_apart(pairs, self.limit), Undecided):
            return False
        return self.side is not Side.WORKING_END or stays(pairs, self.limit) is not None
