"""The guard: what carries the mark of a life goes when that life was cut short, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

import bisector

LIFE = """
import subprocess, sys, threading
from pathlib import Path
from bisector.process import run
from bisector.process.guard import mark
left = subprocess.Popen(["/bin/sh", "-c", "sleep 600; exit", mark()], stdout=-3, start_new_session=True)
other = subprocess.Popen(["/bin/sh", "-c", "sleep 600; exit", mark()[:-1]], stdout=-3, start_new_session=True)
tool = "exec 2>/dev/null; trap 'echo cleaned >cleaned; exit' TERM; echo $$ >tool; while :; do sleep 0.05; done"
start = lambda: run(["/bin/sh", "-c", tool], cwd=Path.cwd(), env={"PATH": "/usr/bin:/bin"})
threading.Thread(target=start, daemon=True).start()
while not Path("tool").exists() or not Path("tool").read_text():
    pass
run(["/bin/true"], cwd=Path.cwd(), env={})
print(left.pid, other.pid, Path("tool").read_text(), flush=True)
sys.stdin.readline()
"""


@contextmanager
def life(folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    """A process, with what it started: what carries its mark, what carries another, and a tool like git."""
    begun = subprocess.Popen(
        [sys.executable, "-c", LIFE],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(bisector.__file__).parents[1])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert begun.stdout is not None
    started = [psutil.Process(int(pid)) for pid in begun.stdout.readline().split()]
    below = [child for one in started for child in one.children()]
    try:
        yield begun, started
    finally:
        begun.kill()
        begun.communicate()
        for each in (*started, *below):
            if each.is_running():
                each.kill()


def test_what_carries_the_mark_goes_with_a_life_cut_short(tmp_path: Path) -> None:
    with life(tmp_path) as (begun, (left, other, tool)):
        begun.kill()
        left.wait(60)
        tool.wait(60)
        assert other.status() == psutil.STATUS_SLEEPING
        assert (tmp_path / "cleaned").exists(), "our own tools may clean up"


def test_a_life_that_ends_well_has_seen_to_it_itself(tmp_path: Path) -> None:
    with life(tmp_path) as (begun, (left, _, _)):
        begun.communicate("done\n", timeout=60)
        with pytest.raises(psutil.TimeoutExpired):
            left.wait(1.5)
