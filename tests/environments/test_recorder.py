"""What the recorder does to setuptools: it knows when the inventory is taken, and puts off what nobody may want."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from bisector.environments.guest.recorder import INVENTORY, Counting, Recorder


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
