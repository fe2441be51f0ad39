"""The funnel: what of the range each trial left, from the counts alone."""

from __future__ import annotations

import pytest

from bisector.model import Account, Judgement
from bisector.report.funnel import Stretch, funnel


@pytest.mark.parametrize(
    ("judgement", "left", "narrowed"),
    [
        (Judgement.OLD, 50, Stretch(50, 100)),
        (Judgement.NEW, 50, Stretch(0, 50)),
        (Judgement.SKIP, 99, Stretch(0, 100)),
        (Judgement.ERROR, 50, Stretch(0, 100)),
        (Judgement.OLD, None, Stretch(0, 100)),
        (Judgement.OLD, 100, Stretch(0, 100)),
        (Judgement.NEW, 120, Stretch(0, 100)),
        (Judgement.NEW, 0, Stretch(0, 100)),
    ],
)
def test_a_verdict_takes_from_its_own_side(judgement: Judgement, left: int | None, narrowed: Stretch) -> None:
    assert Stretch(0, 100).after(judgement, left) == narrowed


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
