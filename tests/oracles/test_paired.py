"""Noisy figures measured in turns: told apart when they differ, undecided when they cannot be."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from bisector.oracles.finding import Limit
from bisector.oracles.paired import (
    Gauge,
    Pair,
    Side,
    Told,
    Unchanged,
    Undecided,
    Worsened,
    ends_differ,
    is_exact,
    stays,
    told_apart,
)
from bisector.recipe.schema import Metric, Relative, Worse

HALF_AGAIN = Limit(1.5, Worse.HIGHER, "1.5", ratio=1.5)


def drifting(ratio: float, noise: float, dice: random.Random) -> Iterator[Pair]:
    """A machine that gets three times slower on the way, which both of a pair feel alike."""
    for step in range(40):
        speed = 1.0 + step / 20
        yield Pair(ratio * speed * dice.lognormvariate(0, noise), speed * dice.lognormvariate(0, noise))


def outcomes(ratio: float, noise: float) -> list[type[Told]]:
    dice = random.Random(20)
    return [type(told_apart(list(drifting(ratio, noise, dice)), HALF_AGAIN)) for _ in range(1000)]


@pytest.mark.parametrize("ratio, expected", [(1.0, Unchanged), (2.2, Worsened)], ids=["as fast", "slower"])
@pytest.mark.parametrize("noise", [0.02, 0.1, 0.2], ids=["quiet", "noisy", "very noisy"])
def test_the_wrong_side_is_named_at_most_once_in_a_hundred(
    ratio: float, noise: float, expected: type[Told]
) -> None:
    said = outcomes(ratio, noise)
    wrong = Worsened if expected is Unchanged else Unchanged
    assert said.count(wrong) <= 10
    assert said.count(expected) >= 980


def test_figures_on_the_limit_are_not_named_soon() -> None:
    dice = random.Random(21)
    ten_pairs = [list(drifting(1.5, 0.1, dice))[:10] for _ in range(1000)]
    undecided = sum(isinstance(told_apart(pairs, HALF_AGAIN), Undecided) for pairs in ten_pairs)
    assert undecided >= 450


def test_a_clear_difference_takes_four_pairs() -> None:
    assert told_apart([Pair(3.0, 1.0)] * 9, HALF_AGAIN) == Worsened(pairs=4, beyond=4)
    assert told_apart([Pair(1.0, 1.0)] * 9, HALF_AGAIN) == Unchanged(pairs=4, beyond=0)
    assert told_apart([Pair(3.0, 1.0)] * 3, HALF_AGAIN) == Undecided(pairs=3, beyond=3)
    assert told_apart([], HALF_AGAIN) == Undecided(0, 0)


def test_what_is_decided_stays_decided() -> None:
    pairs = [Pair(3.0, 1.0)] * 4 + [Pair(1.0, 1.0)] * 50
    assert told_apart(pairs, HALF_AGAIN) == Worsened(pairs=4, beyond=4)


def test_without_a_ratio_the_figure_itself_votes() -> None:
    assert isinstance(told_apart([Pair(3.0, 0.0)] * 4, Limit(2.0, Worse.HIGHER, "2")), Worsened)
    assert isinstance(told_apart([Pair(1.0, 0.0)] * 4, HALF_AGAIN), Unchanged)


def test_lower_may_be_worse() -> None:
    limit = Limit(70.0, Worse.LOWER, "70", ratio=0.7)
    assert isinstance(told_apart([Pair(50.0, 100.0)] * 4, limit), Worsened)
    assert isinstance(told_apart([Pair(95.0, 100.0)] * 4, limit), Unchanged)


def between_the_ends(ratio: float, noise: float, dice: random.Random) -> list[type[Told]]:
    return [type(ends_differ(list(drifting(ratio, noise, dice)), Metric("x"))) for _ in range(1000)]


@pytest.mark.parametrize("noise", [0.02, 0.2], ids=["quiet", "noisy"])
def test_ends_that_differ_by_noise_only_are_seldom_told_apart(noise: float) -> None:
    """By their own figures alone; the working end's fresh ones must then stay on its side as well."""
    assert between_the_ends(1.0, noise, random.Random(22)).count(Worsened) <= 40


def test_ends_that_differ_are_told_apart_on_a_drifting_machine() -> None:
    assert between_the_ends(2.0, 0.1, random.Random(23)).count(Worsened) >= 980


def test_a_difference_smaller_than_the_threshold_is_none() -> None:
    metric = Metric("x", Worse.HIGHER, Relative(1.5))
    assert isinstance(ends_differ([Pair(1.2, 1.0), Pair(1.3, 1.0), Pair(1.1, 1.0)], metric), Unchanged)


def test_counts_need_fewer_pairs_than_noisy_figures() -> None:
    counts, figures = [Pair(20.0, 10.0)] * 4, [Pair(20.0 + step, 10.0) for step in range(8)]
    assert isinstance(ends_differ(counts, Metric("x")), Worsened)
    assert isinstance(ends_differ(figures[:7], Metric("x")), Undecided)
    assert isinstance(ends_differ(figures, Metric("x")), Worsened)
    assert isinstance(ends_differ([Pair(10.0, 10.0)] * 4, Metric("x")), Unchanged)
    assert is_exact(counts) and not is_exact(counts[:3]) and not is_exact(figures)


def test_the_working_end_stays_on_its_side_unless_its_noise_reaches_the_limit() -> None:
    dice = random.Random(24)
    near = Limit(1.0, Worse.HIGHER, "1", ratio=1.0)
    said = [stays(list(drifting(1.0, 0.1, dice)), near) for _ in range(1000)]
    assert said.count(True) <= 20
    assert stays([Pair(1.0, 1.0)] * 7, HALF_AGAIN) is None
    assert stays([Pair(1.0, 1.0)] * 8, HALF_AGAIN) is True


GAUGES = {
    "the failing end, before there is a limit": (None, Side.COMMIT, 8),
    "a commit": (HALF_AGAIN, Side.COMMIT, 4),
}


@pytest.mark.parametrize("limit, side, needed", GAUGES.values(), ids=GAUGES.keys())
def test_how_many_pairs_are_enough(limit: Limit | None, side: Side, needed: int) -> None:
    gauge = Gauge(Metric("x"), limit, side)
    pairs = [Pair(3.0 + step / 10, 1.0) for step in range(9)]
    assert next(count for count in range(10) if gauge.has_enough(pairs[:count])) == needed


def test_the_working_end_needs_as_many_as_the_failing_one() -> None:
    gauge = Gauge(Metric("x"), HALF_AGAIN, Side.WORKING_END)
    assert [gauge.has_enough([Pair(1.0, 1.0)] * count) for count in (4, 7, 8)] == [False, False, True]
