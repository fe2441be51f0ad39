"""The funnel: what of the range each trial left, from the places and verdicts alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bisector.model import Account, Judgement, Purpose, Verdict
from bisector.report.funnel import Stretch, funnel


@pytest.mark.parametrize(
    ("judgement", "place", "culprit", "narrowed"),
    [
        (Judgement.OLD, 50, None, Stretch(50, 100)),
        (Judgement.NEW, 50, None, Stretch(20, 50)),
        (Judgement.SKIP, 50, None, Stretch(20, 100)),
        (Judgement.ERROR, 50, None, Stretch(20, 100)),
        (Judgement.OLD, None, None, Stretch(20, 100)),
        (Judgement.OLD, 10, None, Stretch(20, 100)),
        (Judgement.OLD, 100, None, Stretch(20, 100)),
        (Judgement.NEW, 10, None, Stretch(20, 100)),
        (Judgement.OLD, 50, 50, Stretch(20, 100)),
        (Judgement.OLD, 49, 50, Stretch(49, 100)),
        (Judgement.NEW, 49, 50, Stretch(20, 100)),
    ],
)
def test_a_verdict_takes_from_its_own_side(
    judgement: Judgement, place: int | None, culprit: int | None, narrowed: Stretch
) -> None:
    assert Stretch(20, 100).after(judgement, place, culprit) == narrowed


def test_every_trial_stands_at_its_commit_whatever_was_skipped(samples: dict[str, Account]) -> None:
    steps = funnel(samples["found"]).steps
    assert [step.at for step in steps] == [
        *(0.0, 99.5, 49.5, 74.5, 62.5, 64.5, 69.5, 71.5),
        *(72.5, 72.5, 71.5, 99.5),
    ]


def test_a_skip_that_turned_out_to_be_another_face_leaves_what_the_verdicts_leave(
    samples: dict[str, Account],
) -> None:
    """The counts of then, 25 and 10, are of a search that did not know it yet."""
    found = samples["found"]
    trials = [*found.trials]
    trials[4] = replace(trials[4], verdict=Verdict(Judgement.NEW, "an earlier face"), left=24, place=74)
    assert [step.left for step in funnel(replace(found, trials=tuple(trials))).steps] == [
        *(None, None, 50, 25, 24, 9, 4, 2, 1),
        *(None, None, None),
    ]


def test_commits_inside_a_merge_are_drawn_in_it(samples: dict[str, Account]) -> None:
    found = samples["found"]
    inner = [
        replace(found.trials[2], trial=replace(found.trials[2].trial, commit="abcd" * 10), left=2, place=None)
    ]
    steps = funnel(replace(found, trials=(*found.trials[:9], *inner))).steps
    assert (steps[-1].at, steps[-1].left, steps[-1].stretch) == (72.5, 2, Stretch(72, 73))


def test_the_bad_end_without_the_culprit_rules_nothing_out(samples: dict[str, Account]) -> None:
    found = samples["found"]
    assert found.trials[-1].trial.purpose is Purpose.TRY
    assert funnel(found).steps[-1].stretch == Stretch(72, 73)


def test_the_search_ends_at_the_culprit(samples: dict[str, Account]) -> None:
    drawn = funnel(samples["found"])
    assert [step.stretch.left for step in drawn.steps] == [100, 100, 50, 25, 25, 10, 5, 3, 1, 1, 1, 1]
    assert drawn.culprit == 73


def test_a_commit_tested_twice_stands_in_one_place(samples: dict[str, Account]) -> None:
    steps = funnel(samples["found"]).steps
    culprit = [step.at for step in steps if step.judged.trial.commit == steps[8].judged.trial.commit]
    assert culprit == [72.5, 72.5]
    assert steps[11].at == steps[1].at


def test_no_culprit_has_a_place_while_several_are_in_question(samples: dict[str, Account]) -> None:
    assert funnel(samples["suspects"]).culprit is None
    assert funnel(samples["interrupted"]).culprit is None


def test_a_hunt_without_commits_or_trials_is_drawn_empty(samples: dict[str, Account]) -> None:
    drawn = funnel(samples["nothing"])
    assert (drawn.steps, drawn.more, drawn.culprit) == ((), 0, None)
