"""What is missing is said before the hunt, or stops it so that it can go on; nothing is judged by it."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from bisector.cli.commands import hunting
from bisector.environments import Environments
from bisector.errors import MachineFault

from ..environments.conftest import make_wheel
from .conftest import FAILED, FOUND, USAGE

if TYPE_CHECKING:
    from tests.conftest import Repository
    from tests.engine_environments.conftest import Hunted, Land
    from tests.environments.registry import Registry

CULPRIT = 6
DEP = "dependencies: {requirements: [dep]}"
ALONE = "dependencies: {requirements: [dep], declared: false}"
PATIENCE = 20.0
DOWN = 10**9
"""Answers that are errors."""


def simple(land: Land) -> Repository:
    return land.project(
        "1..10",
        {
            1: {"proj/__init__.py": "import dep\ndef run(): pass\n"},
            CULPRIT: {"proj/__init__.py": "import dep\ndef run(): raise KeyError('gone')\n"},
        },
    )


def test_a_python_that_is_not_here_is_said_before_the_hunt(land: Land) -> None:
    project = simple(land)
    pins = f"pins: [{{before: {project[3]}, python: '3.99'}}]"
    hunted = land.hunt(project, pins)
    assert hunted.status == USAGE
    assert "Python 3.99 is not on this machine" in hunted.words
    assert "uv python install 3.99" in hunted.words
    assert not (land.state / "hunts").exists()


def test_a_registry_that_is_down_stops_the_hunt_and_it_goes_on_later(land: Land, registry: Registry) -> None:
    make_wheel(registry.folder, "dep", "1.0")
    registry.broken = DOWN
    project = simple(land)
    first = land.hunt(project, DEP)
    assert first.status == FAILED, first.words
    assert "could not reach a package index" in first.words
    assert {one["verdict"] for one in first.report["trials"]} == {"error"}
    registry.broken = 0
    again = land.hunt(project, DEP)
    assert (again.status, again.culprit) == (FOUND, CULPRIT), again.words
    assert again.report["hunt"] == first.report["hunt"]


def test_the_registry_is_asked_while_the_repository_is_fetched(
    land: Land, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For what the recipe alone decides; then once more, to install it."""
    make_wheel(registry.folder, "dep", "1.0")
    get_ready = hunting._get_ready
    before: list[str] = []

    def get_ready_later(*words: Any, **named: Any) -> None:
        until = time.monotonic() + PATIENCE
        while not registry.asked and time.monotonic() < until:
            time.sleep(0.01)
        before.extend(registry.asked)
        get_ready(*words, **named)

    monkeypatch.setattr(hunting, "_get_ready", get_ready_later)
    hunted = land.hunt(simple(land), ALONE)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert before[0] == "/simple/dep/"
    assert registry.asked.count("/simple/dep/") == 2


@pytest.mark.parametrize(
    "fault", [MachineFault("cannot start uv"), OSError(28, "full"), ValueError("a defect")]
)
def test_what_is_met_ahead_ends_no_hunt(
    land: Land, registry: Registry, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    make_wheel(registry.folder, "dep", "1.0")

    def begin(*_: object) -> None:
        raise fault

    monkeypatch.setattr(Environments, "begin", begin)
    hunted = land.hunt(simple(land), ALONE)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def test_a_registry_that_is_silent_keeps_no_typo_waiting(land: Land, registry: Registry) -> None:
    registry.awake.clear()
    hunted = land.run(project := simple(land), land.recipe(project, ALONE).replace(project[1], "no-such-tag"))
    assert hunted.status == USAGE
    assert "no-such-tag" in hunted.words
    assert not registry.awake.is_set()
    assert not [*land.state.glob("environments/aside/*")]


def test_a_package_that_is_none_names_the_key_to_change(land: Land) -> None:
    hunted = land.hunt(simple(land), "dependencies: {requirements: [no-such-package]}")
    assert hunted.status == FAILED, hunted.words
    assert "`dependencies.requirements`" in hunted.words
    assert "doctor" not in hunted.words


def test_with_everything_in_the_caches_another_hunt_needs_no_registry(land: Land, registry: Registry) -> None:
    """Another repro, and a requirement that was never resolved before."""
    make_wheel(registry.folder, "dep", "1.0")
    project = simple(land)
    assert land.hunt(project, DEP).culprit == CULPRIT
    registry.broken = DOWN
    offline = land.hunt(
        project,
        "dependencies: {requirements: ['dep>=1']}",
        "repro: python -c 'import proj; proj.run(); print(1)'",
    )
    assert (offline.status, offline.culprit) == (FOUND, CULPRIT), offline.words


def test_a_registry_that_is_down_is_waited_for_once_in_words(land: Land, registry: Registry) -> None:
    """Two sets of requirements, each of which the caches have; the second is asked for, and not waited for."""
    for version in ("1.0", "2.0"):
        make_wheel(registry.folder, "dep", version)
    project = simple(land)

    def hunted(least: str) -> Hunted:
        pins = f"pins: [{{before: {project[4]}, requirements: ['dep<2,>={least}']}}]"
        return land.hunt(project, f"dependencies: {{requirements: ['dep>={least}']}}", pins)

    assert hunted("1.0").culprit == CULPRIT
    registry.broken = DOWN
    registry.asked.clear()
    offline = hunted("0.5")
    assert (offline.status, offline.culprit) == (FOUND, CULPRIT), offline.words
    assert offline.words.count("uv gets no answer from a package index, asking again") == 2
    assert offline.words.count("uv goes on with what it has in its cache") == 1
    assert registry.asked.count("/simple/dep/") % 3 == 1, "three times alike, then once"


def test_what_environments_may_take_is_for_the_user_to_say(
    land: Land, monkeypatch: pytest.MonkeyPatch
) -> None:
    land.publish("dep", "1.0")
    land.publish("other", "1.0")
    project = simple(land)

    def layers() -> set[str]:
        return {path.name for path in (land.state / "environments" / "layers").glob("packages-*")}

    assert land.hunt(project, DEP).culprit == CULPRIT
    first = layers()
    hunted = land.hunt(project, "dependencies: {requirements: [dep, other]}")
    assert hunted.culprit == CULPRIT, hunted.words
    assert layers() > first, "there is room for either"
    monkeypatch.setenv("BISECTOR_CACHE", "1KiB")
    land.publish("third", "1.0")
    hunted = land.hunt(project, "dependencies: {requirements: [dep, third]}")
    assert hunted.culprit == CULPRIT, hunted.words
    assert layers() == set(), "not even what the hunt itself had made"
    assert "of at most 1.0 KiB" in land.say("status")[2]
    monkeypatch.setenv("BISECTOR_CACHE", "3145728")
    assert "of at most 3.0 MiB" in land.say("status")[2]


@pytest.mark.parametrize("sandbox", ["--sandbox", "--no-sandbox"])
def test_a_state_directory_in_shared_memory(land: Land, sandbox: str) -> None:
    """Of which each run has one of its own."""
    land.publish("dep", "1.0")
    lines = (
        "install: {mode: pythonpath, module: proj, build: ['git log -1 --format=%H >at']}",
        "dependencies: {requirements: [dep]}",
        'repro: {python: "import dep, proj; proj.run()"}',
    )
    project = simple(land)
    recipe = land.written(land.recipe(project, *lines))
    with TemporaryDirectory(dir="/dev/shm") as folder:
        status, out, words = replace(land, folder=Path(folder)).say("run", recipe, "--json", sandbox)
    assert status == FOUND, words
    assert json.loads(out)["culprit"]["commit"] == project[CULPRIT]
