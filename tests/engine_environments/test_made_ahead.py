"""Whole hunts in which the next commits are made ready while a run is under way: the same answers, nothing left."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.engine.ahead import Ahead, Wish
from bisector.git.slots import Slot
from bisector.model import Purpose, Untestable
from bisector.plan import Revert, TrialRequest
from bisector.trial.alter import alter

from .conftest import FOUND, PATIENCE, Land

if TYPE_CHECKING:
    from tests.conftest import Repository

CULPRIT, LAST = 11, 16
SETUPTOOLS = "[build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n"
SETUP = (
    "from setuptools import setup\nnumber = {}\nsetup(name='proj', version=str(number), packages=['proj'])\n"
)
IDLE = len(os.sched_getaffinity(0)) > 1
RUN = "import proj, time; time.sleep(0.3); assert proj.VALUE < 11, 'too much'"
REPRO = f'repro: {{python: "{RUN}"}}'


def history(land: Land, setup: str = SETUP, **more: str) -> Repository:
    """Each commit has a version of its own, so that each is built."""
    steps = {
        number: {
            "setup.py": setup.format(number),
            "proj/__init__.py": f"VALUE = {number}\n",
            **({"pyproject.toml": SETUPTOOLS, **more} if number == 1 else {}),
        }
        for number in range(1, LAST + 1)
    }
    return land.project(f"1..{LAST}", steps)


def trees(land: Land) -> int:
    return len([*land.state.glob("mirrors/*/slots/*/tree")])


def test_every_commit_is_judged_by_its_own_tree_and_install(land: Land) -> None:
    asks = (
        "import importlib.metadata as m, pathlib, proj, time; time.sleep(0.3); "
        "own = pathlib.Path(proj.__file__).read_text(); "
        "print(f'VALUE {proj.VALUE} of', m.version('proj')); "
        "assert own == f'VALUE = {m.version(chr(112) + chr(114) + chr(111) + chr(106))}' + chr(10); "
        "assert proj.VALUE < 11, 'too much'"
    )
    hunted = land.hunt(history(land), "install: {mode: editable}", f'repro: {{python: "{asks}"}}')
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    for trial in hunted.report["trials"]:
        if trial["verdict"] != "skip":
            number = hunted.project.number(trial["commit"])
            assert f"VALUE {number} of {number}" in Path(trial["log"]).read_text()
    assert (trees(land) > 1) is IDLE
    assert not [*land.state.glob("hunts/*/scratch/*")]


def test_a_build_s_interpreter_starts_while_the_tree_is_laid_out(land: Land) -> None:
    """One that nobody has told the commit when it starts, and none of them is left."""
    setup = SETUP.replace("packages", "description=sys.orig_argv[-1], packages").replace(
        "from", "import sys\nfrom"
    )
    asks = (
        "import importlib.metadata as m; said = m.metadata('proj'); "
        "print('built', said['Version'], said['Summary']); "
    )
    hunted = land.hunt(history(land, setup), "install: {mode: editable}", f'repro: {{python: "{asks}{RUN}"}}')
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    expected = 0
    for trial in hunted.report["trials"]:
        if trial["verdict"] != "skip":
            said = re.findall(r"^built (\d+) (\S+)$", Path(trial["log"]).read_text(), re.MULTILINE)
            assert {version for version, _ in said} == {str(hunted.project.number(trial["commit"]))}
            expected += said[0][1] == "setuptools.build_meta"
    assert (expected > 0) is IDLE
    assert not [*land.state.glob("hunts/*/scratch/*")]


def test_what_a_build_said_is_in_its_trial_s_log(land: Land) -> None:
    steps = "install: {mode: pythonpath, module: proj, build: ['python say.py']}"
    says = "print('built', open('proj/__init__.py').read())\n"
    hunted = land.hunt(history(land, **{"say.py": says}), steps, REPRO)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    first: dict[str, str] = {}
    for trial in hunted.report["trials"]:
        if trial["verdict"] != "skip":
            first.setdefault(trial["commit"], Path(trial["log"]).read_text())
    for commit, said in first.items():
        assert f"built VALUE = {hunted.project.number(commit)}\n" in said


def test_what_a_build_bound_to_its_tree_is_not_built_for_others(land: Land) -> None:
    writes = "import os\nopen('proj/made.bin', 'wb').write(b'\\0' + os.getcwd().encode())\n"
    project = history(land, setup=writes + SETUP)
    hunted = land.hunt(project, "install: {mode: editable}", REPRO)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert trees(land) == 1


def test_a_build_that_fails_beside_a_run_is_made_again_without_one(land: Land) -> None:
    """What is made ready goes after what runs, which is where this build looks."""
    fails = "import os\nassert os.nice(0) == 0, 'not alone'\n"
    hunted = land.hunt(history(land, setup=fails + SETUP), "install: {mode: editable}", REPRO)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert not [trial for trial in hunted.report["trials"] if "not alone" in trial["reason"]]


def test_a_build_that_hangs_is_waited_for_once(land: Land) -> None:
    """Also where it was begun ahead: almost all of its time nothing else went on."""
    begun = land.folder / "begun"
    hangs = (
        "\nimport time\nif 6 <= number <= 8:\n"
        f"    open({str(begun)!r}, 'a').write(str(number) + chr(10))\n"
        "    print('I wait for', number, flush=True)\n    time.sleep(600)\n"
    )
    setup = SETUP.replace("\nsetup(", f"{hangs}setup(")
    run = RUN.replace("0.3", "0.1")
    steps = ("install: {mode: editable}", "limits: {install_timeout: 8s}", f'repro: {{python: "{run}"}}')
    hunted = land.hunt(history(land, setup), *steps)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    counts = begun.read_text().split()
    assert len(counts) == len(set(counts))
    skips = [trial for trial in hunted.report["trials"] if "install_timeout" in trial["reason"]]
    assert {str(hunted.project.number(trial["commit"])) for trial in skips} == set(counts)
    assert all(trial["seconds"] >= 8 for trial in skips)
    for trial in skips:
        number = hunted.project.number(trial["commit"])
        assert f"I wait for {number}\n" in Path(trial["log"]).read_text()


def test_a_build_that_writes_down_where_it_is_is_never_read_elsewhere(land: Land) -> None:
    """In a state directory whose path JSON spells otherwise."""
    home = land.folder / "zo\u00e9"
    home.mkdir()
    land = replace(land, folder=home)
    writes = "import json, os\njson.dump(os.getcwd(), open('proj/where.json', 'w'))\n"
    reads = (
        "import json, pathlib, proj, time; time.sleep(0.3); own = pathlib.Path(proj.__file__).parent; "
        "root = json.loads((own / 'where.json').read_text()); "
        "said = (pathlib.Path(root) / 'proj/__init__.py').read_text(); "
        "assert root == str(own.parent), (root, own); assert int(said.split()[-1]) < 11, 'too much'"
    )
    steps = "install: {mode: pythonpath, module: proj, build: ['python where.py']}"
    hunted = land.hunt(history(land, **{"where.py": writes}), steps, f'repro: {{python: "{reads}"}}')
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def test_what_does_not_apply_is_tried_once(land: Land, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each commit writes the same line: the culprit cannot be taken back at the end."""
    tried: list[TrialRequest] = []

    def counted(slot: Slot, request: TrialRequest) -> Untestable | None:
        if any(isinstance(one, Revert) for one in request.fixups):
            tried.append(request)
        return alter(slot, request)

    monkeypatch.setattr(sys.modules["bisector.trial.perform"], "alter", counted)
    hunted = land.hunt(history(land), "install: {mode: pythonpath, module: proj}", REPRO)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert [one["verdict"] for one in hunted.report["trials"]].count("skip") == 1
    assert "conflicts" in hunted.report["trials"][-1]["reason"]
    assert len(tried) == 1


@pytest.mark.skipif(not IDLE, reason="one processor makes nothing ready")
def test_the_end_that_the_hunt_comes_back_to_stays_laid_out(
    land: Land, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the revert, and for the next hunt."""
    checkouts: list[tuple[str, Path]] = []
    checkout = Slot.checkout

    def noted(slot: Slot, sha: str) -> None:
        checkouts.append((sha, slot.tree))
        checkout(slot, sha)

    monkeypatch.setattr(Slot, "checkout", noted)
    project = history(land)
    for repro in (REPRO, REPRO.replace("0.3", "0.31")):
        hunted = land.hunt(project, "install: {mode: pythonpath, module: proj}", repro)
        assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    at_the_end = {tree for sha, tree in checkouts if sha == project[LAST]}
    assert len(at_the_end) == 1
    assert not [sha for sha, tree in checkouts if tree in at_the_end and sha != project[LAST]]
    assert [sha for sha, _ in checkouts].count(project[LAST]) == 4


@pytest.mark.skipif(not IDLE, reason="one processor makes nothing ready")
def test_while_the_last_question_runs_the_proof_of_either_answer_is_made_ready(
    land: Land, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected: list[tuple[Wish, set[str]]] = []
    expect = Ahead.expect

    def noted(ahead: Ahead, now: Wish, then: Sequence[Wish]) -> None:
        proofs = {
            wish.request.commit for wish in then if wish.purpose is Purpose.CONFIRM and not wish.is_sure
        }
        expected.append((now, proofs))
        expect(ahead, now, then)

    monkeypatch.setattr(Ahead, "expect", noted)
    hunted = land.hunt(history(land), "install: {mode: pythonpath, module: proj}", REPRO)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    last, proofs = next(each for each in reversed(expected) if each[0].purpose is Purpose.SEARCH)
    assert hunted.project.number(last.request.commit) in (CULPRIT - 1, CULPRIT)
    assert {*map(hunted.project.number, proofs)} >= {CULPRIT}
    assert not any(proofs for _, proofs in expected[:3]), "far from the answer"


@pytest.mark.parametrize("end", ["kill -9 $$", "echo 'error: patch failed' >&2; exit 1"])
def test_what_did_not_apply_beside_a_run_is_tried_without_one(
    land: Land, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """As if the repro had filled a disk or the memory for as long as it lasts."""
    running, script = land.folder / "running", land.folder / "bin" / "git"
    script.parent.mkdir()
    script.write_text(
        f'#!/bin/sh\ncase " $* " in *" apply "*) [ -e {running} ] && {{ {end}; }};; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    patch = "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"
    project = history(land)
    run = f"import pathlib, time, proj; f = pathlib.Path({str(running)!r}); f.touch(); time.sleep(0.5)"
    hunted = land.hunt(
        project,
        "install: {mode: pythonpath, module: proj}",
        f"fixups: [{{range: {project[1]}..{project[LAST]}, patch: {json.dumps(patch)}}}]",
        f"repro: {{python: {json.dumps(f'{run}; f.unlink(); assert proj.VALUE < 11')}}}",
    )
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert not [one for one in hunted.report["trials"][:-1] if one["verdict"] == "skip"]


def test_packages_are_laid_out_during_the_first_checkout(land: Land, monkeypatch: pytest.MonkeyPatch) -> None:
    land.publish("dep", "1")
    checkout = Slot.checkout
    waited: list[str] = []

    def waiting(slot: Slot, sha: str) -> None:
        until = time.monotonic() + PATIENCE
        while not waited and not [*land.state.glob("environments/layers/*/lib/python*/site-packages/dep")]:
            assert time.monotonic() < until, "nothing is laid out before there is a tree"
            time.sleep(0.05)
        waited.append(sha)
        checkout(slot, sha)

    monkeypatch.setattr(Slot, "checkout", waiting)
    hunted = land.hunt(
        history(land),
        "install: {mode: pythonpath, module: proj}",
        "dependencies: {requirements: [dep], declared: false}",
        f'repro: {{python: "import dep; {RUN}"}}',
    )
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def test_what_is_measured_is_left_alone(land: Land) -> None:
    metric = "verdict: {metric: {pattern: 'took ([0-9.]+)', threshold: 10.5}}"
    says = "import proj, time; time.sleep(0.2); print('took', proj.VALUE)"
    hunted = land.hunt(history(land), metric, f'repro: {{python: "{says}"}}')
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    # One for each commit, one for what it is measured beside.
    assert trees(land) <= 2


def test_interrupted_while_something_is_made_ready(land: Land) -> None:
    """A build that takes long, of a commit that is never asked for: it ends with the rest."""
    mark = land.folder / "building"
    slow = (
        f"import time\nnumber = {{}}\nif number in (3, 4, 5, 12, 13):\n"
        f"    open({str(mark)!r}, 'a').write('x')\n    time.sleep(600)\n"
    )
    project = history(land, setup=slow + SETUP.replace("number = {}\n", ""))
    recipe = land.recipe(project, "install: {mode: editable}", f'repro: {{python: "{RUN}; time.sleep(3)"}}')
    process = land.begin(recipe)
    try:
        until = time.monotonic() + PATIENCE
        while IDLE and not mark.exists() and time.monotonic() < until and process.poll() is None:
            time.sleep(0.05)
        assert mark.exists() is IDLE
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    finally:
        process.kill()
        process.wait()
    assert not [*land.state.glob("hunts/*/scratch/*")]
