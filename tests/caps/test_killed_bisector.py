"""bisector is killed with -9 in the middle of a run: nothing lives on, and the next start sweeps the rest."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import bisector
from bisector.caps import Cage, Machine, sweep

LAUNCHER = """
import os, sys, threading
from pathlib import Path
from bisector.caps import Cage, Confinement, survey
from bisector.caps.cgroups import Cgroups
from bisector.caps.subreaper import Subreaper

fence, groups, animal = sys.argv[1:]
machine = survey(os.environ["PATH"])
cage = Cage(
    machine.fence if fence == "bubblewrap" else Subreaper(Path(sys.executable)),
    machine.cgroups if groups == "groups" else Cgroups(),
)
command = ("sh", "-c", '"$1" "$2"; exec sleep 300', "sh", sys.executable, animal)
cage.run(Confinement(command, Path.cwd(), os.environ, Path("log"), 300), threading.Event())
"""
ZOO = Path(__file__).parent / "zoo"
Living = Callable[[], list[int]]


def launch(cage: Cage, folder: Path, mark: str) -> subprocess.Popen[bytes]:
    groups = "groups" if cage.cgroups.hierarchies else "none"
    return subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, cage.fence.name, groups, str(ZOO / "daemons.py")],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(bisector.__file__).parents[1]),
            "BISECTOR_TEST_ZOO": mark,
        },
    )


def wait_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.02)


def groups_of(machine: Machine, pid: int) -> list[Path]:
    return [
        path for each in machine.cgroups.hierarchies for path in each.parent.glob(f"bisector-*-{pid}-*-*")
    ]


@pytest.fixture
def killed(cage: Cage, machine: Machine, tmp_path: Path, mark: str, living: Living) -> int:
    """The pid of a bisector that was killed while daemons ran in its cage."""
    launcher = launch(cage, tmp_path, mark)
    log = tmp_path / "log"
    wait_until(lambda: log.exists() and "daemons are out" in log.read_text())
    assert len(living()) >= 7
    assert len(groups_of(machine, launcher.pid)) == len(cage.cgroups.hierarchies)
    launcher.kill()
    launcher.wait()
    return launcher.pid


def test_nothing_outlives_a_killed_bisector(killed: int, machine: Machine, living: Living) -> None:
    wait_until(lambda: living() == [])
    sweep(machine)
    assert groups_of(machine, killed) == []


def test_a_sweep_kills_who_was_left_in_an_orphaned_group(
    machine: Machine, mark: str, living: Living, tmp_path: Path
) -> None:
    """As after a kill -9 at the moment between joining the groups and being fenced."""
    owner = subprocess.Popen(["true"])
    owner.wait()
    name = f"bisector-{Path('/proc/self/ns/pid').stat().st_ino}-{owner.pid}-1-abc"
    for each in machine.cgroups.hierarchies:
        (each.parent / name).mkdir()
    doors = [str(each.parent / name / "cgroup.procs") for each in machine.cgroups.hierarchies]
    script = 'for each; do echo 0 >"$each"; done; touch joined; exec sleep 300'
    stray = subprocess.Popen(
        ["sh", "-c", script, "sh", *doors], cwd=tmp_path, env={"PATH": os.defpath, "BISECTOR_TEST_ZOO": mark}
    )
    wait_until((tmp_path / "joined").exists)
    if not doors:
        stray.kill()
    sweep(machine)
    assert stray.wait() == -9
    assert (living(), groups_of(machine, owner.pid)) == ([], [])


def test_a_sweep_leaves_the_groups_of_the_living_alone(machine: Machine) -> None:
    group = machine.cgroups.open()
    sweep(machine)
    assert all(door.exists() for door in group.doors)
    group.close()
    assert not any(door.exists() for door in group.doors)
