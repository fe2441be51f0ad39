"""A module that cannot be imported: the releases of the commit's date, what is said where they help nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..environments.conftest import make_wheel
from .conftest import ALIKE, FAILED, FOUND, Land

if TYPE_CHECKING:
    from tests.conftest import Repository

    from ..environments.registry import Registry

CULPRIT, LAST = 13, 16
SOURCE = "{imports}\ndef run():\n    assert {number} < 13, 'too much'\n"
VERSION_FILE = (
    "[build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n"
    "[tool.setuptools_scm]\nversion_file = 'proj/_version.py'\n"
)
DEP = "dependencies: {requirements: [dep], declared: false}"


def history(land: Land, imports: str, where: range) -> Repository:
    """Some commits import more than the others."""
    return land.project(
        f"1..{LAST}",
        {
            number: {
                "proj/__init__.py": SOURCE.format(imports=imports if number in where else "", number=number),
                **({"pyproject.toml": VERSION_FILE} if number == 1 else {}),
            }
            for number in range(1, LAST + 1)
        },
    )


def published(registry: Registry, *, old_has_it: bool) -> str:
    """Today's release lacks a name; the one of the commits' time has it, or neither does."""
    has = {"dep/__init__.py": "old = 1\n" if old_has_it else ""}
    old = make_wheel(registry.folder, "dep", "1", files=has).name
    new = make_wheel(registry.folder, "dep", "2", files={"dep/__init__.py": ""}).name
    registry.uploaded |= {old: "2000-01-01T00:00:00Z", new: "2025-01-01T00:00:00Z"}
    return old


def test_a_project_that_needs_its_build_is_said_to(land: Land) -> None:
    hunted = land.hunt(history(land, "from proj._version import version", range(1, LAST + 1)))
    assert hunted.status == ALIKE, hunted.words
    assert "its build writes a version file, `install: {mode: editable}` runs the build" in hunted.words


def test_so_are_commits_on_the_way(land: Land) -> None:
    hunted = land.hunt(history(land, "from proj._version import version", range(7, 10)))
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    [notice] = [line for line in hunted.report["notices"] if "could not be imported" in line]
    assert "`install: {mode: editable}` runs the build" in notice


def test_a_registry_that_is_down_for_the_next_rung_judges_nothing(land: Land, registry: Registry) -> None:
    registry.held.add(published(registry, old_has_it=True))
    project = history(land, "from dep import old", range(5, 12))
    down = land.hunt(project, DEP)
    assert down.status == FAILED, down.words
    assert "could not reach a package index" in down.words
    registry.held.clear()
    again = land.hunt(project, DEP)
    assert (again.status, again.culprit) == (FOUND, CULPRIT), again.words
    assert again.verdicts(8) == {"good: exit 0"}
    [notice] = [line for line in again.report["notices"] if "with other releases" in line]
    assert "releases of the commit's date: imported" in notice


def test_what_was_tried_in_vain_is_in_the_trial(land: Land, registry: Registry) -> None:
    published(registry, old_has_it=False)
    project = history(land, "from dep import old", range(5, 12))
    hunted = land.hunt(project, DEP)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert not [line for line in hunted.report["notices"] if "with other releases" in line]
    told = " ".join("".join(land.say("try", land.written(land.recipe(project, DEP)), project[8])[1:]).split())
    assert "tried as the recipe says: the module cannot be imported" in told
    assert "tried releases of the commit's date: ImportError: cannot import name 'old'" in told
