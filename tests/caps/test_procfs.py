"""What /proc says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from bisector.caps import procfs
from bisector.caps.watch import written


def test_a_zombie_is_not_alive() -> None:
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert procfs.look(child.pid) is not None
    assert not procfs.is_alive(child.pid)
    child.wait()
    assert procfs.look(child.pid) is None


def test_a_name_may_hold_anything(tmp_path: Path) -> None:
    odd = tmp_path / "a) Z 1 (b"
    shutil.copy(shutil.which("sleep") or "", odd)
    with subprocess.Popen([odd, "60"]) as child:
        seen = procfs.look(child.pid)
        child.kill()
    assert seen is not None
    assert (seen.name, seen.parent, seen.is_alive) == ("a) Z 1 (b", os.getpid(), True)


def test_a_tree_has_the_living_below_a_process() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60 & sleep 60 & echo; wait"], stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        tree = procfs.tree(shell.pid)
        for each in tree:
            os.kill(each.pid, 9)
    assert sorted(each.parent for each in tree) == sorted([os.getpid(), shell.pid, shell.pid])


def test_memory_is_in_bytes_and_of_the_living() -> None:
    own = procfs.look(os.getpid())
    assert own is not None
    assert 4 << 20 < procfs.memory([own]) < 4 << 30
    assert procfs.program(os.getpid()) == Path(sys.executable).resolve().name
    assert procfs.innermost_pid(os.getpid()) is not None


def test_bytes_written_count_links_once_and_follow_none(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    before = written([tmp_path])
    (inner / "file").write_bytes(b"x" * 100_000)
    (inner / "again").hardlink_to(inner / "file")
    (inner / "away").symlink_to("/usr")
    assert 100_000 <= written([tmp_path]) - before < 120_000
    assert written([tmp_path / "gone"]) == 0
