"""Layers: folders that are made once, published with one rename, shared read-only, and evicted when unused.

Knows nothing of what is in them. Look, lock, look again; every lock is a file's, free when its holder dies.
"""

from __future__ import annotations

import fcntl
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bisector.environments.census import complete, facts_of, is_as_published, publish
from bisector.folders import empty, walk
from bisector.locks import try_lock
from bisector.model import Trouble, Untestable

LOCK_LOOK = 0.05


@dataclass(frozen=True, slots=True)
class Layer:
    """A published folder; it stays while this process lives or until `Shelf.close`."""

    key: str
    path: Path


@dataclass(frozen=True, slots=True)
class Holding:
    """What a layer costs, for `status` and `clean`."""

    key: str
    path: Path
    bytes: int
    last_used: float
    in_use: bool


Build = Callable[[Path], Untestable | Trouble | None]


class Shelf:
    """All layers below one folder. One instance serves a process's threads; processes share the folder."""

    def __init__(self, root: Path, guarded: bool | Callable[[], bool]) -> None:
        """`guarded`: or how to find out; it is asked for when it matters."""
        self.root = root
        self._guarded = guarded
        self._held: dict[str, int] = {}
        self._proven: set[str] = set()
        self._mutex = threading.Lock()

    @cached_property
    def guarded(self) -> bool:
        """Nothing that runs can write to a layer: looking at one once a process is enough."""
        return self._guarded if isinstance(self._guarded, bool) else self._guarded()

    @property
    def layers(self) -> Path:
        return self.root / "layers"

    @property
    def grown(self) -> Path:
        """There when a layer was published since somebody last looked at the budget."""
        return self.root / "grown"

    @property
    def aside(self) -> Path:
        return self.root / "aside"

    def get(self, key: str) -> Layer | None:
        """The layer, held from now on; None when there is none, or when it is not what was published."""
        path = self.layers / key
        if not path.is_dir():
            return None
        self.hold(key)
        if not path.is_dir():
            return None
        if self._is_whole(key, path):
            os.utime(self._use_lock(key))
            return Layer(key, path)
        self._discard(path)
        return None

    @contextmanager
    def borrowed(self, key: str) -> Iterator[bool]:
        """Whether the layer is there and whole; it stays for this moment, and is left as it lies in any case."""
        lock = None
        with suppress(FileNotFoundError):
            lock = os.open(self._use_lock(key), os.O_RDWR | os.O_CLOEXEC)
        try:
            yield lock is not None and self._stays(lock, key)
        finally:
            if lock is not None:
                os.close(lock)

    def _stays(self, lock: int, key: str) -> bool:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        path = self.layers / key
        return path.is_dir() and (key in self._proven or is_as_published(path))

    def make(self, key: str, build: Build, cancelled: threading.Event) -> Layer | Untestable | Trouble:
        """The layer, built by `build` into a folder aside unless it is there or another process makes it."""
        found = self.get(key)
        if found is not None:
            return found
        with self.alone(key, cancelled) as is_mine:
            if not is_mine:
                return Trouble("cancelled while another hunt made the environment")
            return self.get(key) or self._build(key, build)

    @contextmanager
    def alone(self, key: str, cancelled: threading.Event) -> Iterator[bool]:
        """Whether nobody else makes something of this layer meanwhile; False: it was called off before."""
        lock = self._lock_to_build(key, cancelled)
        try:
            yield lock is not None
        finally:
            if lock is not None:
                os.close(lock)

    def grew(self, key: str) -> None:
        """It holds all that was to come later."""
        complete(self.layers / key)
        self.grown.touch()

    def holdings(self) -> tuple[Holding, ...]:
        """What lies here, least recently used first."""
        found = [self._holding(path) for path in self.published()]
        return tuple(sorted(found, key=lambda one: one.last_used))

    def evict(self, key: str) -> bool:
        """Remove a layer unless somebody holds it; whether it is gone."""
        return self.remove_unheld(key, self.layers / key)

    def remove_unheld(self, key: str, path: Path) -> bool:
        """Remove the folder that stands under this key's lock; whether it is gone."""
        lock = try_lock(self._use_lock(key))
        if lock is None:
            return False
        try:
            if path.is_dir():
                self._discard(path)
            return True
        finally:
            os.close(lock)

    def sweep(self) -> None:
        """Remove what a killed process left half made."""
        for path in self.aside.iterdir() if self.aside.is_dir() else ():
            lock = try_lock(self._build_lock(path.name.partition(".")[0]))
            if lock is not None:
                remove(path)
                os.close(lock)

    @contextmanager
    def desk(self, name: str) -> Iterator[Path | None]:
        """A fresh folder for what makes no layer, gone afterwards also if it is killed; None: another one has it."""
        lock = try_lock(self._build_lock(name))
        if lock is None:
            yield None
            return
        try:
            with temporary(self.aside / f"{name}.{os.getpid()}") as path:
                yield path
        finally:
            os.close(lock)

    def close(self) -> None:
        """Let go of every layer."""
        with self._mutex:
            for descriptor in self._held.values():
                os.close(descriptor)
            self._held.clear()

    def _build(self, key: str, build: Build) -> Layer | Untestable | Trouble:
        self.aside.mkdir(parents=True, exist_ok=True)
        self.layers.mkdir(parents=True, exist_ok=True)
        path = self.aside / f"{key}.{os.getpid()}.{threading.get_ident()}"
        remove(path)
        path.mkdir()
        try:
            failed = build(path)
            if failed is not None:
                return failed
            _protect(path)
            publish(path, strict=not self.guarded)
            path.rename(self.layers / key)
            self.grown.touch()
        except OSError as error:
            return Trouble(f"the environment could not be written: {error}", lasting=True)
        finally:
            remove(path)
        self.hold(key)
        self._proven.add(key)
        return Layer(key, self.layers / key)

    def _is_whole(self, key: str, path: Path) -> bool:
        if self.guarded and key in self._proven:
            return True
        whole = is_as_published(path)
        if whole:
            self._proven.add(key)
        return whole

    def _discard(self, path: Path) -> None:
        """Out of the way with one rename, then removed."""
        self.aside.mkdir(parents=True, exist_ok=True)
        away = self.aside / f"{path.name}.{os.getpid()}.{threading.get_ident()}.gone"
        with suppress(FileNotFoundError):
            path.rename(away)
        remove(away)

    def hold(self, key: str) -> None:
        """Shared with other users of the layer; only who evicts it must have it alone."""
        with self._mutex:
            if key not in self._held:
                path = self._use_lock(key)
                path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                fcntl.flock(descriptor, fcntl.LOCK_SH)
                self._held[key] = descriptor

    def _lock_to_build(self, key: str, cancelled: threading.Event) -> int | None:
        while True:
            lock = try_lock(self._build_lock(key))
            if lock is not None:
                return lock
            if cancelled.wait(LOCK_LOOK):
                return None

    def published(self) -> Iterator[Path]:
        """Where each layer lies, by its key; it may go at any moment."""
        if self.layers.is_dir():
            yield from self.layers.iterdir()

    def _holding(self, path: Path) -> Holding:
        facts = facts_of(path)
        lock = try_lock(self._use_lock(path.name))
        if lock is not None:
            os.close(lock)
        used = self._use_lock(path.name).stat().st_mtime
        return Holding(path.name, path, facts.census.bytes if facts else 0, used, in_use=lock is None)

    def _use_lock(self, key: str) -> Path:
        return self.root / "locks" / f"{key}.use"

    def _build_lock(self, key: str) -> Path:
        return self.root / "locks" / f"{key}.build"


def _protect(path: Path) -> None:
    """Against accidents, where no cage binds it. A file with several links is the cache's as well."""
    for folder, _, names in walk(path):
        for name in names:
            # Thousands of files: a Path for each would take longer than the rest.
            file = f"{folder}/{name}"
            status = os.lstat(file)
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
                os.chmod(file, stat.S_IMODE(status.st_mode) & ~0o222)  # noqa: PTH101
        # The layer's own folder must stay writable: renaming it changes its "..".
        if folder != str(path):
            Path(folder).chmod(0o555)


def remove(path: Path) -> None:
    """A whole folder, its read-only parts included."""
    if not path.exists():
        return
    for folder, _, _ in walk(path):
        with suppress(OSError):
            Path(folder).chmod(0o755)
    empty(path)


@contextmanager
def temporary(path: Path) -> Iterator[Path]:
    """A folder that is not there before and not there after."""
    remove(path)
    path.mkdir(parents=True)
    try:
        yield path
    finally:
        remove(path)
