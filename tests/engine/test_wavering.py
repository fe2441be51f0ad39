"""Failures that come and go, through the whole engine: only the runs themselves are thrown with dice."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bisector.errors import EndpointFault, Interrupted
from bisector.model import Ending, Judgement, Purpose, Ran
from tests.engine.conftest import run_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from bisector.engine.workers import Job
    from bisector.model import Trial
    from tests.conftest import Making, Repository
    from tests.engine.conftest import Planted, Planting

CULPRIT = 29
SURE = "verdict: {runs: {confidence: 0.95}}\n"


@pytest.fixture
def project(making: Making) -> Repository:
    return making.repository("1..60")


def recipe(project: Repository, more: str = "") -> str:
    return f"repo: {project.path}\ngood: main~59\nbad: main\nrepro: x\n{more}"


def dicing(
    planted: Planted, project: Repository, rates: tuple[float, float], seed: int, culprit: int = CULPRIT
) -> Callable[[int, Job], Trial]:
    """Each run of a commit fails with the rate of its side, before and since the culprit."""
    dice = random.Random(seed)

    def perform(worker: int, job: Job) -> Trial:
        trial = planted.perform(worker, job)
        since = project.has(culprit, project.number(job.request.commit))
        if job.purpose is Purpose.REVERT:
            since = False
        rate = rates[since]
        runs = [
            run_of(Judgement.NEW if dice.random() < rate else Judgement.OLD) for _ in range(job.request.runs)
        ]
        return replace(trial, outcome=Ran(tuple(runs)))

    return perform


@pytest.mark.parametrize("rates", [(0.0, 0.6), (0.0, 0.9), (0.1, 0.9)], ids=str)
def test_a_flaky_failure_is_named_with_a_confidence(
    planted: Planting, project: Repository, rates: tuple[float, float]
) -> None:
    plant = planted(project.path, lambda sha: Judgement.OLD)
    plant.performing = dicing(plant, project, rates, seed=3)
    result = plant.hunt(plant.row(recipe(project, SURE)))
    account = result.account
    assert result.fault is None
    assert account.ending is Ending.FOUND
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[CULPRIT]
    assert account.confirmation is not None
    assert account.confirmation.confidence is not None
    assert 0.95 <= account.confirmation.confidence < 1
    assert "% sure" in account.message


def test_a_hunt_that_began_sure_goes_on_by_probability_when_its_end_wavers(
    planted: Planting, project: Repository
) -> None:
    plant = planted(project.path, lambda sha: Judgement.OLD)
    perform = dicing(plant, project, (0.0, 0.5), seed=2)

    def one_of_each(worker: int, job: Job) -> Trial:
        trial = perform(worker, job)
        if job.purpose is Purpose.END and job.request.runs == 2:
            return replace(trial, outcome=Ran((run_of(Judgement.NEW), run_of(Judgement.OLD))))
        return trial

    plant.performing = one_of_each
    account = plant.hunt(plant.row(recipe(project))).account
    assert any("fails 1 of 2 times" in notice for notice in account.notices), account.notices
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[CULPRIT]


def test_a_confirmation_that_fails_turns_into_a_search_by_probability(
    planted: Planting, project: Repository
) -> None:
    plant = planted(project.path, lambda sha: Judgement.OLD)
    perform = dicing(plant, project, (0.0, 1.0), seed=1)
    lied: list[str] = []

    def once_lucky(worker: int, job: Job) -> Trial:
        trial = perform(worker, job)
        since = project.has(CULPRIT, project.number(job.request.commit))
        if job.purpose is Purpose.SEARCH and since and not lied:
            lied.append(job.request.commit)
            return replace(trial, outcome=Ran((run_of(Judgement.OLD),)))
        return trial

    plant.performing = once_lucky
    account = plant.hunt(plant.row(recipe(project))).account
    assert lied
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[CULPRIT]
    assert account.confirmation is not None
    assert account.confirmation.confidence is not None


def test_ends_that_fail_equally_often_name_nobody(planted: Planting, project: Repository) -> None:
    plant = planted(project.path, lambda sha: Judgement.OLD)
    plant.performing = dicing(plant, project, (0.5, 0.5), seed=5)
    result = plant.hunt(plant.row(recipe(project, SURE)))
    assert isinstance(result.fault, EndpointFault)
    assert result.account.ending is Ending.ENDPOINTS
    assert result.account.culprit is None
    assert "as often on both sides" in result.account.message


def test_an_interrupted_search_goes_on_from_all_it_has_seen(planted: Planting, project: Repository) -> None:
    plant = planted(project.path, lambda sha: Judgement.OLD)
    perform = dicing(plant, project, (0.0, 0.6), seed=8)

    def interrupted(worker: int, job: Job) -> Trial:
        if len(plant.performed) == 8:
            plant.stop.set()
        return perform(worker, job)

    plant.performing = interrupted
    row = plant.row(recipe(project, SURE))
    assert isinstance(plant.hunt(row).fault, Interrupted)
    before = len(plant.store.trials(row.id))
    plant.resume()
    plant.performing = perform
    again = plant.store.hunt(row.id)
    assert again is not None
    account = plant.hunt(again).account
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[CULPRIT]
    assert len(account.trials) == len(plant.store.trials(row.id)) > before


def test_what_is_run_next_is_told_to_git_and_replays(planted: Planting, project: Repository) -> None:
    plant = planted(project.path, lambda sha: Judgement.OLD)
    plant.performing = dicing(plant, project, (0.0, 0.6), seed=3)
    account = plant.hunt(plant.row(recipe(project, SURE))).account
    log = project.path.parent / "log"
    log.write_text(account.bisect_log)
    project.git("bisect", "replay", str(log))
    assert project.git("rev-parse", "refs/bisect/bad").strip() == project[CULPRIT]
