"""Code or environment: every answer that crossing them can give, and what the hunt makes of it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from bisector.hunt import Phase
from bisector.model import DependencyChange, Ending, Judgement
from bisector.report.evidence import environment

from .conftest import Hunting
from .worlds import TURN, Packages, World, new_if, switching


@dataclass(frozen=True)
class Case:
    """What is new, and None where it cannot be tested; `late`: the code from TURN on."""

    shows: Callable[[bool, Packages], Judgement | None]
    ending: Ending
    message: str
    notice: str = ""


CASES = {
    "the code": Case(
        lambda late, has: new_if(late),
        Ending.FOUND,
        "in the same environment just so: dep 1 -> 2 makes no difference",
    ),
    "either": Case(
        lambda late, has: new_if(late or has["dep"] == "2"),
        Ending.FOUND,
        "it fails in its parent's environment, too",
        "dep 1 -> 2 breaks its parent as well, by itself: there are two causes",
    ),
    "only both together": Case(
        lambda late, has: new_if(late and has["dep"] == "2"),
        Ending.UNCONFIRMED,
        r"neither the code of \w+ nor its environment \(dep 1 -> 2\) does it by itself",
    ),
    "the environment": Case(
        lambda late, has: new_if(has["dep"] == "2"),
        Ending.DEPENDENCY,
        "^dep 1 -> 2 breaks every commit it was tried with; no commit of this repository is to blame$",
        "with dep 1: it works at \\w+, it works at the bad end",
    ),
    "the code, its parent does not install in its environment": Case(
        lambda late, has: None if not late and has["dep"] == "2" else new_if(late),
        Ending.FOUND,
        "it fails in its parent's environment, too",
        "the parent's code in the culprit's environment could not be tested: planted",
    ),
    "the code, it does not install in its parent's environment": Case(
        lambda late, has: None if late and has["dep"] == "1" else new_if(late),
        Ending.FOUND,
        "its parent works in its environment, too",
        "the culprit's code in its parent's environment could not be tested: planted",
    ),
    "the environment, the culprit does not install in its parent's": Case(
        lambda late, has: None if late and has["dep"] == "1" else new_if(has["dep"] == "2"),
        Ending.DEPENDENCY,
        "^dep 1 -> 2 breaks every commit",
        "with dep 1: it cannot be tested at",
    ),
    "perhaps the environment, the parent does not install there": Case(
        lambda late, has: None if not late and has["dep"] == "2" else new_if(has["dep"] == "2"),
        Ending.UNCONFIRMED,
        "works in its parent's environment: dep 1 -> 2 has a part in it; whether its code has one cannot be",
    ),
    "neither installs in the other's": Case(
        lambda late, has: None if late != (has["dep"] == "2") else new_if(late),
        Ending.FOUND,
        "works 2 of 2 at its parent",
        "whether its code decides or its environment \\(dep 1 -> 2\\) could not be tested: planted",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_decides(hunting: Hunting, case: Case) -> None:
    world = World(switching({"dep": "1"}, {"dep": "2"}), lambda number, has: case.shows(number >= TURN, has))
    account = hunting(world)[0].account
    assert account.ending is case.ending, account.message
    assert re.search(case.message, account.message), account.message
    assert re.search(case.notice, "\n".join(account.notices)), account.notices
    assert (account.culprit is None) == (account.ending is Ending.DEPENDENCY)
    assert (account.dependency is None) == (account.ending is not Ending.DEPENDENCY)


BY_CHANCE = {
    "the code": (Ending.FOUND, "% sure, in the same environment just so: dep 1 -> 2 makes no difference"),
    "only both together": (Ending.UNCONFIRMED, CASES["only both together"].message),
    "the environment": (Ending.DEPENDENCY, CASES["the environment"].message),
    "neither installs in the other's": (Ending.FOUND, "% sure$"),
}


@pytest.mark.parametrize(("name", "expected"), BY_CHANCE.items(), ids=BY_CHANCE)
def test_what_decides_where_a_confidence_is_asked_for(
    hunting: Hunting, name: str, expected: tuple[Ending, str]
) -> None:
    """A search by probabilities doubts the environment as well."""
    case, (ending, message) = CASES[name], expected
    world = World(switching({"dep": "1"}, {"dep": "2"}), lambda number, has: case.shows(number >= TURN, has))
    account = hunting(world, more="verdict: {runs: {confidence: 0.95}}\n")[0].account
    assert account.ending is ending, account.message
    assert re.search(message, account.message), account.message
    assert re.search(case.notice, "\n".join(account.notices)), account.notices


def test_equal_environments_are_not_crossed(hunting: Hunting) -> None:
    world = World(switching({"dep": "1"}, {"dep": "1"}), lambda number, has: new_if(number >= TURN))
    result, made = hunting(world)
    assert result.account.ending is Ending.FOUND
    assert not made.tried


def test_a_crossed_trial_is_not_taken_for_the_commits_own(hunting: Hunting) -> None:
    """Neither in what the proof counts nor in what the report shows of the two environments."""
    world = World(switching({"dep": "1"}, {"dep": "2"}), lambda number, has: new_if(number >= TURN))
    account = hunting(world)[0].account
    assert "fails 2 of 2 at" in account.message
    assert "works 2 of 2 at its parent" in account.message
    shown = environment(account)
    assert shown is not None
    assert shown.changed == ("dep 1 -> 2",)
    assert "dep==2" in account.reproduce


def test_a_fix_that_a_release_brought(hunting: Hunting) -> None:
    world = World(switching({"dep": "1"}, {"dep": "2"}), lambda number, has: new_if(has["dep"] == "1"))
    account = hunting(world, more="find: fix\n")[0].account
    assert account.ending is Ending.DEPENDENCY
    assert account.message.startswith("dep 1 -> 2 repairs every commit")


def test_a_merge_whose_side_fails_where_the_merge_runs(hunting: Hunting) -> None:
    """The first parent has the merge's environment; the other side fails in it: it began there."""

    def has(number: int) -> Packages:
        return {"python": "3.11.7", "dep": "1" if number in (1, 5, 6) else "2"}

    def shows(number: int, packages: Packages) -> Judgement:
        return new_if(number in (6, 7, 8) and packages["dep"] == "2")

    account = hunting(World(has, shows), rows="1..4; 1 5 6; 4+6 7 8")[0].account
    assert account.ending is Ending.UNCONFIRMED
    assert "it began on that side" in account.message


def test_the_same_hunt_again_makes_no_trial_again(hunting: Hunting) -> None:
    world = World(
        switching({"dep": "1", "other": "1"}, {"dep": "3", "other": "3"}),
        lambda number, has: new_if(has["dep"] in "23"),
        {"dep": ("1", "2", "3"), "other": ("1", "2", "3")},
    )
    result, made = hunting(world)
    keys = {judged.trial.key for judged in result.account.trials}
    row = made.store.hunts()[0]
    resumed = dataclasses.replace(row, phase=Phase.CONFIRM)
    count = len(made.performed)
    again = made.hunt(resumed)
    assert again.account.dependency == result.account.dependency == DependencyChange("dep", "1", "2")
    assert len(made.performed) == count
    assert {judged.trial.key for judged in again.account.trials} == keys
