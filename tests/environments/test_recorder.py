"""What the recorder does to setuptools: it knows when the inventory is taken, and changes nothing else."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from types import ModuleType

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
