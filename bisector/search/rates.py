"""How often a commit fails on either side of the change, when nobody knows: a prior over pairs of rates.

Knows counts of failures and passes; commits it does not know.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul


@dataclass(frozen=True, slots=True)
class Tally:
    """Runs that failed, and runs that did not."""

    failed: int = 0
    passed: int = 0

    @property
    def runs(self) -> int:
        return self.failed + self.passed

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.failed + other.failed, self.passed + other.passed)

    def __sub__(self, other: Tally) -> Tally:
        return Tally(self.failed - other.failed, self.passed - other.passed)


@dataclass(frozen=True, slots=True)
class Side:
    """What is known of one side's rate: for each of GRID its probability, and what follows for the next run."""

    rates: tuple[float, ...]
    rate: float
    """The chance that the next run fails."""
    noise: float
    """The bits of chance in the next run that knowing the rate would not take away."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What the tallies say if a hypothesis holds: the logarithm of how likely they were, and either side's rate."""

    old_seen: Tally
    new_seen: Tally
    log_likelihood: float

    @property
    def old(self) -> Side:
        return _sides(self.old_seen, self.new_seen)[0]

    @property
    def new(self) -> Side:
        return _sides(self.old_seen, self.new_seen)[1]

    @property
    def told(self) -> float:
        """The bits that one run tells of which side its commit is on: 1 where nothing is left to chance."""
        old, new = self.old.rate, self.new.rate
        return surprise((old + new) / 2) - (surprise(old) + surprise(new)) / 2


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The same with no change at all: one side, one rate."""

    side: Side
    log_likelihood: float


FAILING_BEFORE = {0: 0.6, 0.03: 0.04, 0.1: 0.12, 0.2: 0.08, 0.3: 0.06, 0.4: 0.03, 0.5: 0.02}
"""How often the old side fails though it should not, and how likely that is."""

PASSING_AFTER = {
    0: 0.5,
    0.03: 0.04,
    0.1: 0.12,
    0.2: 0.08,
    0.3: 0.06,
    0.4: 0.05,
    0.5: 0.06,
    0.65: 0.05,
    0.8: 0.05,
    0.9: 0.03,
}
"""How often the new side passes though it should not: a failure may be rare."""

QUIET = 0.8
"""How much more often there is no noise at all than the product of these two says; ..."""
ALIKE = {0.1: 0.45, 0.3: 0.1}
"""... how much more often noise strikes both sides alike, ..."""
NEVER_BEFORE = {0.1: 0.04, 0.3: 0.08, 0.5: 0.1, 0.65: 0.07, 0.8: 0.07}
"""... and how much more often a failure that comes and goes was never there before.

Set by simulation (`python -m benchmarks simulate`), so that what is claimed holds there in every cell, not in the
mean of them all.
"""

FAINT = 1e-200
"""Smaller products of two shares lose their meaning, and are looked at by their logarithms."""

APART = 0.15
"""Rates that lie nearer than this are no change that anybody hunts."""


def _grid() -> tuple[float, ...]:
    wrong = {*FAILING_BEFORE, *PASSING_AFTER}
    return tuple(sorted({round(rate, 6) for one in wrong for rate in (one, 1 - one)}))


GRID = _grid()
"""The rates of failure that are thought of."""


def changed(old: Tally, new: Tally) -> Changed:
    """With `old` seen before the change and `new` after it: the new side fails more often than the old."""
    (old_best, olds), (new_best, _) = _chances(old), _chances(new)
    share = _dot(olds, _said_by_new(new))
    return Changed(old, new, math.log(share) + old_best + new_best if share > FAINT else _faint(old, new))


@lru_cache(maxsize=20_000)
def unchanged(seen: Tally) -> Unchanged:
    """With no change at all: one rate, whatever it is."""
    best, chances = _chances(seen)
    weighted = list(map(mul, _SAME, chances))
    return Unchanged(_side(weighted), math.log(sum(weighted)) + best)


def failures(side: Side, runs: int) -> list[float]:
    """The chances of 0, 1, ... `runs` failures in so many runs."""
    rates = [(rate, weight) for rate, weight in zip(GRID, side.rates, strict=True) if weight > 1e-6]
    return [
        math.comb(runs, failed)
        * sum(weight * rate**failed * (1 - rate) ** (runs - failed) for rate, weight in rates)
        for failed in range(runs + 1)
    ]


def surprise(chance: float) -> float:
    """The bits that the answer to a yes-or-no question carries."""
    if not 0.0 < chance < 1.0:
        return 0.0
    return -chance * math.log2(chance) - (1.0 - chance) * math.log2(1.0 - chance)


@lru_cache(maxsize=20_000)
def _sides(old: Tally, new: Tally) -> tuple[Side, Side]:
    return (
        _side(list(map(mul, _chances(old)[1], _said_by_new(new)))),
        _side(list(map(mul, _chances(new)[1], _said_by_old(old)))),
    )


@lru_cache(maxsize=20_000)
def _said_by_new(new: Tally) -> list[float]:
    """For each rate of the old side, what the new side's runs say of it."""
    chances = _chances(new)[1]
    return [_dot(row, chances) for row in _PRIOR]


@lru_cache(maxsize=20_000)
def _said_by_old(old: Tally) -> list[float]:
    """For each rate of the new side, what the old side's runs say of it."""
    chances = _chances(old)[1]
    return [_dot(column, chances) for column in zip(*_PRIOR, strict=True)]


@lru_cache(maxsize=20_000)
def _chances(seen: Tally) -> tuple[float, list[float]]:
    """How likely these runs are at each rate, as shares of the likeliest; and that one's logarithm."""
    logs = _logs(seen)
    best = max(logs)
    return best, [math.exp(value - best) for value in logs]


def _logs(seen: Tally) -> list[float]:
    return [
        seen.failed * fail + seen.passed * succeed for fail, succeed in zip(_LOG_FAIL, _LOG_PASS, strict=True)
    ]


def _faint(old: Tally, new: Tally) -> float:
    """The logarithm for a pair of sides that both speak against: that of the pair of rates that fits best."""
    olds, news = _logs(old), _logs(new)
    return max(
        before + after + math.log(weight)
        for before, row in zip(olds, _PRIOR, strict=True)
        for after, weight in zip(news, row, strict=True)
        if weight
    )


def _dot(some: Sequence[float], others: Sequence[float]) -> float:
    return sum(map(mul, some, others), 0.0)


def _side(weights: Sequence[float]) -> Side:
    rates = tuple(_shared(weights))
    return Side(rates, _dot(GRID, rates), _dot(_SURPRISE, rates))


def _shared(weights: Sequence[float]) -> Iterator[float]:
    total = sum(weights)
    return (weight / total for weight in weights)


def _prior() -> Mapping[tuple[float, float], float]:
    """The weight of each pair of rates: either side errs at a rate of its own, some pairs more often."""
    usual = {(0.0, 0.0): QUIET}
    usual |= {(rate, rate): weight for rate, weight in ALIKE.items()}
    usual |= {(0.0, after): weight for after, weight in NEVER_BEFORE.items()}
    weights = {
        (before, after): FAILING_BEFORE[before] * PASSING_AFTER[after] + usual.get((before, after), 0.0)
        for before in FAILING_BEFORE
        for after in PASSING_AFTER
        if 1 - after - before >= APART - 1e-9
    }
    pairs = [(round(before, 6), round(1 - after, 6)) for before, after in weights]
    return dict(zip(pairs, _shared(list(weights.values())), strict=True))


def _rows(pairs: Mapping[tuple[float, float], float]) -> tuple[tuple[float, ...], ...]:
    """A row for each rate of the old side, with the weight of each rate of the new one."""
    return tuple(tuple(pairs.get((old, new), 0.0) for new in GRID) for old in GRID)


_PRIOR = _rows(_prior())
# Without a change every rate is as good as the next, those at the ends a little better.
_SAME = tuple(_shared([1.5, *([1.0] * (len(GRID) - 2)), 1.5]))
_SURPRISE = tuple(map(surprise, GRID))
# "Never" must stay a number: minus infinity times no runs is none.
_NEVER = math.log(1e-300)
_LOG_FAIL = tuple(math.log(rate) if rate else _NEVER for rate in GRID)
_LOG_PASS = tuple(math.log(1.0 - rate) if rate < 1 else _NEVER for rate in GRID)
