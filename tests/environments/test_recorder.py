"""What the recorder does to setuptools: it knows when the inventory is taken, and puts off what nobody may want."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from bisector.environments import Interpreter, Interpreters
from bisector.environments.guest.recorder import INVENTORY, Counting, Recorder
from bisector.environments.interpreters import GUEST


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(str(tmp_path / "record"), str(tmp_path), copies=False)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> type:
    """In the place of setuptools' own, which these tests must leave alone."""

    class Command:
        recorder: Recorder

        def find_sources(self, *, deep: bool = False) -> tuple[bool, int]:
            inside = len(self.recorder.counting)
            return (deep, inside) if deep else self.find_sources(deep=True)

    module = ModuleType(INVENTORY[0])
    vars(module)[INVENTORY[1]] = Command
    monkeypatch.setitem(sys.modules, INVENTORY[0], module)
    return Command


def test_it_knows_who_takes_the_inventory(recorder: Recorder, command: type) -> None:
    class Plugin(command):  # type: ignore[misc]
        def find_sources(self, *, deep: bool = False) -> tuple[bool, int]:
            return super().find_sources(deep=deep)  # type: ignore[no-any-return]

    for _ in range(2):
        recorder.attend()
    for kind in (command, Plugin):
        one = kind()
        one.recorder = recorder
        assert one.find_sources() == (True, 1)
        assert recorder.counting == set()


def test_what_fails_is_no_inventory_any_more(recorder: Recorder, command: type) -> None:
    recorder.attend()
    with pytest.raises(AttributeError):
        command().find_sources()
    assert recorder.counting == set()


@pytest.mark.parametrize("other", [staticmethod(lambda: "own"), partial(str, "own"), "own", None])
def test_what_is_no_method_is_left_alone(recorder: Recorder, command: type, other: object) -> None:
    setattr(command, INVENTORY[2], other)
    recorder.attend()
    assert vars(command)[INVENTORY[2]] is other


def test_what_copies_the_tree_lists_it_for_good(tmp_path: Path, command: type) -> None:
    Recorder(str(tmp_path / "record"), str(tmp_path), copies=True).attend()
    assert not isinstance(vars(command)[INVENTORY[2]], Counting)


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> type:
    """A command whose inventory may wait, and what it counts."""

    class Command:
        taken = 0

        def __init__(self, folder: Path, *, lists_data: bool = False) -> None:
            self.egg_info = str(folder / "proj.egg-info")
            self.distribution = SimpleNamespace(include_package_data=lists_data)
            self.filelist = SimpleNamespace(files=["early"])

        def find_sources(self) -> None:
            assert Path(self.egg_info).is_dir()
            self.taken += 1
            self.filelist = SimpleNamespace(files=["proj.py"])

    module = ModuleType(INVENTORY[0])
    vars(module)[INVENTORY[1]] = Command
    monkeypatch.setitem(sys.modules, INVENTORY[0], module)
    monkeypatch.setattr(Counting, "may_wait", True)
    Recorder(str(tmp_path / "record"), str(tmp_path / "tree"), copies=False).attend()
    return Command


def test_an_inventory_that_nobody_keeps_is_taken_once_somebody_asks(tmp_path: Path, waiting: type) -> None:
    command = waiting(tmp_path / "aside")
    command.find_sources()
    listing = command.filelist
    assert command.taken == 0
    assert listing.files == ["proj.py"]
    assert command.filelist.files == ["proj.py"]
    assert command.taken == 1


WHYS = ("it stays in the tree", "it stays in the tree, by a link", "it lists data", "it is the project's own")


@pytest.mark.parametrize("why", WHYS)
def test_an_inventory_that_counts_is_taken_at_once(tmp_path: Path, waiting: type, why: str) -> None:
    class Own(waiting):  # type: ignore[misc]
        """A project may go on with what it found."""

    for name in ("tree", "tree-2"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to("tree")
    aside = tmp_path / "tree-2"
    commands = (
        waiting(tmp_path / "tree"),
        waiting(tmp_path / "link"),
        waiting(aside, lists_data=True),
        Own(aside),
    )
    command = commands[WHYS.index(why)]
    Path(command.egg_info).mkdir()
    command.find_sources()
    assert command.taken == 1


ASKS = """
import _recorder, os, pathlib
here = pathlib.Path("a.txt")
assert here.stat().st_size == here.lstat().st_size == os.stat(path="a.txt").st_size == 1
assert here.exists() and here.is_file() and not here.is_dir() and not pathlib.Path("b.txt").exists()
assert os.path.isfile(here) and os.access("a.txt", os.R_OK, follow_symlinks=True)
assert os.readlink("link") == "a.txt" and pathlib.Path("link").resolve() == here.resolve()

class Holder:
    stat, exists = os.stat, os.path.lexists

assert Holder().stat("a.txt").st_size == 1
"""


@pytest.mark.parametrize("interpreter", Interpreters(os.environ).list_all(), ids=lambda one: one.version)
def test_each_python_gets_the_answers_it_would_get_without(tmp_path: Path, interpreter: Interpreter) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.txt").write_text("a")
    (tree / "link").symlink_to("a.txt")
    shutil.copyfile(GUEST / "recorder.py", tmp_path / "_recorder.py")
    env = {"BISECTOR_RECORD": str(tmp_path / "record"), "BISECTOR_RECORD_TREE": str(tree)}
    ran = subprocess.run(
        [interpreter.path, "-c", ASKS],
        cwd=tree,
        env={"PYTHONPATH": str(tmp_path), **env},
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    if interpreter.minor >= (3, 8):
        said = {tuple(json.loads(line)) for line in (tmp_path / "record").read_text().splitlines()}
        assert {("stat", "a.txt"), ("look", "b.txt"), ("stat", "link")} <= said
