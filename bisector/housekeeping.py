"""What the state directory holds, in bytes, and how to give it back: nothing that a process uses ever goes.

Every lock is asked before anything is touched; who holds one is at work.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bisector.environments.budget import BYTECODE, DOWNLOADS
from bisector.environments.layers import Shelf
from bisector.folders import empty, walk
from bisector.git import upkeep
from bisector.locks import try_lock
from bisector.state import State
from bisector.store import HuntRow, Store

UNUSED = "unused space"
"""What is freed beside things that can be counted."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Bytes on the disk by what they are for."""

    environments: int
    mirrors: int
    hunts: int
    records: int

    @property
    def total(self) -> int:
        return self.environments + self.mirrors + self.hunts + self.records


@dataclass(frozen=True, slots=True)
class Freed:
    """One thing that is gone."""

    what: str
    name: str
    bytes: int


def kept(state: State) -> Kept:
    return Kept(
        environments=occupied(state.environments) + occupied(state.caged_environments),
        mirrors=occupied(state.mirrors),
        hunts=occupied(state.hunts) + occupied(state.tries),
        records=_records_size(state),
    )


def clean(state: State, store: Store, *, everything: bool) -> Iterator[Freed]:
    """What is not in use; with `everything` also finished and stopped hunts, mirrors and downloads."""
    running = frozenset(row.id for row in store.hunts() if _is_running(state, row))
    for root in (state.environments, state.caged_environments):
        yield from _environments(root, everything=everything)
    yield from _tries(state)
    for row in store.hunts():
        if row.id not in running:
            yield from _hunt(state, store, row, everything=everything)
    yield from _strays(state, store)
    busy = {row.repo for row in store.hunts() if row.id in running}
    yield from _mirrors(state, busy, everything)
    if everything and state.demo.is_dir() and not any(Path(repo).is_relative_to(state.demo) for repo in busy):
        yield _gone("demo", state.demo)
    if everything:
        yield from _records(state, store)


def sweep(state: State) -> None:
    """Remove what processes that were killed left: scratch, half-made mirrors. Every start begins with this."""
    for scratch in state.hunts.glob("*/scratch/*"):
        with _alone(state.hunt_lock(scratch.parents[1].name)) as mine:
            if mine:
                empty(scratch)
    for _ in _tries(state):
        pass
    for mirror in _folders(state.mirrors):
        upkeep.sweep(mirror)


def _is_running(state: State, row: HuntRow) -> bool:
    with _alone(state.hunt_lock(row.id)) as mine:
        return not mine


@contextmanager
def _alone(lock: Path) -> Iterator[bool]:
    """Whether nobody else holds it; held for the block if so."""
    descriptor = try_lock(lock)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _environments(root: Path, *, everything: bool) -> Iterator[Freed]:
    shelf = Shelf(root, guarded=False)
    shelf.sweep()
    for holding in shelf.holdings():
        size = 0 if holding.in_use else occupied(holding.path)
        if not holding.in_use and shelf.evict(holding.key):
            yield Freed("environment", holding.key, size)
    for folder, name in ((BYTECODE, "bytecode"), (DOWNLOADS, "download cache")):
        size = occupied(root / folder) if everything or folder == BYTECODE else 0
        if size and shelf.remove_unheld(folder, root / folder):
            yield Freed(name, folder, size)


def _tries(state: State) -> Iterator[Freed]:
    """Of `bisector try` that was killed."""
    for folder in _folders(state.tries):
        with _alone(folder.with_suffix(".lock")) as mine:
            if mine:
                yield _gone("scratch", folder)
                folder.with_suffix(".lock").unlink(missing_ok=True)


def _hunt(state: State, store: Store, row: HuntRow, *, everything: bool) -> Iterator[Freed]:
    folder, lock = state.hunt(row.id), state.hunt_lock(row.id)
    with _alone(lock) as mine:
        if not mine:
            return
        if everything:
            store.remove_hunt(row.id)
            upkeep.forget(state.mirrors / upkeep.folder_name(row.repo), row.id)
            yield _gone("hunt", folder, row.id)
            lock.unlink(missing_ok=True)
        elif (folder / "scratch").exists():
            yield _gone("scratch", folder / "scratch", row.id)


def _strays(state: State, store: Store) -> Iterator[Freed]:
    """Folders of hunts that no record knows."""
    known = {row.id for row in store.hunts()}
    for folder in _folders(state.hunts):
        if folder.name not in known:
            with _alone(state.hunt_lock(folder.name)) as mine:
                if mine:
                    yield _gone("hunt", folder)
                    state.hunt_lock(folder.name).unlink(missing_ok=True)


def _mirrors(state: State, running: set[str], everything: bool) -> Iterator[Freed]:
    busy = {upkeep.folder_name(repo) for repo in running}
    for folder in sorted(_folders(state.mirrors), key=lambda path: path.stat().st_mtime):
        if upkeep.is_leftover(folder):
            yield _gone("mirror", folder)
        elif everything and folder.name not in busy:
            size = occupied(folder)
            if upkeep.remove(folder):
                yield Freed("mirror", folder.name, size)
                continue
        for slot in upkeep.slots(folder):
            size = occupied(slot)
            if upkeep.free(slot):
                yield Freed("worktree", f"{folder.name}/{slot.name}", size)


def _records(state: State, store: Store) -> Iterator[Freed]:
    before = _records_size(state)
    store.shrink()
    size = before - _records_size(state)
    if size > 0:
        yield Freed(UNUSED, "of the records", size)


def _gone(what: str, folder: Path, name: str | None = None) -> Freed:
    size = occupied(folder)
    empty(folder)
    return Freed(what, name or folder.name, size)


def _folders(place: Path) -> list[Path]:
    return [path for path in place.iterdir() if path.is_dir()] if place.is_dir() else []


def occupied(folder: Path) -> int:
    """What its removal gives back: a file that has further links elsewhere gives nothing."""
    linked: dict[tuple[int, int], list[int]] = {}
    total = 0
    for root, _, names in walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                status = Path(root, name).lstat()
                if status.st_nlink == 1:
                    total += status.st_blocks * 512
                else:
                    key = (status.st_dev, status.st_ino)
                    seen = linked.setdefault(key, [status.st_nlink, status.st_blocks])
                    seen[0] -= 1
    return total + sum(blocks * 512 for missing, blocks in linked.values() if missing == 0)


def _records_size(state: State) -> int:
    return sum(_bytes_of(path) for path in state.root.glob("records.sqlite3*"))


def _bytes_of(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_blocks * 512
    return 0
