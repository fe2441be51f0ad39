"""Noisy figures measured in turns: told apart when they differ, undecided when they cannot be."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from bisector.oracles.finding import Limit
from bisector.oracles.paired import Pair, Told, Unchanged, Undecided, Worsened, ends_differ, told_apart
from bisector.recipe.schema import Worse

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


def test_ends_that_differ_by_noise_only_are_seldom_told_apart() -> None:
    dice = random.Random(22)
    said = []
    for _ in range(1000):
        bad, good = ([dice.lognormvariate(0, 0.1) for _ in range(6)] for _ in range(2))
        said.append(type(ends_differ(bad, good, Worse.HIGHER)))
    assert said.count(Worsened) <= 130


def test_ends_that_differ_are_told_apart() -> None:
    assert isinstance(ends_differ([2.0, 2.1, 2.2, 1.9], [1.0, 1.1, 1.0, 0.9], Worse.HIGHER), Worsened)
