"""How often a commit fails on either side of the change, when nobody knows: a prior over pairs of rates.

Knows counts of failures and passes; commits it does not know.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Tally:
    """Runs that showed the new state, and runs that did not."""

    failed: int = 0
    passed: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.failed + other.failed, self.passed + other.passed)

    def __sub__(self, other: Tally) -> Tally:
        return Tally(self.failed - other.failed, self.passed - other.passed)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the tallies say if one hypothesis holds: how likely they were, and how the next run would go."""

    log_likelihood: float
    old: tuple[float, ...]
    """The probability of each of GRID as the rate of the old side; likewise of the new one."""
    new: tuple[float, ...]
    old_rate: float
    new_rate: float


GRID = (0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 0.99, 1.0)
"""The rates that are thought of. Finer at the ends, where a rate says most."""

OLD_PRIOR = (12.0, 0.5, 0.5, 0.5, *([1.0] * 14), 0.0)
"""Most of the time the old state never fails. Beside that any rate is as likely as the next."""

NEW_PRIOR = (0.0, 0.25, 0.5, 0.5, *([1.0] * 14), 12.0)
"""Most of the time the new state always fails."""

APART = 0.15
"""Rates that lie nearer than this are no change that anybody hunts, unless the old side never fails at all."""


def changed(old: Tally, new: Tally) -> Evidence:
    """With `old` seen before the change and `new` after it: the new side fails more often than the old."""
    return _changed(old.failed, old.passed, new.failed, new.passed)


def unchanged(seen: Tally) -> Evidence:
    """With no change at all: one rate, whatever it is."""
    likelihoods, shift = _likelihoods(seen.failed, seen.passed)
    weighted = [weight * likelihood for weight, likelihood in zip(_SAME, likelihoods, strict=True)]
    total = math.fsum(weighted)
    rates = tuple(value / total for value in weighted)
    rate = _mean(rates)
    return Evidence(math.log(total) + shift, rates, rates, rate, rate)


@lru_cache(maxsize=20_000)
def _changed(old_failed: int, old_passed: int, new_failed: int, new_passed: int) -> Evidence:
    olds, old_shift = _likelihoods(old_failed, old_passed)
    news, new_shift = _likelihoods(new_failed, new_passed)
    old_terms = [weight * likelihood for weight, likelihood in zip(_OLD, olds, strict=True)]
    new_terms = [weight * likelihood for weight, likelihood in zip(_NEW, news, strict=True)]
    below = [0.0, *accumulate(old_terms)]
    above = [*reversed([*accumulate(reversed(new_terms))]), 0.0]
    old_joint = [term * above[start] for term, start in zip(old_terms, _FIRST_NEW, strict=True)]
    new_joint = [term * below[end] for term, end in zip(new_terms, _OLDS_BELOW, strict=True)]
    total = math.fsum(old_joint)
    if total <= 0.0:
        return Evidence(-math.inf, _OLD, _NEW, 0.0, 1.0)
    old = tuple(value / total for value in old_joint)
    new = tuple(value / total for value in new_joint)
    return Evidence(math.log(total) + old_shift + new_shift, old, new, _mean(old), _mean(new))


@lru_cache(maxsize=20_000)
def _likelihoods(failed: int, passed: int) -> tuple[tuple[float, ...], float]:
    """How likely each rate makes the tally, scaled so that none vanishes; and the logarithm of the scale."""
    logs = [failed * fail + passed * succeed for fail, succeed in zip(_LOG_FAIL, _LOG_PASS, strict=True)]
    best = max(logs)
    return tuple(math.exp(value - best) for value in logs), best


def _mean(rates: Sequence[float]) -> float:
    return math.fsum(rate * weight for rate, weight in zip(GRID, rates, strict=True))


def _normalised(weights: Sequence[float]) -> tuple[float, ...]:
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)


def _first_new(old: float) -> int:
    """The smallest rate of the new side, as an index, that goes with this rate of the old one."""
    least = old + APART if old else 0.01
    return next((index for index, rate in enumerate(GRID) if rate >= least - 1e-9), len(GRID))


_FIRST_NEW = tuple(map(_first_new, GRID))
_OLDS_BELOW = tuple(sum(start <= index for start in _FIRST_NEW) for index in range(len(GRID)))
_PAIRS = math.fsum(
    old * new for old, start in zip(OLD_PRIOR, _FIRST_NEW, strict=True) for new in NEW_PRIOR[start:]
)
_OLD = tuple(weight / _PAIRS for weight in OLD_PRIOR)
_NEW = tuple(NEW_PRIOR)
_SAME = _normalised([1.5, *([1.0] * 17), 1.5])
# An impossible run must not be minus infinity times zero: 1e-300 is as good as never.
_LOG_FAIL = tuple(math.log(max(rate, 1e-300)) for rate in GRID)
_LOG_PASS = tuple(math.log(max(1.0 - rate, 1e-300)) for rate in GRID)
