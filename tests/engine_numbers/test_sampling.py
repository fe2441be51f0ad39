"""How many runs a request asks for, and which earlier trials answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from bisector.engine.sampling import Yardstick, answers, goes_in_turns, in_turns, may_tell_more, sampled
from bisector.model import EnvironmentRequest, InstallMode, Limits, Outcome, Purpose, Ran, Run, Trial, Trouble
from bisector.oracles.finding import Limit
from bisector.oracles.patterns import search
from bisector.plan import TrialRequest
from bisector.recipe.schema import Compare, Measure, Metric, Policy, Repro, ShellCommand, Times, Until, Worse

BEGAN = datetime(2024, 1, 1, tzinfo=timezone.utc)
ASKED = TrialRequest(
    "repository",
    "commit",
    EnvironmentRequest("commit", BEGAN, None, InstallMode.NONE),
    Repro(ShellCommand("x")),
    Limits(),
)
WORKING = replace(ASKED, commit="working")
LIMIT = Limit(1.5, Worse.HIGHER, "1.5", ratio=1.5)


def runs(*statuses: int, seconds: float = 1.0) -> tuple[Run, ...]:
    return tuple(Run(status, None, None, seconds, seconds, None, "", 0) for status in statuses)


def trial(outcome: Outcome) -> Trial:
    return Trial("commit", "key", Purpose.SEARCH, BEGAN, outcome, None, 1, 0, 0, 1, "log")


POLICIES = {
    "nothing said": (Policy(), 1, 1, None),
    "nothing said, at an end": (Policy(), 2, 2, None),
    "three times": (Policy(runs=Times(3)), 1, 3, None),
    "three times is enough for an end": (Policy(runs=Times(3)), 2, 3, None),
    "until the second failure": (Policy(runs=Until(9, 2)), 1, 9, 2),
    "at an end until it has failed twice": (Policy(runs=Until(9, 1)), 2, 9, 2),
}


@pytest.mark.parametrize("policy, at_least, count, stop_after", POLICIES.values(), ids=POLICIES.keys())
def test_runs_asked_for(policy: Policy, at_least: int, count: int, stop_after: int | None) -> None:
    asked = sampled(ASKED, policy, at_least)
    assert (asked.runs, asked.stop_after, asked.keep) == (count, stop_after, None)


def test_an_array_is_kept_and_makes_another_trial_of_it() -> None:
    asked = sampled(ASKED, Policy(compare=Compare("out.pt")), 1)
    assert asked.keep == "out.pt"
    assert asked.key != ASKED.key
    assert sampled(ASKED, Policy(compare=Compare("out.pt", rtol=1.0)), 3).key == asked.key


ENOUGH = {
    "as many as asked": ((0, 0, 0), 3, None, True),
    "too few": ((0, 0), 3, None, False),
    "too few, though one failed": ((0, 1), 3, None, False),
    "ended by a failure": ((0, 1), 3, 1, True),
    "not yet ended": ((0, 1), 3, 2, False),
}


@pytest.mark.parametrize("statuses, count, stop_after, expected", ENOUGH.values(), ids=ENOUGH.keys())
def test_what_answers(statuses: Sequence[int], count: int, stop_after: int | None, expected: bool) -> None:
    asked = replace(ASKED, runs=count, stop_after=stop_after)
    assert answers(trial(Ran(runs(*statuses))), asked, search) is expected


def test_trouble_answers_nothing_and_a_lost_file_no_longer() -> None:
    assert not answers(trial(Trouble("disk")), ASKED, search)
    kept = replace(runs(0)[0], saved=str(Path(__file__)))
    lost = replace(kept, saved=str(Path(__file__).with_name("gone.npy")))
    assert answers(trial(Ran((kept,))), ASKED, search)
    assert not answers(trial(Ran((lost,))), ASKED, search)


def test_runs_left_out_may_tell_more_unless_the_repro_itself_skips() -> None:
    asked = replace(ASKED, runs=5, stop_after=1)
    assert may_tell_more(trial(Ran(runs(0, 1))), asked)
    assert not may_tell_more(trial(Ran(runs(0, 125))), asked)
    assert not may_tell_more(trial(Ran(runs(0, 0, 0, 0, 1))), asked)
    assert not may_tell_more(trial(Trouble("disk")), asked)


def test_turns_until_the_ends_show_that_the_numbers_are_exact() -> None:
    wall, memory = Metric(Measure.WALL_TIME), Metric(Measure.PEAK_MEMORY)
    assert goes_in_turns(wall, None)
    assert goes_in_turns(wall, Yardstick(LIMIT, exact=False))
    assert not goes_in_turns(wall, Yardstick(LIMIT, exact=True))
    assert not goes_in_turns(memory, None)
    assert not goes_in_turns(None, None)


def test_pairs_answer_when_they_decide_or_the_budget_is_spent() -> None:
    policy = Policy(metric=Metric(Measure.WALL_TIME), runs=Times(10))
    asked = in_turns(ASKED, WORKING, policy, Yardstick(LIMIT, exact=False))
    assert asked.turns and asked.turns.most == 10
    assert asked.key != ASKED.key

    def pairs(count: int, seconds: float) -> Trial:
        statuses = [0] * count
        return trial(Ran(runs(*statuses, seconds=seconds), beside=runs(*statuses)))

    assert [answers(pairs(count, 3.0), asked, search) for count in (3, 4)] == [False, True]
    swaying = (*runs(0, seconds=3.0), *runs(0)) * 5
    assert answers(trial(Ran(swaying, beside=runs(*[0] * 10))), asked, search)
    assert not answers(trial(Ran(runs(0, 0), beside=runs(0, 0))), asked, search)
    failed = trial(Ran(runs(1), beside=runs(0)))
    assert answers(failed, asked, search)
