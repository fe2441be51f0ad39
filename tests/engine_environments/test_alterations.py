"""Fixups and overlays: what makes a stretch of history testable, and what they leave of it in the report."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from .conftest import FAILED, FOUND, SUSPECTS

if TYPE_CHECKING:
    from tests.conftest import Repository
    from tests.engine_environments.conftest import Land

CULPRIT = 6
PATCH = """\
--- a/proj/__init__.py
+++ b/proj/__init__.py
@@ -1,2 +1,2 @@
-import lost
+lost = None
 from proj.work import run
"""


def lost_for_a_while(land: Land) -> Repository:
    """From 4 to 9 the package imports what is not there; 10 mends it. The culprit lies inside."""
    works, fails = "def run(): pass\n", "def run(): raise KeyError('gone')\n"
    sound, broken = ("lost = None\n", "import lost\n")
    rest = "from proj.work import run\n"
    return land.project(
        "1..12",
        {
            1: {"proj/__init__.py": sound + rest, "proj/work.py": works},
            4: {"proj/__init__.py": broken + rest},
            CULPRIT: {"proj/work.py": fails},
            10: {"proj/__init__.py": sound + rest},
        },
    )


def stretch(project: Repository) -> str:
    return f"range: {project[3]}..{project[9]}"


def test_without_a_fixup_the_stretch_stays_dark(land: Land) -> None:
    project = lost_for_a_while(land)
    hunted = land.hunt(project, "verdict: {skip_if: ModuleNotFoundError}")
    assert hunted.status == SUSPECTS
    assert hunted.suspects == {4, 5, 6, 7, 8, 9, 10}


def test_a_patch_lights_it_up(land: Land) -> None:
    project = lost_for_a_while(land)
    hunted = land.hunt(project, f"fixups: [{{{stretch(project)}, patch: {json.dumps(PATCH)}}}]")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    _, shown, _ = land.say("report", hunted.report["hunt"], "--format", "md")
    assert "lost = None" in shown
    [notice] = hunted.report["notices"]
    assert (
        notice
        == f"fixups.0: a patch of proj/__init__.py was laid over the commits in {project[3]}..{project[9]}"
    )


@pytest.mark.parametrize("end", ["kill -9 $$", "echo 'fatal: No space left on device' >&2; exit 128"])
def test_a_git_that_could_not_do_it_has_said_nothing_of_the_commit(
    land: Land, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """Once: the same command goes on from there."""
    met, real = land.folder / "met", shutil.which("git")
    script = land.folder / "bin" / "git"
    script.parent.mkdir()
    script.write_text(
        f'#!/bin/sh\ncase " $* " in *" apply "*) [ -e {met} ] || {{ touch {met}; {end}; }};; esac\n'
        f'exec {real} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    project = lost_for_a_while(land)
    lines = (f"fixups: [{{{stretch(project)}, patch: {json.dumps(PATCH)}}}]",)
    hunted = land.hunt(project, *lines)
    assert met.exists()
    if hunted.status == FAILED:
        hunted = land.hunt(project, *lines)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert not [one for one in hunted.report["trials"] if "does not apply" in one["reason"]]


def test_a_later_commit_is_picked(land: Land) -> None:
    project = lost_for_a_while(land)
    hunted = land.hunt(project, f"fixups: [{{{stretch(project)}, cherry_pick: {project[10]}}}]")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert project[10] in hunted.report["recipe"]


def test_a_fixup_that_does_not_apply_skips_with_its_reason(land: Land) -> None:
    project = lost_for_a_while(land)
    hunted = land.hunt(
        project,
        f"fixups: [{{{stretch(project)}, patch: {json.dumps(PATCH.replace('import lost', 'import found'))}}}]",
    )
    assert hunted.status == SUSPECTS, hunted.words
    assert hunted.suspects == {4, 5, 6, 7, 8, 9, 10}
    reasons = {one["reason"] for one in hunted.report["trials"] if one["verdict"] == "skip"}
    assert reasons
    assert all("the patch does not apply" in reason for reason in reasons), reasons


def test_a_new_test_over_old_code(land: Land) -> None:
    """A directory is replaced whole: the old file, which would hide the failure, must be gone."""
    works, fails = "def run(): return 1\n", "def run(): return 2\n"
    test = "import proj\nassert proj.run() == 1, proj.run()\n"
    project = land.project(
        "1..10;20",
        {
            1: {"proj/__init__.py": works, "tests/old.py": "hides = True\n"},
            CULPRIT: {"proj/__init__.py": fails},
            20: {"tests/new.py": test},
        },
    )
    project.branch("main", 10)
    project.branch("new-tests", 20)
    repro = "repro: {run: 'test -e tests/old.py && exit 0; python tests/new.py', cwd: tree}"
    hunted = land.hunt(project, repro, f"overlay: [{{from: {project[20]}, paths: [tests]}}]", bad=10)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert f"from: {project[20]}" in hunted.report["recipe"]
    assert f"overlay: tests of the {project[20]} lay over every commit" in hunted.report["notices"]
