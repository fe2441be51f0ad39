"""One control group, spread over this machine's hierarchies: limits set, counters read, members killed.

Knows both dialects (cgroup v1, v2). Does not know where groups may be made: see `cgroups`.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bisector.caps import procfs
from bisector.errors import MachineFault

PATIENCE = 5.0
"""Seconds that killed processes may take to be gone; longer means that they hang inside the kernel."""
PERIOD = 100_000


class Control(Enum):
    """What a hierarchy can do for us; the values are the kernel's names of the controllers."""

    MEMORY = "memory"
    PIDS = "pids"
    CPU = "cpu"
    CPU_TIME = "cpuacct"
    KILL = "kill"


@dataclass(frozen=True, slots=True)
class Room:
    """A directory of the group in one hierarchy, and what that hierarchy controls."""

    path: Path
    version: int
    controls: frozenset[Control]


class Group:
    """The rooms of one trial. Every reading is None where no room has that control."""

    def __init__(self, rooms: tuple[Room, ...]) -> None:
        self._rooms = rooms
        self._lock = threading.Lock()
        self._is_to_end = False

    @property
    def doors(self) -> tuple[Path, ...]:
        """Where a process writes 0 to join."""
        return tuple(room.path / "cgroup.procs" for room in self._rooms)

    def has(self, control: Control) -> bool:
        return self._room(control) is not None

    def limit_memory(self, size: int) -> None:
        room = self._room(Control.MEMORY)
        assert room is not None
        if room.version == 2:
            _write(room, "memory.max", size)
            _write_if_there(room, "memory.swap.max", 0)
            _write_if_there(room, "memory.oom.group", 1)
        else:
            _write(room, "memory.limit_in_bytes", size)
            _write_if_there(room, "memory.memsw.limit_in_bytes", size)

    def limit_processes(self, count: int) -> None:
        room = self._room(Control.PIDS)
        assert room is not None
        _write(room, "pids.max", count)

    def limit_cpus(self, cpus: float) -> None:
        room = self._room(Control.CPU)
        assert room is not None
        quota = max(1000, math.floor(cpus * PERIOD))
        if room.version == 2:
            _write(room, "cpu.max", f"{quota} {PERIOD}")
        else:
            _write(room, "cpu.cfs_period_us", PERIOD)
            _write(room, "cpu.cfs_quota_us", quota)

    def stand_back(self, whether: bool) -> None:
        """Whether its members run only when a processor has nothing else to do (Linux 5.15)."""
        room = self._room(Control.CPU)
        if room is None:
            return
        with self._lock:
            _write_if_there(room, "cpu.idle", int(whether and not self._is_to_end))

    def is_to_end(self) -> None:
        """It stands back no more: who gets no processor does not even die."""
        self._is_to_end = True
        self.stand_back(False)

    def memory_kills(self) -> int:
        """How often the kernel killed for want of memory: the only sure sign, whatever the exit status is."""
        room = self._room(Control.MEMORY)
        if room is None:
            return 0
        table = _table(room, "memory.events" if room.version == 2 else "memory.oom_control")
        return table.get("oom_kill", 0)

    def memory_now(self) -> int | None:
        """Bytes that are really held: file pages, which the kernel drops at need, do not count."""
        room = self._room(Control.MEMORY)
        if room is None:
            return None
        table = _table(room, "memory.stat")
        return table.get("anon" if room.version == 2 else "total_rss", 0) + _shared(room, table)

    def memory_peak(self) -> int | None:
        """The kernel's own high-water mark, less the file pages at the end: whether a library was read from
        disk by this run or by an earlier one must not show in the figure."""
        room = self._room(Control.MEMORY)
        if room is None:
            return None
        mark = self.memory_mark()
        if mark is None:
            return None
        table = _table(room, "memory.stat")
        pages = table.get("file" if room.version == 2 else "total_cache", 0) - _shared(room, table)
        return max(0, mark - max(0, pages))

    def memory_mark(self) -> int | None:
        """The most that was ever charged, file pages included."""
        room = self._room(Control.MEMORY)
        if room is None:
            return None
        return _number(room, "memory.peak" if room.version == 2 else "memory.max_usage_in_bytes")

    def refused_forks(self) -> int:
        room = self._room(Control.PIDS)
        return 0 if room is None else _table(room, "pids.events").get("max", 0)

    def cpu_seconds(self) -> float | None:
        room = self._room(Control.CPU_TIME)
        if room is None:
            return None
        if room.version == 2:
            return _table(room, "cpu.stat").get("usage_usec", 0) / 1e6
        return (_number(room, "cpuacct.usage") or 0) / 1e9

    def can_kill(self) -> bool:
        """Whether the kernel kills a whole group at once: v2, since 5.14, and not at the root."""
        return any((room.path / "cgroup.kill").exists() for room in self._rooms)

    def members(self) -> tuple[int, ...]:
        """The living, nested groups included."""
        found = {pid for room in self._rooms for folder in _folders(room.path) for pid in _pids(folder)}
        return tuple(sorted(pid for pid in found if procfs.is_alive(pid)))

    def kill(self) -> None:
        room = self._room(Control.KILL)
        if room is not None:
            _write_if_there(room, "cgroup.kill", 1)
        for pid in self.members():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill who is left, wait until nobody is, remove the directories."""
        limit = time.monotonic() + PATIENCE
        pause = 0.0002
        while not self._is_removed():
            self.kill()
            if time.monotonic() > limit:
                raise MachineFault(f"killed processes do not end: {describe(self.members())}")
            time.sleep(pause)
            pause = min(2 * pause, 0.02)

    def _is_removed(self) -> bool:
        try:
            for room in self._rooms:
                for folder in _folders(room.path):
                    folder.rmdir()
        except OSError:
            return False
        return True

    def _room(self, control: Control) -> Room | None:
        return next((room for room in self._rooms if control in room.controls), None)


def describe(pids: tuple[int, ...]) -> str:
    """Who still lives and in which state: D means that it waits inside the kernel."""
    seen = [process for pid in pids if (process := procfs.look(pid)) is not None]
    return (
        ", ".join(f"{each.name} (pid {each.pid}, state {each.state})" for each in seen) or "none to be seen"
    )


def _shared(room: Room, table: dict[str, int]) -> int:
    return table.get("shmem" if room.version == 2 else "total_shmem", 0)


def _folders(path: Path) -> Iterator[Path]:
    """The directory and all below it, the deepest first."""
    try:
        with os.scandir(path) as entries:
            inner = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return
    for each in inner:
        yield from _folders(Path(each))
    yield path


def _pids(folder: Path) -> list[int]:
    try:
        return [int(word) for word in (folder / "cgroup.procs").read_text().split()]
    except OSError:
        return []


def _write(room: Room, name: str, value: int | str) -> None:
    try:
        (room.path / name).write_text(str(value))
    except OSError as error:
        raise MachineFault(f"cannot set {name} of {room.path} to {value}: {error.strerror}") from error


def _write_if_there(room: Room, name: str, value: int) -> None:
    with suppress(OSError), (room.path / name).open("r+") as file:
        file.write(str(value))


def _number(room: Room, name: str) -> int | None:
    try:
        return int((room.path / name).read_text())
    except (OSError, ValueError):
        return None


def _table(room: Room, name: str) -> dict[str, int]:
    """A file of lines `name number`."""
    try:
        lines = (room.path / name).read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.split() for line in lines)
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}
