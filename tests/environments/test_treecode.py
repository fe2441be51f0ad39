"""Bytecode of a tree's modules, as it is kept from one trial to the next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bisector.environments import Place, Ready, Treecode, open_treecode
from bisector.model import InstallMode
from bisector.process import Finished, ProgramMissing, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pytest

    from .conftest import Lab

MODULES = [f"proj/m{number}.py" for number in range(12)]


def begun(lab: Lab) -> tuple[Treecode, Ready]:
    """A tree whose modules earlier runs imported, as the records say."""
    tree = {"proj/__init__.py": "", **{path: f"NAME = {path!r}\n" for path in MODULES}}
    ready = lab.ready(lab.repo.commit(tree), InstallMode.PYTHONPATH, declared=False)
    treecode = open_treecode(lab.current.shelf, "project")
    place = lab.place()
    treecode.learn(place, [f"{place.tree / path}" for path in MODULES])
    return treecode, ready


def shown(treecode: Treecode, ready: Ready, place: Place, lab: Lab) -> set[str]:
    """The modules of the tree that a run need not compile."""
    look = f"""{treecode.reader(ready, place)}
import importlib, os, sys
from importlib.machinery import SourceFileLoader
sys.dont_write_bytecode, compiled, own = True, set(), compile
__builtins__.compile = lambda source, name, *more, **rest: compiled.add(name) or own(source, name, *more, **rest)
for name in os.listdir({str(place.tree / "proj")!r}):
    path = {str(place.tree / "proj")!r} + "/" + name
    if name.endswith(".py") and SourceFileLoader("a" + name[:-3], path).get_code("a" + name[:-3]):
        print(*{{path}} - compiled)
"""
    return {path.removeprefix(f"{place.tree}/") for path in lab.say(ready, look).split()}


def test_what_was_called_off_is_compiled_for_the_next_trial(lab: Lab) -> None:
    treecode, ready = begun(lab)
    off = lab.place()

    def called_off(
        argv: Sequence[str | Path],
        cwd: Path,
        env: Mapping[str, str],
        timeout: float | None,
        writable: tuple[Path, ...],
        readable: tuple[Path, ...],
        stdin: int | None = None,
    ) -> Finished | ProgramMissing:
        off.cancelled.set()
        return run(["true"], cwd=cwd, env={}, timeout=None)

    assert shown(treecode, ready, replace(off, runner=called_off), lab) == set()
    assert shown(treecode, ready, lab.place(), lab) == set(MODULES)


def test_what_is_spoilt_on_the_disk_is_made_anew_by_the_next_process(lab: Lab) -> None:
    treecode, ready = begun(lab)
    assert shown(treecode, ready, lab.place(), lab) == set(MODULES)
    kept = {path: path.read_bytes() for path in lab.root.glob("state/bytecode/*/*/*/*")}
    for path, content in kept.items():
        path.chmod(0o644)
        path.write_bytes(content[:20] + bytes([content[20] ^ 1]) + content[21:])
    assert shown(open_treecode(lab.current.shelf, "project"), ready, lab.place(), lab) == set(MODULES)
    assert {path: path.read_bytes() for path in kept} == kept


def test_a_source_that_goes_in_this_moment_is_passed_over(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build may write the tree anew while its modules are compiled."""
    treecode, ready = begun(lab)
    monkeypatch.setattr(Path, "is_file", lambda self, **rest: True)
    gone = lab.repo.tree / MODULES[3]
    gone.unlink()
    assert shown(treecode, ready, lab.place(), lab) == set(MODULES) - {MODULES[3]}


def test_a_run_tells_what_it_imported_of_its_tree_and_of_its_layers(
    lab: Lab, wheel: Callable[..., Path]
) -> None:
    wheel("dep", "1")
    commit = lab.repo.commit({"proj/__init__.py": "import dep, json\n"})
    ready = lab.ready(commit, InstallMode.PYTHONPATH, declared=False, requirements=("dep",))
    place = lab.place()
    told = place.scratch / "told"
    lab.say(ready, f"{open_treecode(lab.current.shelf, 'project').witness(place, told)}\nimport proj")
    (module,) = lab.root.glob("state/layers/*/lib/python*/site-packages/dep/__init__.py")
    assert sorted(told.read_text().split()) == sorted([str(module), f"{place.tree}/proj/__init__.py"])
