"""What a run may see and reach: the sandbox, the network, the kernel's switches. Bubblewrap only."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from bisector.caps import Cage, Machine
from bisector.caps.bubblewrap import Bubblewrap
from bisector.model import Limits, Run, Stopped

MIB = 1 << 20
Put = Callable[..., Run]


@pytest.fixture
def walls(machine: Machine) -> Iterator[Cage]:
    """The best cage, which must be bubblewrap's here: CI installs it."""
    assert isinstance(machine.fence, Bubblewrap), machine.findings
    yield Cage(machine.fence, machine.cgroups, machine.py_spy)


def test_python_runs_in_the_sandbox(walls: Cage, put: Put) -> None:
    run = put(walls, sys.executable, "-c", "import ssl, tempfile; print(tempfile.gettempdir())", sandbox=True)
    assert (run.exit_status, run.output) == (0, "/tmp\n")


def test_only_what_was_named_can_be_written(walls: Cage, put: Put, tmp_path: Path) -> None:
    name = f"bisector-{uuid4()}"
    places = " ".join(f"{folder}/{name}" for folder in ("/usr", "/etc", sys.prefix, "", tmp_path, "/tmp"))
    run = put(
        walls,
        "sh",
        "-c",
        f"for each in {places}; do (: >$each) 2>/dev/null && echo $each; done",
        sandbox=True,
    )
    assert set(run.output.split()) == {f"{tmp_path}/{name}", f"/tmp/{name}"}
    assert (tmp_path / name).exists()
    assert not Path(f"/{name}").exists()
    assert not Path(f"/tmp/{name}").exists()


def test_homes_sockets_and_other_peoples_files_are_not_there(walls: Cage, put: Put, tmp_path: Path) -> None:
    places = {str(Path.home()), "/run", "/home", "/var/lib", "/etc/shadow", "/etc/ssh", "/sys", "/boot"}
    # Where an interpreter lives in a home, the way to it is there, and nothing beside it.
    hidden = sorted(places - {str(each) for each in (*tmp_path.parents, *Path(sys.base_prefix).parents)})
    run = put(walls, "ls", "-d", *hidden, sandbox=True)
    shown = [place for place in hidden if f"cannot access '{place}'" not in run.output]
    assert shown == []


def test_a_neighbour_in_a_shown_directory_is_hidden(walls: Cage, put: Put, tmp_path: Path) -> None:
    """The trial's directories lie beside others' below one state directory."""
    neighbour = tmp_path.parent / f"{tmp_path.name}-neighbour"
    neighbour.mkdir()
    assert put(walls, "ls", str(tmp_path.parent), sandbox=True).output.split() == [tmp_path.name]


def test_inner_directories_keep_their_own_rights(walls: Cage, put: Put, tmp_path: Path) -> None:
    """Read-only below a writable one: the layers of dependencies beside the trial's own virtualenv."""
    layer = tmp_path / "layer"
    layer.mkdir()
    run = put(walls, "sh", "-c", "touch mine; touch layer/theirs", sandbox=True, readable=(layer,))
    assert "Read-only file system" in run.output
    assert ((tmp_path / "mine").exists(), list(layer.iterdir())) == (True, [])


def test_the_private_tmp_is_full_at_the_disk_cap(walls: Cage, put: Put) -> None:
    script = (
        "for i in 1 2 3 4; do head -c 8000000 /dev/zero >/tmp/$i || break; done; du -b -c /tmp/? | tail -1"
    )
    run = put(walls, "sh", "-c", script, sandbox=True, limits=Limits(disk=20 * MIB))
    assert "No space left on device" in run.output
    assert int(run.output.split()[-2]) <= 20 * MIB


def test_without_network_the_loopback_still_works(walls: Cage, put: Put) -> None:
    for sandbox in (False, True):
        run = put(walls, "calls_out", limits=Limits(network=False), sandbox=sandbox)
        assert "loopback works" in run.output
        assert "Network is unreachable" in run.output


def test_a_listener_of_ours_cannot_be_reached_without_network(walls: Cage, put: Put) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        call = (
            f"import socket; socket.create_connection({server.getsockname()!r}, timeout=5); print('reached')"
        )
        assert "reached" in put(walls, sys.executable, "-c", call).output
        assert "reached" not in put(walls, sys.executable, "-c", call, limits=Limits(network=False)).output


@pytest.mark.parametrize("sandbox", [False, True])
def test_a_run_cannot_lift_its_own_limits(walls: Cage, put: Put, machine: Machine, sandbox: bool) -> None:
    """Root could otherwise remount, and move itself into another group."""
    doors = [f"{each.parent}/cgroup.procs" for each in machine.cgroups.hierarchies]
    script = (
        f"mount -t tmpfs none /mnt; for each in {' '.join(doors)}; do echo $$ >$each && echo lifted; done"
    )
    run = put(walls, "sh", "-c", f"{script}; mount -o remount,rw /sys && echo lifted", sandbox=sandbox)
    assert "lifted" not in run.output


def test_processes_outside_cannot_be_seen_or_killed(walls: Cage, put: Put) -> None:
    run = put(walls, "sh", "-c", f"kill -0 {os.getpid()} && echo seen; ls /proc | grep -c '^[0-9]'")
    assert "seen" not in run.output
    assert int(run.output.split()[-1]) < 10


def test_shared_memory_vanishes_with_the_run(walls: Cage, put: Put, mark: str) -> None:
    assert put(walls, "touch", f"/dev/shm/{mark}").exit_status == 0
    assert not Path(f"/dev/shm/{mark}").exists()


def test_the_stack_of_a_hang_is_seen_through_the_sandbox(walls: Cage, put: Put) -> None:
    run = put(walls, "sleeps_in_c", timeout=1, sandbox=True)
    assert run.stopped is Stopped.TIMEOUT
    assert "waits_for_godot" in (run.stack or "")
