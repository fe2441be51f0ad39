"""The guard: what carries the mark of a life goes when that life was cut short, and only then."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

LIFE = """
import subprocess, sys
from bisector.caps.guard import mark
left = subprocess.Popen(["/bin/sh", "-c", "sleep 600; exit", mark()], stdout=-3, start_new_session=True)
other = subprocess.Popen(["/bin/sh", "-c", "sleep 600; exit", mark()[:-1]], stdout=-3, start_new_session=True)
print(left.pid, other.pid, flush=True)
sys.stdin.readline()
"""


@contextmanager
def life() -> Iterator[tuple[subprocess.Popen[str], psutil.Process, psutil.Process]]:
    begun = subprocess.Popen(
        [sys.executable, "-c", LIFE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert begun.stdout is not None
    left, other = map(psutil.Process, map(int, begun.stdout.readline().split()))
    below = [*left.children(), *other.children()]
    try:
        yield begun, left, other
    finally:
        begun.kill()
        begun.communicate()
        for each in (left, other, *below):
            if each.is_running():
                each.kill()


def test_what_carries_the_mark_goes_with_a_life_cut_short() -> None:
    with life() as (begun, left, other):
        begun.kill()
        left.wait(60)
        assert other.status() == psutil.STATUS_SLEEPING


def test_a_life_that_ends_well_has_seen_to_it_itself() -> None:
    with life() as (begun, left, _):
        begun.communicate("done\n", timeout=60)
        with pytest.raises(psutil.TimeoutExpired):
            left.wait(1.5)
