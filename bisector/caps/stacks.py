"""Where every Python of a tree hangs: asked of py-spy from outside, also through pid namespaces."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from bisector import process
from bisector.caps import procfs
from bisector.caps.procfs import Process

BUDGET = 5.0
"""Seconds for all of them: the verdict (a timeout) is known already, the stacks are only its illustration."""
MOST = 32


def pythons(processes: Iterable[Process]) -> tuple[Process, ...]:
    return tuple(each for each in processes if procfs.program(each.pid).startswith(("python", "pypy")))


def dump(py_spy: Path, processes: Iterable[Process]) -> str | None:
    """The stacks as text, a paragraph a process; None where py-spy was refused everywhere."""
    deadline = time.monotonic() + BUDGET
    told = (_dump_one(py_spy, each, deadline) for each in pythons(processes)[:MOST])
    return "\n".join(text for text in told if text is not None) or None


def _dump_one(py_spy: Path, target: Process, deadline: float) -> str | None:
    left = deadline - time.monotonic()
    if left <= 0:
        return None
    # A stopped process cannot be paused by py-spy, and it will not move while it is read.
    how = ["--nonblocking"] if target.state in "tT" else []
    result = process.run(
        [py_spy, "dump", "--pid", str(target.pid), *how], cwd=Path("/"), env={"LC_ALL": "C"}, timeout=left
    )
    if isinstance(result, process.ProgramMissing) or not result.ok:
        return None
    return result.stdout
