"""`good: auto`: back over the releases, else over time, in strides that double."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bisector.model import Account, Ending, Judgement, Purpose

if TYPE_CHECKING:
    from tests.conftest import Making, Repository
    from tests.engine.conftest import Planted, Planting


def hunted(
    planted: Planting, project: Repository, culprit: int, bad: str = "main"
) -> tuple[Planted, Account]:
    def know(sha: str) -> Judgement:
        return Judgement.NEW if project.has(culprit, project.number(sha)) else Judgement.OLD

    plant = planted(project.path, know)
    result = plant.hunt(plant.row(f"repo: {project.path}\ngood: auto\nbad: {bad}\nrepro: x\n"))
    return plant, result.account


def looked_at(plant: Planted, project: Repository) -> list[int]:
    """The ends tried, in order, each once."""
    ends = [project.number(sha) for purpose, sha in plant.performed if purpose is Purpose.END]
    return list(dict.fromkeys(ends))


def released(making: Making) -> Repository:
    """Ten releases, one every ten commits; the last but one a candidate, and two on a branch of their own."""
    project = making.repository("1..105; 35 200 201")
    for minor in range(10):
        project.tag(f"v1.{minor}", 5 + 10 * minor)
    project.tag("v2.0rc1", 101)
    project.tag("v3.0", 201)
    project.branch("main", 105)
    return project


@pytest.mark.parametrize(
    ("culprit", "stops"),
    [
        pytest.param(97, [95], id="since the last release"),
        pytest.param(90, [95, 85], id="two releases back"),
        pytest.param(70, [95, 85, 65], id="four releases back"),
        pytest.param(30, [95, 85, 65, 25], id="eight releases back"),
    ],
)
def test_back_over_the_releases_that_the_bad_end_contains(
    making: Making, planted: Planting, culprit: int, stops: list[int]
) -> None:
    project = released(making)
    plant, account = hunted(planted, project, culprit)
    assert account.ending is Ending.FOUND
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[culprit]
    assert [number for number in looked_at(plant, project) if number != 105] == stops
    assert project.number(account.good.commit) == stops[-1]


def test_before_the_first_release_it_goes_on_over_time(making: Making, planted: Planting) -> None:
    project = released(making)
    _, account = hunted(planted, project, 3)
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[3]
    assert project.number(account.good.commit) < 3


@pytest.mark.parametrize("culprit", [2, 10, 30, 59, 60])
def test_without_releases_over_time(making: Making, planted: Planting, culprit: int) -> None:
    project = making.repository("1..60")
    plant, account = hunted(planted, project, culprit)
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[culprit]
    back = [60 - number for number in looked_at(plant, project)]
    assert back == sorted(back)
    assert len(back) <= 9


def test_none_good_to_the_root_is_said(making: Making, planted: Planting) -> None:
    project = making.repository("1..20")
    plant, account = hunted(planted, project, 1)
    assert account.ending is Ending.ENDPOINTS
    assert "no good commit was found" in account.message
    assert looked_at(plant, project)[-1] == 1


def test_a_single_commit_has_nothing_before_it(making: Making, planted: Planting) -> None:
    project = making.repository("1")
    plant, account = hunted(planted, project, 1)
    assert account.ending is Ending.ENDPOINTS
    assert Purpose.SEARCH not in {purpose for purpose, _ in plant.performed}


def test_the_bad_end_that_passes_is_the_first_thing_said(making: Making, planted: Planting) -> None:
    project = making.repository("1..20")
    project.grow("20 21", lambda number: {})
    plant, account = hunted(planted, project, 21, bad="main~1")
    assert account.ending is Ending.ENDPOINTS
    assert "does not fail as said" in account.message
    assert len(plant.performed) == 1
