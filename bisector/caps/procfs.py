"""What /proc says of running processes. A zombie is not alive: it only waits to be reaped.

Knows nothing of cages. What ends between two reads, or is hidden (hidepid), is simply not in the answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from os import sysconf
from pathlib import Path

PROC = Path("/proc")
PAGE = sysconf("SC_PAGE_SIZE")
TICKS = sysconf("SC_CLK_TCK")
DEAD = {"Z", "X", "x"}


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    name: str
    state: str
    started: int
    """In ticks since the machine's start: with the pid it names a process for good."""
    cpu_seconds: float
    """Its own, and of the children it has waited for."""
    threads: int

    @property
    def is_alive(self) -> bool:
        """A zombie with more than one thread is a process whose first thread alone has ended."""
        return self.state not in DEAD or self.threads > 1


def look(pid: int) -> Process | None:
    try:
        text = (PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    # The name stands in parentheses and may itself hold spaces and parentheses.
    head, _, tail = text.rpartition(")")
    fields = tail.split()
    return Process(
        pid=pid,
        parent=int(fields[1]),
        name=head.partition("(")[2],
        state=fields[0],
        started=int(fields[19]),
        cpu_seconds=sum(int(field) for field in fields[11:15]) / TICKS,
        threads=int(fields[17]),
    )


def is_alive(pid: int) -> bool:
    process = look(pid)
    return process is not None and process.is_alive


def tree(root: int) -> tuple[Process, ...]:
    """The living below `root`, itself included. Complete only where orphans fall to `root`."""
    children: defaultdict[int, list[Process]] = defaultdict(list)
    found: list[Process] = []
    for process in _everything():
        children[process.parent].append(process)
        if process.pid == root:
            found.append(process)
    for process in found:
        found.extend(children[process.pid])
    return tuple(process for process in found if process.is_alive)


def _everything() -> Iterable[Process]:
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (process := look(int(entry.name))) is not None:
            yield process


def memory(processes: Iterable[Process]) -> int:
    """Bytes in use: proportional shares, so that what forked workers share counts once."""
    return sum(_share(process.pid) for process in processes)


def _share(pid: int) -> int:
    try:
        for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except PermissionError:
        return _resident(pid)
    return 0


def _resident(pid: int) -> int:
    try:
        return int((PROC / str(pid) / "statm").read_text().split()[1]) * PAGE
    except (FileNotFoundError, ProcessLookupError):
        return 0


def innermost_pid(pid: int) -> int | None:
    """The pid it has in its own namespace: 1 for the first process of a pid namespace."""
    try:
        text = (PROC / str(pid) / "status").read_text("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    for line in text.splitlines():
        if line.startswith("NSpid:"):
            return int(line.split()[-1])
    return None


def program(pid: int) -> str:
    """The file name of what it executes; empty where that may not be known."""
    try:
        return (PROC / str(pid) / "exe").readlink().name
    except OSError:
        return ""
