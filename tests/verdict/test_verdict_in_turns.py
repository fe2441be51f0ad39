"""The verdict on runs that were made in turns with the working end's code."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from bisector.model import Judgement, Purpose, Ran, Run, Trial
from bisector.oracles.finding import Limit, Standard
from bisector.recipe.schema import Measure, Metric, Policy, Reaction, Worse
from bisector.verdict import judge

OLD, NEW, SKIP = Judgement.OLD, Judgement.NEW, Judgement.SKIP
LIMIT = Limit(1.5, Worse.HIGHER, "1.5 times", ratio=1.5)
STANDARD = Standard(Policy(metric=Metric(Measure.WALL_TIME)), limit=LIMIT)


def took(seconds: float, status: int = 0, output: str = "") -> Run:
    return Run(status, None, None, seconds, seconds, None, output, len(output))


def told(pairs: list[tuple[Run, Run]], standard: Standard = STANDARD) -> tuple[Judgement, str]:
    ran = Ran(tuple(here for here, _ in pairs), beside=tuple(there for _, there in pairs))
    began = datetime(2024, 1, 1, tzinfo=timezone.utc)
    verdict = judge(Trial("c", "k", Purpose.SEARCH, began, ran, None, 1, 0, 0, 1, "log"), standard)
    return verdict.judgement, verdict.reason


SLOW, FAST = (took(3.0), took(1.0)), (took(1.0), took(1.0))
SLOW_MACHINE, FAST_MACHINE = (took(9.0), took(9.0)), (took(0.3), took(0.1))
ROWS = {
    "slower in every pair": ([SLOW] * 4, NEW),
    "as fast in every pair": ([FAST] * 4, OLD),
    "as fast on a machine that became slow": ([FAST, FAST, SLOW_MACHINE, SLOW_MACHINE], OLD),
    "slower on a machine that became fast": ([SLOW, SLOW, FAST_MACHINE, FAST_MACHINE], NEW),
    "now so, now so": ([SLOW, FAST] * 6, SKIP),
    "too few pairs": ([SLOW] * 3, SKIP),
    "it failed once": ([SLOW, SLOW, SLOW, (took(3.0, status=1), took(1.0))], SKIP),
    "the working end's run beside it failed": ([(took(3.0), took(1.0, status=1))] * 4, SKIP),
}


@pytest.mark.parametrize("pairs, expected", ROWS.values(), ids=ROWS.keys())
def test_the_pairs_vote(pairs: list[tuple[Run, Run]], expected: Judgement) -> None:
    assert told(pairs)[0] is expected


def test_the_reason_shows_the_votes_and_a_pair() -> None:
    assert told([SLOW] * 4) == (NEW, "worse in 4 of 4 pairs: 3 beside 1, higher than 1.5 times")
    assert told([FAST] * 4) == (OLD, "worse in 0 of 4 pairs: 1 beside 1, not higher than 1.5 times")
    assert told([SLOW, FAST]) == (SKIP, "worse in 1 of 2 pairs, which tells neither")


def test_without_a_limit_nothing_is_concluded() -> None:
    judgement, reason = told([SLOW] * 4, replace(STANDARD, limit=None))
    assert judgement is SKIP
    assert "the ends have given no limit yet" in reason


def test_a_failure_that_counts_decides_at_once() -> None:
    crashed = (took(0.1, status=1, output="ValueError: x"), took(1.0))
    policy = Policy(metric=Metric(Measure.WALL_TIME), other_failure=Reaction.NEW)
    assert told([FAST, crashed], Standard(policy, limit=LIMIT))[0] is NEW
    assert told([FAST, crashed])[0] is SKIP


def test_a_pattern_votes_like_a_figure() -> None:
    spoke = (took(1.0, output="slow path"), took(1.0))
    policy = Policy(metric=Metric(Measure.WALL_TIME), new_if="slow path")
    assert told([spoke] * 4, Standard(policy, limit=LIMIT))[0] is NEW
