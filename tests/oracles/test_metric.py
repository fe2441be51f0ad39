"""Figures, and the limits that the ends set."""

from __future__ import annotations

import pytest

from bisector.model import Run
from bisector.oracles.metric import Measured, Unmeasured, beyond, limit_of, reading
from bisector.oracles.patterns import search
from bisector.recipe.schema import Absolute, Measure, Metric, Relative, Worse


def run(output: str = "") -> Run:
    return Run(0, None, None, 1.5, 0.7, 1 << 20, output, len(output))


READINGS: dict[str, tuple[Measure | str, str, Measured | Unmeasured]] = {
    "wall time": (Measure.WALL_TIME, "", Measured(1.5)),
    "cpu time": (Measure.CPU_TIME, "", Measured(0.7)),
    "peak memory": (Measure.PEAK_MEMORY, "", Measured(1048576.0)),
    "a group": (r"took ([0-9.]+)", "took 2.5 s", Measured(2.5)),
    "the last of several": (r"took ([0-9.]+)", "took 2.5\ntook 3.5\n", Measured(3.5)),
    "a pattern without a group": (r"\d+$", "loss at the end 12", Measured(12.0)),
    "with an exponent": (r"loss (\S+)", "loss 1.5e-3", Measured(0.0015)),
    "with separators": (r"ops (\S+)", "ops 1,234,567", Measured(1234567.0)),
    "not a number": (r"loss (\S+)", "loss nan", Unmeasured("not a number: 'nan' in 'loss nan'")),
    "nothing": (r"loss (\S+)", "", Unmeasured(r"the output holds no number after loss (\S+)")),
}


@pytest.mark.parametrize("source, output, expected", READINGS.values(), ids=READINGS.keys())
def test_the_figure_of_a_run(source: Measure | str, output: str, expected: Measured | Unmeasured) -> None:
    assert reading(run(output), Metric(source), search) == expected


HIGHER, LOWER = Worse.HIGHER, Worse.LOWER
LIMITS = {
    "absolute": (Metric("x", HIGHER, Absolute(3.0)), (1.0,), (9.0,), 3.0, "3", 3.0),
    "half as much again as the working end": (
        Metric("x", HIGHER, Relative(1.5)),
        (2.0, 1.9, 8.0),
        (9.0,),
        3.0,
        "3 (1.5 times the working end's 2)",
        1.5,
    ),
    "between the ends": (Metric("x"), (1.0,), (100.0,), 10.0, "10 (between the ends: 1 and 100)", 10.0),
    "between ends one of which is zero": (
        Metric("x"),
        (0.0,),
        (4.0,),
        2.0,
        "2 (between the ends: 0 and 4)",
        None,
    ),
}


@pytest.mark.parametrize("metric, good, bad, value, words, ratio", LIMITS.values(), ids=LIMITS.keys())
def test_the_limit(
    metric: Metric,
    good: tuple[float, ...],
    bad: tuple[float, ...],
    value: float,
    words: str,
    ratio: float | None,
) -> None:
    limit = limit_of(metric, good, bad)
    assert limit.value == pytest.approx(value)
    assert (limit.words, limit.ratio) == (words, ratio)


def test_a_limit_has_a_worse_side_and_belongs_to_the_better_one() -> None:
    above, below = (limit_of(Metric("x", worse, Absolute(2.0)), (1.0,), (3.0,)) for worse in (HIGHER, LOWER))
    assert [beyond(value, above) for value in (1.9, 2.0, 2.1)] == [False, False, True]
    assert [beyond(value, below) for value in (1.9, 2.0, 2.1)] == [True, False, False]
