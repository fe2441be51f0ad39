"""Bytecode that is laid into the tree before a run: where it is, what it must never do."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from .conftest import FOUND

if TYPE_CHECKING:
    from tests.conftest import Repository
    from tests.engine_environments.conftest import Hunted, Land

MODULES = 12
CULPRIT = 6
PACKAGE = "".join(f"from proj import m{number}\n" for number in range(MODULES))
COUNTS = """\
repro:
  python: |
    import glob, os, sys
    laid = glob.glob(os.path.join({tree!r}, "**", "*.pyc"), recursive=True)
    print("laid", len(laid))
    import proj
    assert proj.m3.VALUE == 1, proj.m3.VALUE
"""


def history(land: Land, **culprit: str) -> Repository:
    """Ten commits, each of which changes one module that does not matter."""
    files = {f"proj/m{number}.py": f"VALUE = {1 if number == 3 else number}\n" for number in range(MODULES)}
    steps = {1: {"proj/__init__.py": PACKAGE, **files}}
    steps |= {number: {"proj/m0.py": f"VALUE = {number}\n"} for number in range(2, 11)}
    steps[CULPRIT] = {f"proj/{name}.py": text for name, text in culprit.items()} or {
        "proj/m3.py": "VALUE = 2\n"
    }
    return land.project("1..10", steps)


def hunt(land: Land, project: Repository, *lines: str) -> Hunted:
    (mirror,) = [*land.state.glob("mirrors/*")] or [land.state / "mirrors" / "none"]
    return land.hunt(project, COUNTS.format(tree=str(mirror / "slots" / "0" / "tree")), *lines)


def laid(land: Land) -> list[tuple[str, int]]:
    """Of each trial of the last hunt that ran, in order: why it was made, and how much bytecode it met."""
    folder = max(land.state.glob("hunts/*"), key=lambda path: path.stat().st_mtime_ns)
    found = []
    for log in sorted(folder.glob("logs/*.log")):
        counts = [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("laid ")]
        found += [(log.stem.rpartition("-")[2], count) for count in counts]
    return found


def mirrored(land: Land, project: Repository) -> None:
    """So that the repro can be told where the tree will lie."""
    assert land.say("check", land.written(land.recipe(project)))[0] == FOUND


def test_runs_find_bytecode_and_the_proof_makes_its_own(land: Land) -> None:
    project = history(land)
    mirrored(land, project)
    hunted = hunt(land, project)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    met = laid(land)
    ends = [count for purpose, count in met if purpose == "end"]
    assert ends[:2] == [0, MODULES + 1], "only of the very first run nothing was known"
    others = [*ends[2:], *(count for purpose, count in met if purpose == "search")]
    assert min(others) >= MODULES - 1, "but for the two modules that differ"
    assert {count for purpose, count in met if purpose == "confirm"} == {0}


def test_the_next_hunt_compiles_nothing_anew(land: Land) -> None:
    project = history(land)
    mirrored(land, project)
    hunt(land, project)
    kept = {path: path.stat().st_mtime_ns for path in land.state.rglob("environments/bytecode/*/*/*")}
    assert kept
    again = hunt(land, project, "name: again", "verdict: {skip_if: never}")
    assert (again.status, again.culprit) == (FOUND, CULPRIT)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


def test_what_a_crash_cut_short_is_not_laid_out(land: Land) -> None:
    project = history(land)
    mirrored(land, project)
    hunt(land, project)
    for path in land.state.rglob("environments/bytecode/*/*/*"):
        path.write_bytes(path.read_bytes()[:-7])
    again = land.hunt(project, "name: again", "repro: {python: 'import proj; assert proj.m3.VALUE == 1'}")
    assert (again.status, again.culprit) == (FOUND, CULPRIT), again.words
    assert not [one for one in again.report["trials"] if "EOFError" in one["reason"]]


def test_a_source_that_is_written_anew_before_the_run_counts(land: Land) -> None:
    """The module that decides is made by a build step: what was compiled for the commit's own does not fit it."""
    project = history(land, m1="VALUE = 100\n")
    step = "install: {mode: pythonpath, module: proj, build: ['cp proj/m1.py proj/m3.py']}"
    hunted = land.hunt(
        project, step, "repro: {python: 'import proj; assert proj.m3.VALUE == 1, proj.m3.VALUE'}"
    )
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def test_a_warning_of_the_compiler_is_not_swallowed(land: Land) -> None:
    """Bytecode does not warn: where warnings are errors, that would hide the regression."""
    project = history(land, m3="VALUE = 1\nPATTERN = '\\d'\n")
    lines = ("repro: {python: 'import proj', env: {PYTHONWARNINGS: error}}", "verdict: {runs: 2}")
    hunted = land.hunt(project, *lines)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert {one["verdict"] for one in hunted.report["trials"]} == {"good", "bad"}


def test_a_link_that_a_build_left_is_not_followed(land: Land) -> None:
    project = history(land)
    outside = land.folder / "outside"
    outside.mkdir()
    step = f"rm -rf proj/__pycache__ && ln -s {outside} proj/__pycache__"
    install = f"install: {{mode: pythonpath, module: proj, build: ['{step}']}}"
    hunted = land.hunt(project, install, "repro: {python: 'import proj; assert proj.m3.VALUE == 1'}")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert not [*outside.iterdir()]


def test_a_measured_hunt_lays_nothing_out(land: Land) -> None:
    """The good end and the others must do the same work."""
    project = history(land)
    mirrored(land, project)
    metric = 'verdict: {metric: {pattern: "value ([0-9]+)", threshold: 1.5}}'
    (mirror,) = land.state.glob("mirrors/*")
    script = COUNTS.format(tree=str(mirror / "slots" / "0" / "tree"))
    script = script.replace("assert proj.m3.VALUE == 1, proj.m3.VALUE", 'print("value", proj.m3.VALUE)')
    hunted = land.hunt(project, script, metric)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert {count for _, count in laid(land)} == {0}


def test_clean_takes_it_along(land: Land) -> None:
    project = history(land)
    mirrored(land, project)
    hunt(land, project)
    assert [*land.state.glob("environments/bytecode")]
    assert land.say("clean")[0] == FOUND
    assert not [*land.state.glob("environments/bytecode")]


def test_it_is_kept_under_the_id_that_git_gives_the_source(land: Land) -> None:
    """A run may lay a file beside its source that says to be of another: it must never be taken over."""
    project = history(land)
    mirrored(land, project)
    hunt(land, project)
    kept: set[str] = {Path(path).name for path in land.state.rglob("environments/bytecode/*/*/*")}
    text = PACKAGE.encode()
    assert hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest() in kept
