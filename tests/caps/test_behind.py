"""Cages that stand behind: by the kernel's own word, and only as long as nobody waits for them."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bisector.caps import Behind, Cage, Machine
from bisector.caps.cgroups import Cgroups
from bisector.caps.enclosed import Enclosed
from bisector.caps.group import Control, Group, Room
from bisector.model import Run, Stopped

Put = Callable[..., Run]
PATIENCE = 60.0


@pytest.fixture
def group(tmp_path: Path) -> Group:
    (tmp_path / "cpu.idle").write_text("0\n")
    return Group((Room(tmp_path, 2, frozenset({Control.CPU})),))


def idle(folder: Path) -> str:
    return (folder / "cpu.idle").read_text().strip()


def test_a_group_stands_back_as_long_as_it_is_said(group: Group, tmp_path: Path) -> None:
    behind = Behind()
    with behind.keeps(group):
        assert idle(tmp_path) == "0"
        behind.stand_back(True)
        assert idle(tmp_path) == "1"
        behind.stand_back(False)
        assert idle(tmp_path) == "0"
    behind.stand_back(True)
    assert idle(tmp_path) == "0", "it is nobody's any more"
    with behind.keeps(group):
        assert idle(tmp_path) == "1", "said before it was there"
        group.is_to_end()
        assert idle(tmp_path) == "0"
        behind.stand_back(True)
        assert idle(tmp_path) == "0", "it must not wait for a processor"


def test_what_is_called_off_is_killed_as_anybody_else(
    cages: dict[str, Cage], machine: Machine, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = machine.cgroups.offers(Control.CPU)
    if where is None:
        pytest.skip("no group here controls the processors")
    cage = next(cage for name, cage in cages.items() if name.endswith("-groups"))
    behind, off, met = Behind(), threading.Event(), list[str]()
    behind.stand_back(True)
    wait = Enclosed._wait_for

    def watched(enclosed: Enclosed, first: int | None) -> None:
        mine = [*where.parent.glob(f"bisector-*-{os.getpid()}-*")]
        met.extend(idle(one) if (one / "cpu.idle").exists() else "unknown" for one in mine)
        wait(enclosed, first)

    monkeypatch.setattr(Enclosed, "_wait_for", watched)
    threading.Timer(0.3, off.set).start()
    run = put(replace(cage, behind=behind), sys.executable, "-c", "while True: pass", cancelled=off)
    assert run.stopped is Stopped.CANCELLED
    assert met
    assert "1" not in met


def test_without_that_control_or_on_an_older_kernel_nothing_fails(group: Group, tmp_path: Path) -> None:
    (tmp_path / "cpu.idle").unlink()
    behind = Behind()
    for one in (group, Cgroups().open()):
        with behind.keeps(one):
            behind.stand_back(True)
            behind.stand_back(False)
    assert not (tmp_path / "cpu.idle").exists()


def test_what_runs_in_such_a_cage(cages: dict[str, Cage], machine: Machine, put: Put, tmp_path: Path) -> None:
    """As the kernel tells it while the program runs."""
    where = machine.cgroups.offers(Control.CPU)
    if where is None:
        pytest.skip("no group here controls the processors")
    cage = next(cage for name, cage in cages.items() if name.endswith("-groups"))
    behind, go_on, ended = Behind(), tmp_path / "go on", list[Run]()
    behind.stand_back(True)
    script = f"import os, time\nwhile not os.path.exists({str(go_on)!r}): time.sleep(0.01)"
    caged = replace(cage, behind=behind)
    thread = threading.Thread(target=lambda: ended.append(put(caged, sys.executable, "-c", script)))
    thread.start()
    try:
        until = time.monotonic() + PATIENCE
        while not (mine := [*where.parent.glob(f"bisector-*-{os.getpid()}-*")]):
            assert time.monotonic() < until
        (folder,) = mine
        if not (folder / "cpu.idle").exists():
            pytest.skip("Linux 5.15 and newer can tell a group to stand back")
        while idle(folder) != "1":
            assert time.monotonic() < until
        behind.stand_back(False)
        assert idle(folder) == "0"
    finally:
        go_on.touch()
        thread.join()
    assert ended[0].exit_status == 0
