"""Bytecode that a run is shown beside its tree: where it serves, what it must never do."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bisector.environments import Treecode

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
    import builtins, sys
    compiled, own = [], builtins.compile
    builtins.compile = lambda source, name, *more, **rest: compiled.append(name) or own(source, name, *more, **rest)
    import proj
    imported = [name for name in sys.modules if name.split(".")[0] == "proj"]
    print("shown", len(imported) - len(compiled))
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
    return land.hunt(project, COUNTS, *lines)


def shown(land: Land) -> list[tuple[str, int]]:
    """Of each trial of the last hunt that ran, in order: why it was made, how many modules it need not compile."""
    folder = max(land.state.glob("hunts/*"), key=lambda path: path.stat().st_mtime_ns)
    found = []
    for log in sorted(folder.glob("logs/*.log")):
        counts = [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("shown ")]
        found += [(log.stem.rpartition("-")[2], count) for count in counts]
    return found


def test_runs_find_bytecode_and_the_proof_makes_its_own(land: Land) -> None:
    project = history(land)
    hunted = hunt(land, project)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    met = shown(land)
    ends = [count for purpose, count in met if purpose == "end"]
    assert ends[:2] == [0, 0], "what was learnt from the first run is not worth it for the second"
    others = [*ends[2:], *(count for purpose, count in met if purpose == "search")]
    assert min(others) >= MODULES - 1, "but for the two modules that differ"
    assert {count for purpose, count in met if purpose == "confirm"} == {0}


def test_the_next_hunt_compiles_nothing_anew(land: Land) -> None:
    project = history(land)
    hunt(land, project)
    kept = {path: path.stat().st_mtime_ns for path in land.state.rglob("environments/bytecode/*/*/*/*")}
    assert kept
    again = hunt(land, project, "name: again", "verdict: {skip_if: never}")
    assert (again.status, again.culprit) == (FOUND, CULPRIT)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


def test_what_a_crash_cut_short_is_not_shown(land: Land) -> None:
    project = history(land)
    hunt(land, project)
    for path in land.state.rglob("environments/bytecode/*/*/*/*"):
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


def test_what_warns_is_compiled_once_and_then_left_to_the_runs(
    land: Land, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[set[str]] = []
    compiled = Treecode._compile

    def listening(self: Treecode, missing: dict[str, str], *rest: Any) -> None:
        asked.append(set(missing.values()))
        compiled(self, missing, *rest)

    monkeypatch.setattr(Treecode, "_compile", listening)
    warning = {f"proj/m{number}.py": f"VALUE = {number}\nPATTERN = '\\d'\n" for number in range(MODULES)}
    steps = {1: {"proj/__init__.py": PACKAGE, **warning}, CULPRIT: {"proj/m3.py": "VALUE = 4\n"}}
    steps |= {number: {"README": str(number)} for number in range(2, 11) if number != CULPRIT}
    hunted = land.hunt(
        land.project("1..10", steps), "repro: {python: 'import proj; assert proj.m3.VALUE == 3'}"
    )
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert len(asked) == 1
    assert len(asked[0]) == MODULES + 1


def test_modules_that_a_run_imports_besides_are_compiled_in_the_same_trial(land: Land) -> None:
    """Either end differs in all that the other imported, and imports as much again."""

    def at(letter: str, sign: int) -> dict[str, str]:
        others = [f"{letter}{number}" for number in range(MODULES)]
        files = {f"proj/{other}.py": f"NAME = {other!r}\n" for other in others}
        files |= {f"proj/m{number}.py": f"VALUE = {sign * (number + 1)}\n" for number in range(MODULES)}
        return files | {"proj/__init__.py": PACKAGE + "".join(f"from proj import {o}\n" for o in others)}

    steps = {number: {"README": str(number)} for number in range(2, 11)}
    project = land.project("1..10", steps | {1: at("g", 1), 10: at("b", -1)})
    script = COUNTS.replace("m3.VALUE == 1", "m3.VALUE == 4")
    hunted = land.hunt(project, script, "verdict: {runs: 3}")
    assert (hunted.status, hunted.culprit) == (FOUND, 10), hunted.words
    ends = [count for purpose, count in shown(land) if purpose == "end"]
    every = 2 * MODULES + 1
    assert ends == [0, every, every, MODULES + 1, every, every]


def test_nothing_is_written_where_a_run_has_put_a_link_for_its_environment(land: Land) -> None:
    """Even out of the sandbox: what is written between two runs went to a folder that the first one named."""
    project = history(land)
    outside = land.folder / "outside"
    (outside / "venv/lib/python3/site-packages").mkdir(parents=True)
    script = f"""\
repro:
  python: |
    import atexit, os
    here = os.path.realpath("../../environment")
    def swap():
        os.rename(here, here + ".moved")
        os.symlink({str(outside)!r}, here)
    import proj
    atexit.register(swap)
    assert proj.m3.VALUE == 1
"""
    assert land.hunt(project, script, "verdict: {runs: 2}").status != FOUND, "nothing runs there twice"
    assert not [path for path in outside.rglob("*") if path.is_file()]


def test_a_program_that_looks_at_its_own_folder_meets_none_of_it(land: Land) -> None:
    """From the fourth commit on it takes no file that it does not know: an innocent commit was blamed for that."""
    check = "    assert m3.VALUE == 1, m3.VALUE\n"
    scan = "    for name in os.listdir(os.path.dirname(__file__)):\n"
    scan += "        if not name.endswith('.py'):\n            raise ValueError('stray file')\n"
    body = f"{PACKAGE}import os\ndef run():\n{check}"
    files = {f"proj/m{number}.py": f"VALUE = {1 if number == 3 else number}\n" for number in range(MODULES)}
    steps = {number: {"README": str(number)} for number in range(2, 11)}
    steps |= {1: {"proj/__init__.py": body, **files}, 4: {"proj/__init__.py": body + scan}}
    steps[8] = {"proj/m3.py": "VALUE = 2\n"}
    project = land.project("1..10", steps)
    hunted = land.hunt(project, "repro: {python: 'import proj; proj.run()'}")
    assert (hunted.status, hunted.culprit) == (FOUND, 8), hunted.words
    assert {one["verdict"] for one in hunted.report["trials"]} == {"good", "bad"}


OTHERWISE = """\
repro:
  python: |
    import importlib.abc, importlib.machinery, importlib.util, os, sys
    from importlib.machinery import SourceFileLoader
    class Own(SourceFileLoader):
        def source_to_code(self, data, path, *, _optimize=-1):
            return compile(data.replace(b"VALUE", b"value"), path, "exec")
    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            found = importlib.machinery.PathFinder.find_spec(name, path)
            if found and name.startswith("proj.") and type(found.loader) is SourceFileLoader:
                found.loader = Own(name, found.origin)
            return found
    {way}
    import proj
    assert proj.m3.value == 1, proj.m3.value
    try:
        proj.m3.__loader__.get_data(proj.m3.__cached__)
    except OSError:
        pass
    else:
        sys.exit(77)
"""
WAYS = ["sys.meta_path.insert(0, Finder())", "SourceFileLoader.source_to_code = Own.source_to_code"]


@pytest.mark.parametrize("way", WAYS, ids=["a loader of its own", "another compiler"])
def test_who_compiles_otherwise_than_python_is_shown_nothing(land: Land, way: str) -> None:
    """The first hunt learns which modules are imported, from a repro that imports them as they are."""
    project = history(land)
    assert hunt(land, project).status == FOUND
    hunted = land.hunt(project, OTHERWISE.format(way=way))
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def test_git_finds_the_tree_clean(land: Land) -> None:
    project = history(land)
    look = 'test -z "$(git status --porcelain --ignored)"'
    script = f"repro:\n  cwd: tree\n  run: python -c 'import proj; assert proj.m3.VALUE == 1' && {look}\n"
    hunted = land.hunt(project, script, "verdict: {runs: 2}")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def test_who_is_told_to_believe_any_bytecode_is_given_none(land: Land) -> None:
    """A build step writes the module that decides, and the interpreter does not look whether the bytecode fits."""
    project = history(land, m1="VALUE = 100\n")
    step = "install: {mode: pythonpath, module: proj, build: ['cp proj/m1.py proj/m3.py']}"
    command = (
        "python --check-hash-based-pycs never -c 'import proj; assert proj.m3.VALUE == 1, proj.m3.VALUE'"
    )
    hunted = land.hunt(project, step, f"repro: {command}")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def test_a_name_that_leaves_no_room_beside_it_is_served_as_well(land: Land) -> None:
    long = "m" * 250
    steps = {number: {"README": str(number)} for number in range(2, 11)}
    files = {f"proj/m{number}.py": f"VALUE = {number % 3 + 1}\n" for number in range(MODULES)}
    files |= {"proj/__init__.py": f"{PACKAGE}from proj import {long}\n", f"proj/{long}.py": "\n"}
    project = land.project("1..10", steps | {1: files, CULPRIT: {"proj/m3.py": "VALUE = 4\n"}})
    hunted = hunt(land, project)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert max(count for purpose, count in shown(land) if purpose == "search") == MODULES + 2


def test_a_measured_hunt_is_shown_nothing(land: Land) -> None:
    """The good end and the others must do the same work."""
    project = history(land)
    metric = 'verdict: {metric: {pattern: "value ([0-9]+)", threshold: 1.5}}'
    script = COUNTS.replace("assert proj.m3.VALUE == 1, proj.m3.VALUE", 'print("value", proj.m3.VALUE)')
    hunted = land.hunt(project, script, metric)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert {count for _, count in shown(land)} == {0}


def test_clean_takes_it_along(land: Land) -> None:
    project = history(land)
    hunt(land, project)
    assert [*land.state.glob("environments/bytecode")]
    assert land.say("clean")[0] == FOUND
    assert not [*land.state.glob("environments/bytecode")]


def test_it_is_kept_under_the_id_that_git_gives_the_source(land: Land) -> None:
    """A run may lay a file beside its source that says to be of another: it must never be taken over."""
    project = history(land)
    hunt(land, project)
    kept: set[str] = {Path(path).name for path in land.state.rglob("environments/bytecode/*/*/*/*")}
    text = PACKAGE.encode()
    assert hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest() in kept


@pytest.mark.parametrize(
    ("sandbox", "cache"), [("--sandbox", "environments-sandbox"), ("--no-sandbox", "environments")]
)
def test_no_run_can_write_to_bytecode_that_others_are_given(land: Land, sandbox: str, cache: str) -> None:
    """In the sandbox it does not even see what is kept of another project."""
    project = history(land)
    store = land.state / cache / "bytecode"
    (store / "other").mkdir(parents=True)
    (store / "other/secret").write_text("source of somebody else")
    script = f"""\
repro:
  python: |
    import glob, os, sys, time, proj
    time.sleep(0.5)
    folders = glob.glob({str(store)!r} + "/*")
    print("other", int(any(folder.endswith("other") for folder in folders)))
    found = glob.glob({str(store)!r} + "/*/*/*/*")
    print("found", len(found))
    attacks = [lambda path=path: open(path, "r+b").close() for path in found]
    attacks += [lambda path=path: os.unlink(path) for path in found]
    attacks += [lambda folder=folder: os.rename(folder, folder + ".away") for folder in folders]
    attacks += [lambda folder=folder: os.mkdir(folder + "/more") for folder in folders]
    for attack in attacks:
        try:
            attack()
        except OSError:
            continue
        sys.exit("it can be written to")
    assert proj.m3.VALUE == 1
"""
    status, out, words = land.say("run", land.written(land.recipe(project, script)), "--json", sandbox)
    assert (status, project.number(json.loads(out)["culprit"]["commit"])) == (FOUND, CULPRIT), words
    said = "".join(log.read_text() for log in land.state.glob("hunts/*/logs/*.log"))
    assert {int(count) for count in re.findall(r"found (\d+)", said)} - {0}
    assert set(re.findall(r"other (\d)", said)) == {"0" if sandbox == "--sandbox" else "1"}
