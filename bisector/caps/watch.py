"""Looks at a running tree from time to time: how much it holds, and whether a cap was passed.

Where the kernel enforces a cap, only its counter is read; where nothing does, the watch itself is the cap.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from bisector.caps import procfs
from bisector.caps.group import Control, Group
from bisector.caps.procfs import Process
from bisector.model import Cap, CapHit, Limits, Stopped

SLOWEST = 0.1
FASTEST = 0.005
ALLOCATION = 4 << 30
"""Bytes a second that a process may take at its fastest; decides how soon to look again near a cap."""
FORKING = 0.02
"""Seconds between looks where only they stop a fork bomb."""
SHARE = 20
"""A look may cost a twentieth of the time between looks, unless a cap depends on it."""
DISK_PAUSE = 0.5


class Watch:
    """One run's. `look` returns the cap that must end the run; `pause` the seconds until the next look."""

    def __init__(
        self,
        limits: Limits,
        group: Group,
        tree: Callable[[], tuple[Process, ...]],
        overhead: int,
        growth: Callable[[], int],
        on_memory: Callable[[int], None] | None,
    ) -> None:
        self._limits = limits
        self._group = group
        self._tree = tree
        self._overhead = overhead
        self._growth = growth
        self._on_memory = on_memory
        self._next_disk = 0.0
        self._disk = 0
        self._count = 0
        self._cpu = 0.0
        self._memory: int | None = None
        self.pause = FASTEST

    def look(self) -> Stopped | None:
        began = time.monotonic()
        stopped = self._look_at_memory() or self._look_at_disk(began)
        cost = time.monotonic() - began
        self.pause = min(self._soonest(cost), max(2 * self.pause, FASTEST))
        return stopped

    def _look_at_memory(self) -> Stopped | None:
        if self._group.has(Control.MEMORY):
            self._note_memory(self._group.memory_now() or 0)
            if self._limits.memory is not None and self._group.memory_kills():
                return Stopped.MEMORY
            if not self._guards_processes():
                return None
        return self._look_at_tree()

    def _look_at_tree(self) -> Stopped | None:
        processes = self._tree()
        self._count = max(0, len(processes) - self._overhead)
        self._cpu = max(self._cpu, sum(process.cpu_seconds for process in processes))
        if not self._group.has(Control.MEMORY):
            now = procfs.memory(processes)
            self._note_memory(now)
            if self._limits.memory is not None and now > self._limits.memory:
                return Stopped.MEMORY
        if self._guards_processes() and self._count > (self._limits.processes or 0):
            return Stopped.PROCESSES
        return None

    def _note_memory(self, now: int) -> None:
        self._memory = max(self._memory or 0, now)
        if self._on_memory is not None:
            self._on_memory(now)

    def _look_at_disk(self, now: float) -> Stopped | None:
        if self._limits.disk is None or now < self._next_disk:
            return None
        self._disk = self._growth()
        self._next_disk = time.monotonic() + max(DISK_PAUSE, 10 * (time.monotonic() - now))
        return Stopped.DISK if self._disk > self._limits.disk else None

    def _soonest(self, cost: float) -> float:
        if self._guards_processes():
            return FORKING
        if self._group.has(Control.MEMORY):
            return SLOWEST
        if self._limits.memory is None:
            return max(SLOWEST, SHARE * cost)
        # At full speed it may pass the cap by a quarter before the next look.
        room = 1.25 * self._limits.memory - (self._memory or 0)
        return min(SLOWEST, max(FASTEST, room / ALLOCATION))

    def _guards_processes(self) -> bool:
        return self._limits.processes is not None and not self._group.has(Control.PIDS)

    def peak_memory(self, told: int | None) -> int | None:
        """The largest of what was said, what was seen, and the kernel's mark."""
        marks = (told, self._memory, self._group.memory_peak())
        return max((mark for mark in marks if mark is not None), default=None)

    def cpu_seconds(self, told: float | None) -> float:
        """The kernel's account where it keeps one, else the largest of what was said and what was seen."""
        counted = self._group.cpu_seconds()
        return max(told or 0.0, self._cpu) if counted is None else counted

    def hits(self, peak_memory: int | None) -> tuple[CapHit, ...]:
        """Caps on the tree that were reached, whether or not that ended the run."""
        limits, found = self._limits, []
        memory = peak_memory or 0
        if limits.memory is not None and (self._group.memory_kills() or memory > limits.memory):
            found.append(CapHit(Cap.MEMORY, limits.memory, memory))
        if limits.processes is not None and (self._group.refused_forks() or self._count > limits.processes):
            found.append(CapHit(Cap.PROCESSES, limits.processes, max(limits.processes, self._count)))
        if limits.disk is not None and (disk := max(self._disk, self._growth())) > limits.disk:
            found.append(CapHit(Cap.DISK, limits.disk, disk))
        return tuple(found)


def written(places: Iterable[Path]) -> int:
    """Bytes on disk below the places; a file with several names counts once."""
    seen: set[tuple[int, int]] = set()
    return sum(_size(place, seen) for place in places)


def _size(folder: Path, seen: set[tuple[int, int]]) -> int:
    total = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                facts = entry.stat(follow_symlinks=False)
                if (facts.st_dev, facts.st_ino) in seen:
                    continue
                if facts.st_nlink > 1:
                    seen.add((facts.st_dev, facts.st_ino))
                total += facts.st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    total += _size(Path(entry.path), seen)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        # Removed, or closed to us, while we counted: then what was seen is the answer.
        return total
    return total
