"""Hunts that are stopped, in repositories that move: the ends stay, nothing is tried twice, nothing is lost."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING

import pytest

from bisector.hunt import Phase
from bisector.model import Account, Ending, Judgement, Purpose

if TYPE_CHECKING:
    from bisector.engine.workers import Job
    from bisector.model import Trial
    from bisector.store import HuntRow
    from tests.conftest import Making, Repository
    from tests.engine.conftest import Plant, Planted, Planting

CULPRIT = 23


@pytest.fixture
def project(making: Making) -> Repository:
    return making.repository("1..40")


def knowing(project: Repository, culprit: int = CULPRIT) -> Plant:
    return lambda sha: Judgement.NEW if project.has(culprit, project.number(sha)) else Judgement.OLD


def recipe(project: Repository, good: str = "main~39", bad: str = "main") -> str:
    return f"repo: {project.path}\ngood: {good}\nbad: {bad}\nrepro: x\n"


def stop_after(plant: Planted, trials: int) -> None:
    """As Ctrl-C would, when so many trials are through."""
    plant.stop = threading.Event()
    before, stop = len(plant.performed), plant.stop
    perform = plant.perform

    def performing(worker: int, job: Job) -> Trial:
        trial = perform(worker, job)
        if len(plant.performed) - before >= trials:
            stop.set()
        return trial

    plant.performing = performing


def on_record(plant: Planted, row: HuntRow) -> HuntRow:
    found = plant.store.hunt(row.id)
    assert found is not None
    return found


def ends_of(account: Account) -> tuple[str, str]:
    return account.good.commit, account.bad.commit


@pytest.mark.parametrize("trials", [1, 3, 5])
def test_an_interrupted_hunt_says_what_is_still_in_question(
    project: Repository, planted: Planting, trials: int
) -> None:
    plant = planted(project.path, knowing(project))
    stop_after(plant, trials)
    stopped = plant.hunt(plant.row(recipe(project))).account
    left = next((one.left for one in reversed(stopped.trials) if one.left is not None), stopped.commits)
    assert stopped.message == f"interrupted with {left} commits in question"


@pytest.mark.parametrize("trials", range(1, 9))
def test_stopped_anywhere_it_goes_on_to_the_same_end(
    project: Repository, planted: Planting, trials: int
) -> None:
    plant = planted(project.path, knowing(project))
    row = plant.row(recipe(project))
    stop_after(plant, trials)
    stopped = plant.hunt(row).account
    assert stopped.ending is Ending.INTERRUPTED
    project.grow("40 41", lambda number: {})
    plant.mirror.fetch(lambda text: None)
    plant.resume()
    account = plant.hunt(on_record(plant, row)).account
    assert account.ending is Ending.FOUND
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[CULPRIT]
    assert ends_of(account) == (project[1], project[40])
    searched = [sha for purpose, sha in plant.performed if purpose is Purpose.SEARCH]
    # The trial that was under way when it was stopped is the only one that may be made again.
    assert len(searched) <= len(set(searched)) + 1
    assert on_record(plant, row).phase is Phase.DONE


@pytest.mark.parametrize("wrong", [1, 40])
def test_an_end_that_could_not_be_tested_is_tried_again(
    project: Repository, planted: Planting, wrong: int
) -> None:
    know = knowing(project)
    plant = planted(project.path, lambda sha: Judgement.SKIP if sha == project[wrong] else know(sha))
    row = plant.row(recipe(project))
    assert plant.hunt(row).account.ending is Ending.FAILED
    assert plant.hunt(on_record(plant, row)).account.ending is Ending.FAILED
    plant.plant = know
    account = plant.hunt(on_record(plant, row)).account
    assert account.ending is Ending.FOUND
    tried = [sha for purpose, sha in plant.performed if purpose is Purpose.END]
    assert [tried.count(project[number]) for number in (wrong, 41 - wrong)] == [3, 1]


def test_what_the_recipe_wants_to_be_stopped_by_is_tried_again(
    project: Repository, planted: Planting
) -> None:
    know = knowing(project)
    plant = planted(project.path, lambda sha: Judgement.SKIP if sha == project[20] else know(sha))
    row = plant.row(f"{recipe(project)}verdict: {{on_install_failure: abort}}\n")
    assert plant.hunt(row).account.ending is Ending.FAILED
    plant.plant = know
    assert plant.hunt(on_record(plant, row)).account.ending is Ending.FOUND


def test_a_branch_that_moves_while_the_hunt_runs_moves_nothing(
    project: Repository, planted: Planting
) -> None:
    plant = planted(project.path, knowing(project))
    perform = plant.perform

    def performing(worker: int, job: Job) -> Trial:
        if job.purpose is Purpose.SEARCH and 100 not in project.shas:
            project.grow("1 100 101", lambda number: {})
            plant.mirror.fetch(lambda text: None)
        return perform(worker, job)

    plant.performing = performing
    account = plant.hunt(plant.row(recipe(project))).account
    assert project.git("rev-parse", "main") == project[101]
    assert ends_of(account) == (project[1], project[40])
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[CULPRIT]


def test_commits_that_the_source_gave_up_and_threw_away_are_still_there_for_the_hunt(
    project: Repository, planted: Planting
) -> None:
    plant = planted(project.path, knowing(project))
    row = plant.row(recipe(project))
    stop_after(plant, 3)
    assert plant.hunt(row).account.ending is Ending.INTERRUPTED
    project.branch("main", 5)
    project.git("-c", "gc.reflogExpire=now", "gc", "--quiet", "--prune=now")
    plant.mirror.fetch(lambda text: None)
    plant.mirror.git.text("gc", "--quiet", "--prune=now")
    plant.resume()
    account = plant.hunt(on_record(plant, row)).account
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[CULPRIT]


def test_another_hunt_over_the_moved_branch_has_the_new_end(project: Repository, planted: Planting) -> None:
    plant = planted(project.path, knowing(project))
    first = plant.hunt(plant.row(recipe(project))).account
    project.grow("40 41", lambda number: {})
    plant.mirror.fetch(lambda text: None)
    second = plant.hunt(plant.row(recipe(project, good="main~40")), fresh=True).account
    assert ends_of(first) == (project[1], project[40])
    assert ends_of(second) == (project[1], project[41])


def test_trials_of_another_hunt_are_not_made_again(project: Repository, planted: Planting) -> None:
    plant = planted(project.path, knowing(project))
    plant.hunt(plant.row(recipe(project)))
    plant.performed.clear()
    account = plant.hunt(plant.row(recipe(project))).account
    assert account.ending is Ending.FOUND
    assert {purpose for purpose, _ in plant.performed} <= {Purpose.CONFIRM, Purpose.REVERT}
    plant.performed.clear()
    plant.hunt(plant.row(recipe(project)), fresh=True)
    assert {Purpose.END, Purpose.SEARCH} <= {purpose for purpose, _ in plant.performed}


def test_a_culprit_that_does_not_fail_again_is_not_confirmed(project: Repository, planted: Planting) -> None:
    plant = planted(project.path, knowing(project))
    perform = plant.perform

    def performing(worker: int, job: Job) -> Trial:
        if job.purpose is Purpose.CONFIRM:
            plant.plant = lambda sha: Judgement.OLD
        return perform(worker, job)

    plant.performing = performing
    account = plant.hunt(plant.row(recipe(project))).account
    assert account.ending is Ending.UNCONFIRMED
    assert "the failure has stopped" in account.message


def test_a_parent_that_cannot_be_tested_is_vouched_for_by_what_contains_it(
    making: Making, planted: Planting
) -> None:
    project = making.repository("1..9; 2 10..12; 9+11 13 14")
    untestable = project[11]

    def know(sha: str) -> Judgement:
        return Judgement.SKIP if sha == untestable else knowing(project, 13)(sha)

    project.branch("main", 14)
    plant = planted(project.path, know)
    account = plant.hunt(plant.row(recipe(project, good=project[9]))).account
    assert account.ending is Ending.SUSPECTS
    account = plant.hunt(plant.row(recipe(project, good=project[12]))).account
    assert account.ending is Ending.FOUND
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[13]
    assert f"{project[12][:12]}, which contains it, works" in account.message


@pytest.mark.parametrize("culprit", range(5, 40, 7))
def test_a_bet_that_is_won_is_not_made_again(project: Repository, planted: Planting, culprit: int) -> None:
    """Whether it is through, is being put on record or runs on while its answer is asked for."""
    plant = planted(project.path, knowing(project, culprit))
    dice, perform = random.Random(culprit), plant.perform

    def performing(worker: int, job: Job) -> Trial:
        job.cancelled.wait(dice.uniform(0, 0.02))
        return perform(worker, job)

    plant.performing = performing
    plant.hunt(plant.row(recipe(project)), jobs=3)
    searched = [sha for purpose, sha in plant.performed if purpose is Purpose.SEARCH]
    assert len(searched) == len(set(searched))


def test_a_bet_called_off_while_it_is_put_on_record(
    project: Repository, planted: Planting, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant = planted(project.path, knowing(project))
    add, begun, go = plant.store.add_trial, threading.Event(), threading.Event()

    def adding(hunt: str, trial: Trial) -> None:
        begun.set()
        assert go.wait(60)
        add(hunt, trial)

    monkeypatch.setattr(plant.store, "add_trial", adding)
    row = plant.row(recipe(project))
    with plant.hunter(row, jobs=2) as hunter:
        hunter.speculate([project[20]], "search")
        assert begun.wait(60)
        hunter.speculate([], "search")
        threading.Timer(0.2, go.set).start()
        hunter.trial(project[20], Purpose.SEARCH, "search")
    assert [trial.commit for trial in plant.store.trials(row.id)] == [project[20]]


def test_what_comes_of_a_bet_that_was_called_off_is_not_on_record(
    project: Repository, planted: Planting
) -> None:
    plant = planted(project.path, knowing(project))

    def performing(worker: int, job: Job) -> Trial:
        assert job.cancelled.wait(60)
        return plant.perform(worker, job)

    plant.performing = performing
    row = plant.row(recipe(project))
    with plant.hunter(row, jobs=2) as hunter:
        hunter.speculate([project[20]], "search")
        hunter.speculate([], "search")
    assert not list(plant.store.trials(row.id))


@pytest.mark.parametrize("jobs", [2, 3])
def test_several_workers_end_at_the_same_commit(project: Repository, planted: Planting, jobs: int) -> None:
    plant = planted(project.path, knowing(project))
    account = plant.hunt(plant.row(recipe(project)), jobs=jobs).account
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[CULPRIT]
