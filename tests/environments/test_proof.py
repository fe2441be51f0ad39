"""Where modules would come from is asked once for each set of layers and each tree, by whichever process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bisector.environments import Ready
from bisector.environments.census import publish
from bisector.model import InstallMode, Stage, Trouble, Untestable
from bisector.process import Finished, ProgramMissing

from .conftest import PROJECT, Lab


def asked(lab: Lab, ready: Ready) -> int | Untestable | Trouble:
    """How often Python had to be asked; what was wrong."""
    calls = 0
    place = lab.place()

    def counting(*words: object, **more: object) -> Finished | ProgramMissing:
        nonlocal calls
        calls += 1
        return place.runner(*words, **more)  # type: ignore[arg-type]

    return lab.current.prove(ready, replace(place, runner=counting)) or calls


@pytest.fixture(params=[InstallMode.EDITABLE, InstallMode.PYTHONPATH])
def prepare(lab: Lab, request: pytest.FixtureRequest, wheel: Callable[..., Path]) -> Callable[[bool], Ready]:
    """As a process of its own, over one commit."""
    wheel("dep", "1")
    commit = lab.repo.commit(PROJECT)

    def anew(guarded: bool) -> Ready:
        lab.open(guarded=guarded)
        return lab.ready(commit, request.param, requirements=("dep",), declared=False)

    return anew


def test_what_one_process_was_told_another_one_knows(lab: Lab, prepare: Callable[[bool], Ready]) -> None:
    assert asked(lab, prepare(True)) == 1
    ready = prepare(True)
    assert asked(lab, ready) == 0
    assert asked(lab, ready) == 0
    # The layer is still what was published.
    assert asked(lab, prepare(True)) == 0


def test_where_a_run_could_write_to_the_answer_it_is_not_kept(
    lab: Lab, prepare: Callable[[bool], Ready]
) -> None:
    assert asked(lab, prepare(False)) == 1
    assert asked(lab, prepare(False)) == 1
    assert not [*lab.root.glob("state/layers/*/.proof-*")]


def test_a_module_that_has_gone_is_noticed(lab: Lab, prepare: Callable[[bool], Ready]) -> None:
    assert asked(lab, prepare(True)) == 1
    ready = prepare(True)
    (lab.repo.tree / "proj" / "__init__.py").rename(lab.repo.tree / "elsewhere.py")
    (lab.repo.tree / "proj").rename(lab.repo.tree / "other")
    doubt = asked(lab, ready)
    assert isinstance(doubt, Untestable)
    assert doubt.stage is Stage.IMPORT


def test_a_module_that_leads_out_of_the_tree_is_noticed(lab: Lab, prepare: Callable[[bool], Ready]) -> None:
    assert asked(lab, prepare(True)) == 1
    ready = prepare(True)
    (lab.repo.tree / "proj").rename(lab.root / "outside")
    (lab.repo.tree / "proj").symlink_to(lab.root / "outside")
    doubt = asked(lab, ready)
    assert isinstance(doubt, Trouble)
    assert "not the commit's own tree" in doubt.reason


def test_another_content_of_a_layer_is_asked_again(lab: Lab, prepare: Callable[[bool], Ready]) -> None:
    ready = prepare(True)
    assert asked(lab, ready) == 1
    (dependencies,) = {path for path in ready.readable if [*path.glob("lib/python*/site-packages/dep")]}
    (dependencies / "share").mkdir()
    publish(dependencies, strict=False)
    assert asked(lab, prepare(True)) == 1


def test_a_module_that_lies_in_the_tree_by_another_name_is_asked_about_each_time(lab: Lab) -> None:
    """A build may write down where the tree really lies, which is no path below a link to it."""
    lab.open(guarded=True)
    ready = lab.ready(lab.repo.commit(PROJECT))
    (lab.root / "link").symlink_to(lab.repo.tree)
    place = replace(lab.place(), tree=lab.root / "link")
    assert lab.current.prove(ready, place) is None
    assert lab.current.prove(ready, place) is None
    assert not [*lab.root.glob("state/layers/*/.proof-*")]


FINDER = """
import importlib.util, sys
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "proj":
            return importlib.util.spec_from_file_location(name, {place})
sys.meta_path.insert(0, Finder)
"""


@pytest.fixture
def found(lab: Lab) -> Callable[[dict[str, str]], Ready]:
    """An editable install with a finder, as setuptools makes one; what of it differs is given."""
    lab.open(guarded=True)
    backend = PROJECT["backend.py"].replace(
        '_wheel(folder, {"proj.pth": os.getcwd() + "\\n"})',
        '_wheel(folder, {"proj.pth": "import finder", "finder.py": open("FINDER").read()})',
    )
    assert backend != PROJECT["backend.py"]
    place = repr(str(lab.repo.tree / "proj/__init__.py"))
    files = {**PROJECT, "backend.py": backend, "FINDER": FINDER.format(place=place), "VERSION": "1"}
    return lambda changes: lab.ready(lab.repo.commit({**files, **changes}))


def test_installs_that_differ_in_their_metadata_alone_are_asked_about_once(
    lab: Lab, found: Callable[[dict[str, str]], Ready]
) -> None:
    first = found({})
    assert asked(lab, first) == 1
    second = found({"REQUIRES": "dep>=1; python_version < '3'"})
    assert first.readable[0] != second.readable[0]
    assert asked(lab, second) == 0


def test_an_install_that_finds_modules_elsewhere_is_asked_about(
    lab: Lab, found: Callable[[dict[str, str]], Ready]
) -> None:
    """Also where nothing but the finder's text tells it from the last one."""
    assert asked(lab, found({})) == 1
    (lab.root / "other.py").write_text("")
    doubt = asked(lab, found({"FINDER": FINDER.format(place=repr(str(lab.root / "other.py")))}))
    assert isinstance(doubt, Trouble)
    assert "not the commit's own tree" in doubt.reason


def test_an_install_with_other_entry_points_is_asked_about(
    lab: Lab, found: Callable[[dict[str, str]], Ready]
) -> None:
    """What a package runs as Python starts may go by them."""
    assert asked(lab, found({})) == 1
    assert asked(lab, found({"ENTRY_POINTS": "[hooks]\nproj = proj"})) == 1
