"""Whole hunts with a large package, most of which is compiled while the first commits run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.environments.bytecode import MANY

from ..environments.conftest import make_wheel
from .conftest import FOUND, Land

if TYPE_CHECKING:
    from tests.conftest import Repository

CULPRIT = 6
INSTALL = "install: {mode: pythonpath, module: proj}"
DEPENDENCIES = "dependencies: {requirements: [dep], declared: false}"
REPRO = 'repro: {python: "import time, proj; time.sleep(0.3); proj.run()"}'
LOOK = "import pathlib, dep; print('took 1'); print('there', len([*pathlib.Path(dep.__path__[0]).rglob('m*.pyc')])); "
IDLE = len(os.sched_getaffinity(0)) > 1


def project(land: Land) -> Repository:
    """It imports what nothing of the package does by itself."""
    modules = {f"dep/rest/m{number}.py": f"value = {number}\n" for number in range(MANY + 1)}
    make_wheel(land.wheels, "dep", "1", files={"dep/__init__.py": "", **modules})
    head = "from dep.rest.m7 import value\n"
    return land.project(
        "1..12",
        {
            1: {"proj/__init__.py": f"{head}def run(): assert value == 7\n"},
            CULPRIT: {"proj/__init__.py": f"{head}def run(): assert value == 8, 'too much'\n"},
        },
    )


def layer(land: Land) -> Path:
    (found,) = {
        path.parents[4]
        for path in land.state.glob("environments/layers/*/lib/python*/site-packages/dep/rest")
    }
    return found


def compiled(land: Land) -> int:
    return len([*layer(land).rglob("m*.pyc")])


def test_the_answer_is_the_same_and_the_next_hunt_finds_the_layer_whole(land: Land) -> None:
    made = project(land)
    hunted = land.hunt(made, INSTALL, DEPENDENCIES, REPRO)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    first = layer(land).stat().st_ino
    again = land.hunt(made, INSTALL, DEPENDENCIES, REPRO.replace("0.3", "0.31"))
    assert (again.status, again.culprit) == (FOUND, CULPRIT), again.words
    assert layer(land).stat().st_ino == first
    assert compiled(land) == MANY + 1
    assert not [*land.state.glob("environments/aside/*")]


@pytest.mark.parametrize(
    "says",
    ["limits: {timeout: 10s}", "verdict: {metric: {pattern: 'took ([0-9]+)'}}"],
    ids=["a run that has little time", "a run that is measured"],
)
def test_no_run_may_be_slower_than_the_next(land: Land, says: str) -> None:
    """The first trial's log tells how much was there when it ran."""
    made = project(land)
    repro = f'repro: {{python: "{LOOK}import proj; proj.run()"}}'
    hunted = land.hunt(made, INSTALL, DEPENDENCIES, repro, says)
    logs = [*land.state.glob("hunts/*/logs/0001-*")]
    assert logs, hunted.words
    assert f"there {MANY + 1}" in logs[0].read_text()


def test_what_was_put_off_is_there_in_the_end(land: Land) -> None:
    """And at the first trial's run it was not, where there is a processor for it."""
    made = project(land)
    repro = f'repro: {{python: "{LOOK}import time, proj; time.sleep(0.3); proj.run()"}}'
    hunted = land.hunt(made, INSTALL, DEPENDENCIES, repro)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    logs = sorted(land.state.glob("hunts/*/logs/*.log"))
    assert f"there {0 if IDLE else MANY + 1}" in logs[0].read_text()
    assert f"there {MANY + 1}" in logs[-1].read_text()
