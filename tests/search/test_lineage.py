"""Sums over ancestors, beside sums made the long way."""

from __future__ import annotations

import random

import pytest

from benchmarks.worlds import linear, merged
from bisector.history import History
from bisector.search.lineage import lineage


@pytest.mark.parametrize("seed", range(8))
def test_sums_are_those_over_every_ancestor(seed: int) -> None:
    chance = random.Random(seed)
    history = merged(chance.randrange(2, 150), chance)
    values = [chance.random() for _ in range(len(history))]
    assert lineage(history).totals(values) == pytest.approx(_the_long_way(history, values))


def test_on_a_line_sums_run_on() -> None:
    assert lineage(linear(4)).totals([1, 2, 3, 4]) == [1, 3, 6, 10]


def _the_long_way(history: History, values: list[float]) -> list[float]:
    return [
        sum(value for value, reached in zip(values, history.reach([place]), strict=True) if reached)
        for place in range(len(history))
    ]
