"""Control groups: the real ones of this machine, and the newer dialect on a directory in their stead."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bisector.caps import Cage, Machine, group, procfs
from bisector.caps.cgroups import Cgroups, homes_in_v2
from bisector.caps.group import Control, Group, Room
from bisector.errors import MachineFault
from bisector.model import Limits, Run

MIB = 1 << 20
Put = Callable[..., Run]

V2_FILES = {
    "memory.max": "max",
    "memory.swap.max": "max",
    "memory.oom.group": "0",
    "memory.peak": str(300 * MIB),
    "memory.events": "low 0\nhigh 0\nmax 12\noom 2\noom_kill 2\noom_group_kill 1",
    "memory.stat": f"anon {50 * MIB}\nfile {200 * MIB}\nshmem {20 * MIB}",
    "pids.max": "max",
    "pids.events": "max 7",
    "cpu.max": "max 100000",
    "cpu.stat": "usage_usec 1500000\nuser_usec 1\nsystem_usec 2",
    "cgroup.kill": "",
    "cgroup.procs": "",
}


@pytest.fixture
def newer(tmp_path: Path) -> Group:
    for name, text in V2_FILES.items():
        (tmp_path / name).write_text(text)
    controls = frozenset(Control)
    return Group((Room(tmp_path, 2, controls),))


def test_the_newer_dialect_is_read(newer: Group) -> None:
    assert newer.memory_kills() == 2
    assert newer.memory_now() == 70 * MIB
    assert newer.memory_mark() == 300 * MIB
    # 200 MiB of file pages, of which 20 are shared memory: that is held, the rest is only cached.
    assert newer.memory_peak() == 120 * MIB
    assert newer.refused_forks() == 7
    assert newer.cpu_seconds() == 1.5
    assert newer.members() == ()
    assert newer.can_kill()


def test_the_newer_dialect_is_written(newer: Group, tmp_path: Path) -> None:
    newer.limit_memory(5 * MIB)
    newer.limit_processes(40)
    newer.limit_cpus(1.5)
    newer.kill()
    said = {name: (tmp_path / name).read_text().strip() for name in V2_FILES}
    assert (said["memory.max"], said["memory.oom.group"]) == (str(5 * MIB), "1")
    assert said["memory.swap.max"].startswith("0")
    assert (said["pids.max"], said["cpu.max"], said["cgroup.kill"]) == ("40", "150000 100000", "1")


WAITS = """
import os, sys
os.posix_spawn("/bin/true", ["true"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)])
"""
"""Waits inside the kernel until somebody writes to the pipe that its child opens before anything else."""


def test_who_hangs_in_the_kernel_is_named(
    newer: Group, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    hung = subprocess.Popen([sys.executable, "-c", WAITS, str(pipe)])
    while (seen := procfs.look(hung.pid)) is None or seen.state != "D":
        assert hung.poll() is None
    (tmp_path / "cgroup.procs").write_text(str(hung.pid))
    monkeypatch.setattr(group, "PATIENCE", 0.05)
    # This wait heeds a SIGKILL; one for a disk or a server that is gone does not.
    monkeypatch.setattr(os, "kill", lambda pid, number: None)
    with pytest.raises(MachineFault, match=rf"do not end: .* \(pid {hung.pid}, state D\)"):
        newer.close()
    os.close(os.open(pipe, os.O_WRONLY))
    assert hung.wait(60) == 0


def test_an_older_kernel_without_a_mark_says_nothing_of_the_peak(newer: Group, tmp_path: Path) -> None:
    (tmp_path / "memory.peak").unlink()
    assert (newer.memory_mark(), newer.memory_peak()) == (None, None)


def test_a_limit_that_the_kernel_refuses_is_the_machines_fault(newer: Group, tmp_path: Path) -> None:
    (tmp_path / "pids.max").unlink()
    (tmp_path / "pids.max").mkdir()
    with pytest.raises(MachineFault, match="cannot set pids"):
        newer.limit_processes(1)


def test_without_rooms_nothing_is_known_and_nothing_fails() -> None:
    group = Cgroups().open()
    assert (group.memory_now(), group.memory_peak(), group.cpu_seconds()) == (None, None, None)
    assert (group.memory_kills(), group.refused_forks(), group.members(), group.doors) == (0, 0, (), ())
    group.kill()
    group.close()


def slice_of(path: Path, handed_on: str) -> Path:
    """A directory that looks like a group of cgroup v2 which hands these controllers on, and no more."""
    path.mkdir()
    (path / "cgroup.controllers").write_text("cpuset cpu io memory pids")
    (path / "cgroup.subtree_control").write_text(handed_on)
    (path / "cgroup.procs").write_text("1\n2\n")
    return path


def test_a_group_that_hands_on_memory_is_home(tmp_path: Path) -> None:
    own = slice_of(tmp_path / "scope", "memory pids cpu")
    (home,) = homes_in_v2(own, tmp_path)
    assert home.parent == own
    assert home.controls == {Control.MEMORY, Control.PIDS, Control.CPU, Control.CPU_TIME}


def test_a_session_among_others_finds_its_home_in_the_slice_above(tmp_path: Path) -> None:
    """As systemd has it: a session's scope is full of processes, the user's slice hands on memory."""
    top = slice_of(tmp_path / "user", "memory pids cpu")
    between = slice_of(top / "user-0", "memory pids")
    own = slice_of(between / "session", "")
    first, last = homes_in_v2(own, tmp_path)
    assert (first.parent, last.parent) == (between, own)
    assert first.controls == {Control.MEMORY, Control.PIDS, Control.CPU_TIME}
    assert last.controls == {Control.CPU_TIME}


def test_where_nothing_hands_on_memory_only_the_clock_is_left(tmp_path: Path) -> None:
    own = slice_of(slice_of(tmp_path / "top", "cpuset") / "own", "")
    assert [home.controls for home in homes_in_v2(own, tmp_path)] == [{Control.CPU_TIME}]


def test_each_control_is_offered_once(machine: Machine) -> None:
    offered = [control for each in machine.cgroups.hierarchies for control in each.controls]
    assert len(offered) == len(set(offered))
    fewer = machine.cgroups.without(Control.MEMORY)
    assert fewer.offers(Control.MEMORY) is None


def test_closing_kills_who_is_in_and_in_groups_below(machine: Machine) -> None:
    group = machine.cgroups.open()
    script = """
    for door; do mkdir "${door%/*}/nested" && echo 0 >"${door%/*}/nested/cgroup.procs"; done
    echo in; exec sleep 60
    """
    doors = [str(door) for door in group.doors]
    with subprocess.Popen(["sh", "-c", script, "sh", *doors], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert group.members() == ((child.pid,) if doors else ())
        group.close()
        if not doors:
            child.kill()
    assert child.returncode == -9
    assert not any(door.parent.exists() for door in group.doors)


def test_a_group_that_cannot_be_made_is_the_machines_fault(machine: Machine, tmp_path: Path) -> None:
    for each in machine.cgroups.hierarchies[:1]:
        broken = replace(machine.cgroups, hierarchies=(each, replace(each, parent=tmp_path / "gone")))
        # Other processes make groups at the same time; their names say whose they are.
        own = f"*-{os.getpid()}-*"
        before = set(each.parent.glob(own))
        with pytest.raises(MachineFault, match="cannot make the control group"):
            broken.open()
        assert set(each.parent.glob(own)) == before


def test_processors_are_limited_by_group_or_by_pinning(
    cages: dict[str, Cage], machine: Machine, put: Put
) -> None:
    for cage in cages.values():
        if cage.cgroups.offers(Control.CPU):
            run = put(cage, "uses", "1", "0.6", limits=Limits(cpus=0.5))
            # Two processes burn side by side, then it sleeps for 0.3 s: uncapped, half the CPU seconds.
            assert run.seconds - 0.3 > 1.5 * run.cpu_seconds
        if machine.taskset is not None:
            pinned = replace(cage, prefix=(str(machine.taskset), "--cpu-list", str(machine.processors[0])))
            assert put(pinned, "nproc").output == "1\n"
