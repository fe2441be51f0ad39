"""How often a commit fails on either side of the change, when nobody knows: a prior over pairs of rates.

Knows counts of failures and passes; commits it does not know.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Tally:
    """Runs that failed, and runs that did not."""

    failed: int = 0
    passed: int = 0

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
class Evidence:
    """What the tallies say if a hypothesis holds: the logarithm of how likely they were, and either side's rate."""

    log_likelihood: float
    old: Side
    new: Side


GRID = (0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 0.99, 1.0)
"""The rates that are thought of, the same from either end. Finer at the ends, where a rate says most."""

LAST = len(GRID) - 1

DETERMINISTIC, NEVER_BEFORE, ALWAYS_AFTER, ALIKE, ANY = 1.0, 0.7, 0.01, 0.4, 0.02
"""How much is given to each kind of trouble, beside the others.

The old side never fails and the new one always does; the old never does; the new always does; both sides give
the wrong answer equally often; none of these. Set by simulation (`benchmarks/simulate.py`) so that in every cell
there the confidence that is claimed is not more than the share of right answers.
"""

ALIKE_BY_RATE = {4: 3.0, 5: 2.0, 6: 2.0, 7: 3.0, 8: 2.0, 3: 1.0}
"""For ALIKE, by the index in GRID of the wrong answers' rate: from 0.06 to 0.4."""

APART = 0.15
"""For ANY: rates that lie nearer than this are no change that anybody hunts."""


def changed(old: Tally, new: Tally) -> Evidence:
    """With `old` seen before the change and `new` after it: the new side fails more often than the old."""
    return _changed(old.failed, old.passed, new.failed, new.passed)


def unchanged(seen: Tally) -> Evidence:
    """With no change at all: one rate, whatever it is."""
    logs = _log_likelihoods(seen.failed, seen.passed)
    best = max(logs)
    weighted = [weight * math.exp(value - best) for weight, value in zip(_SAME, logs, strict=True)]
    side = _side(weighted)
    return Evidence(math.log(math.fsum(weighted)) + best, side, side)


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
def _changed(old_failed: int, old_passed: int, new_failed: int, new_passed: int) -> Evidence:
    olds = _log_likelihoods(old_failed, old_passed)
    news = _log_likelihoods(new_failed, new_passed)
    # Scaled by the likeliest pair: after hundreds of runs the likelihoods themselves are too small for a float.
    best = max(olds[old] + news[new] for old, row in _PAIRS for new, _ in row)
    old_joint, new_joint = [0.0] * len(GRID), [0.0] * len(GRID)
    for old, row in _PAIRS:
        scaled = olds[old] - best
        for new, weight in row:
            joint = weight * math.exp(scaled + news[new])
            old_joint[old] += joint
            new_joint[new] += joint
    return Evidence(math.log(math.fsum(old_joint)) + best, _side(old_joint), _side(new_joint))


@lru_cache(maxsize=20_000)
def _log_likelihoods(failed: int, passed: int) -> tuple[float, ...]:
    return tuple(failed * fail + passed * succeed for fail, succeed in zip(_LOG_FAIL, _LOG_PASS, strict=True))


def _side(joint: Sequence[float]) -> Side:
    rates = tuple(_shared(joint))
    rate = math.fsum(value * weight for value, weight in zip(GRID, rates, strict=True))
    noise = math.fsum(value * weight for value, weight in zip(_SURPRISE, rates, strict=True))
    return Side(rates, rate, noise)


def _shared(weights: Sequence[float], amount: float = 1.0) -> Iterator[float]:
    total = math.fsum(weights)
    return (amount * weight / total for weight in weights)


def _prior() -> Mapping[tuple[int, int], float]:
    """The weight of each pair of rates, by their indexes in GRID."""
    middle = range(1, LAST)
    widths = {index: GRID[index + 1] - GRID[index - 1] for index in middle}
    pairs = {(0, LAST): DETERMINISTIC}

    def spread(amount: float, among: Mapping[tuple[int, int], float]) -> None:
        for pair, weight in zip(among, _shared(list(among.values()), amount), strict=True):
            pairs[pair] = pairs.get(pair, 0.0) + weight

    spread(NEVER_BEFORE, {(0, new): widths[new] for new in middle})
    spread(ALWAYS_AFTER, {(old, LAST): widths[old] for old in middle})
    spread(ALIKE, {(rate, LAST - rate): weight for rate, weight in ALIKE_BY_RATE.items()})
    apart = [(old, new) for old in middle for new in middle if GRID[new] - GRID[old] >= APART - 1e-9]
    spread(ANY, {(old, new): widths[old] * widths[new] for old, new in apart})
    return dict(zip(pairs, _shared(list(pairs.values())), strict=True))


def _by_old(pairs: Mapping[tuple[int, int], float]) -> tuple[tuple[int, tuple[tuple[int, float], ...]], ...]:
    olds = sorted({old for old, _ in pairs})
    return tuple(
        (old, tuple((new, weight) for (of, new), weight in pairs.items() if of == old)) for old in olds
    )


_PAIRS = _by_old(_prior())
# Without a change every rate is as good as the next, those at the ends a little better.
_SAME = tuple(_shared([1.5, *([1.0] * (LAST - 1)), 1.5]))
_SURPRISE = tuple(map(surprise, GRID))
# "Never" must stay a number: minus infinity times no runs is none.
_NEVER = math.log(1e-300)
_LOG_FAIL = tuple(math.log(rate) if rate else _NEVER for rate in GRID)
_LOG_PASS = tuple(math.log(1.0 - rate) if rate < 1 else _NEVER for rate in GRID)
