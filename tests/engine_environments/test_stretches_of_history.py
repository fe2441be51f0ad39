"""Halves of a history that need other packages, another Python, or the releases of their own date."""

from __future__ import annotations

import os
import re
import zipfile
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from bisector.environments.interpreters import Interpreter, Interpreters

from ..environments.conftest import make_wheel
from .conftest import ALIKE, FOUND

if TYPE_CHECKING:
    from tests.conftest import Repository
    from tests.engine_environments.conftest import Hunted, Land
    from tests.environments.registry import Registry

FIRST_DAY = 1_600_000_000
DAY = 86_400
CULPRIT = 8


def halves(land: Land, first: str, second: str) -> Repository:
    """`first` holds from commit 1 to 5, `second` from 6 on; commit 8 breaks what both do."""
    return land.project(
        "1..12",
        {
            1: {"proj/__init__.py": first + "from proj.work import run\n", "proj/work.py": "run = int\n"},
            6: {"proj/__init__.py": second + "from proj.work import run\n"},
            CULPRIT: {"proj/work.py": "def run(): raise KeyError('gone')\n"},
        },
    )


def two_releases(land: Land) -> tuple[Repository, tuple[str, ...]]:
    """A project whose halves need different releases, and the lines of its recipe."""
    land.publish("dep", "1.0", "def old(): pass")
    land.publish("dep", "2.0", "def new(): pass")
    project = halves(land, "from dep import old\n", "from dep import new\n")
    pins = f"pins: [{{before: {project[6]}, requirements: ['dep<2']}}, "
    return project, (f"{pins}{{since: {project[6]}, requirements: ['dep>=2']}}]",)


def test_halves_that_need_different_releases(land: Land) -> None:
    project, lines = two_releases(land)
    hunted = land.hunt(project, *lines)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert versions(land, hunted) == ["dep==1.0", "dep==2.0"]


def versions(land: Land, hunted: Hunted) -> list[str]:
    """What the hunt locks in the recipe that it gives back."""
    _, locked, _ = land.say("report", hunted.report["hunt"], "--format", "recipe")
    return sorted(set(re.findall(r"dep==[0-9.]+", locked)))


def test_neither_release_serves_the_whole_history(land: Land) -> None:
    project, _ = two_releases(land)
    for requirement in ("dep<2", "dep>=2"):
        hunted = land.hunt(project, f"dependencies: {{requirements: ['{requirement}']}}")
        assert hunted.status != FOUND or hunted.culprit != CULPRIT


def test_check_prints_both_stretches(land: Land) -> None:
    project, lines = two_releases(land)
    status, out, words = land.say("check", land.written(land.recipe(project, *lines)))
    assert status == 0, words
    first, second = (line for line in out.splitlines() if re.search("dep[<>]", line))
    assert "dep<2" in first
    assert "dep>=2" in second


def test_the_locked_recipe_hunts_again_to_the_same_answer_offline(land: Land, registry: Registry) -> None:
    for version, body in (("1.0", "def old(): pass"), ("2.0", "def new(): pass")):
        source = {"dep/__init__.py": body}
        make_wheel(registry.folder, "dep", version, files=source)
    project, lines = two_releases(land)
    first = land.hunt(project, *lines)
    assert first.culprit == CULPRIT, first.words
    make_wheel(registry.folder, "dep", "1.9")
    _, locked, _ = land.say("report", first.report["hunt"], "--format", "recipe")
    registry.broken = 10**9
    again = land.run(
        project, "# nothing of the first hunt's trials\n" + locked.replace("proj.run()", "proj.run( )")
    )
    assert (again.status, again.culprit) == (FOUND, CULPRIT), again.words
    assert again.report["counts"]["reused"] == 0
    for end in ("good", "bad"):
        assert again.report["environment"][end] == first.report["environment"][end]


def test_a_package_that_only_old_commits_had_is_locked_for_them(land: Land) -> None:
    land.publish("dep", "1.0")
    land.publish("other", "1.0")
    project = halves(land, "import dep, other\n", "import dep\n")
    pins = f"pins: [{{before: {project[6]}, requirements: [other]}}]"
    first = land.hunt(project, "dependencies: {requirements: [dep]}", pins)
    assert (first.status, first.culprit) == (FOUND, CULPRIT), first.words
    _, locked, _ = land.say("report", first.report["hunt"], "--format", "recipe")
    again = land.run(project, "# once more\n" + locked.replace("proj.run()", "proj.run( )"))
    assert (again.status, again.culprit) == (FOUND, CULPRIT), again.words
    assert again.report["environment"] == first.report["environment"]
    assert again.report["environment"]["bad"] == ["dep==1.0"]
    assert "other==1.0" in locked


def two_pythons() -> tuple[Interpreter, Interpreter]:
    """Two of this machine's that differ, the older one first."""
    served = [one for one in Interpreters(os.environ).list_all() if one.minor >= (3, 8)]
    assert served[0].version != served[-1].version, "this test needs a machine with two Pythons"
    return served[-1], served[0]


def test_a_first_half_that_needs_another_python(land: Land) -> None:
    older, newer = two_pythons()
    only = "import sys\nif sys.version_info[:3] != {}: raise ImportError('another Python')\n"
    project = halves(land, only.format(_numbers(older)), only.format(_numbers(newer)))
    hunted = land.hunt(
        project,
        f"python: {newer.path}",
        f"pins: [{{before: {project[6]}, python: {older.path}}}]",
    )
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def _numbers(one: Interpreter) -> tuple[int, ...]:
    return tuple(int(part) for part in one.version.split("."))


def upload(registry: Registry, wheel: Path, day: float) -> None:
    moment = datetime.fromtimestamp(FIRST_DAY + day * DAY, timezone.utc)
    registry.uploaded[wheel.name] = moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def dated(land: Land, registry: Registry) -> Repository:
    """A project whose halves use what only the release of their time has."""
    for version, day in (("1.0", 0), ("2.0", 5.5)):
        files = {"dep/__init__.py": f"def since_{version[0]}(): pass\n"}
        upload(registry, make_wheel(registry.folder, "dep", version, files=files), day)
    return halves(land, "from dep import since_1\n", "from dep import since_2\n")


def test_only_the_releases_of_a_commits_date_work(land: Land, registry: Registry) -> None:
    project = dated(land, registry)
    upload(registry, make_wheel(registry.folder, "dep", "3.0"), 400)
    hunted = land.hunt(project, "dependencies: {requirements: [dep], as_of: commit}")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert versions(land, hunted) == ["dep==1.0", "dep==2.0"]


def test_ends_that_no_release_of_today_lets_import_are_told_of_those_of_their_time(
    land: Land, registry: Registry
) -> None:
    old = {"dep/__init__.py": "def old(): pass\n"}
    upload(registry, make_wheel(registry.folder, "dep", "1.0", files=old), 0)
    upload(registry, make_wheel(registry.folder, "dep", "2.0"), 400)
    project = halves(land, "from dep import old\n", "from dep import old\n")
    today = land.hunt(project, "dependencies: {requirements: [dep]}")
    assert today.status == ALIKE
    assert "`dependencies: {as_of: commit}` takes those of each commit's own date" in today.words
    then = land.hunt(project, "dependencies: {requirements: [dep], as_of: commit}")
    assert (then.status, then.culprit) == (FOUND, CULPRIT), then.words


def test_the_ladder_finds_the_releases_of_a_commits_date_by_itself(land: Land, registry: Registry) -> None:
    """Today's release cannot be unpacked any more, and the recipe says nothing of dates."""
    project = dated(land, registry)
    broken = registry.folder / "dep-3.0-py3-none-any.whl"
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("dep-3.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: dep\nVersion: 3.0\n")
    upload(registry, broken, 400)
    hunted = land.hunt(project, "dependencies: {requirements: [dep]}")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert versions(land, hunted) == ["dep==1.0", "dep==2.0"]
    [notice] = hunted.report["notices"]
    assert "ran with other releases, the first of them" in notice
    assert "releases of the commit's date: installed" in notice
