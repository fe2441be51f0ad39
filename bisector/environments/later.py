"""Bytecode that is made while its layer is in use: of modules that nothing imports with the packages themselves.

It takes the time that nobody else wants of a processor. Until it is there a run compiles for itself what it imports.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bisector.environments.bytecode import NOTE, compile_listed
from bisector.environments.census import CACHE
from bisector.environments.interpreters import Interpreter
from bisector.environments.layers import Layer, Shelf, temporary
from bisector.environments.ready import Desk, Place
from bisector.errors import BisectorError
from bisector.process import Finished, leftovers

DESK = "later"

MakePlace = Callable[[Path, threading.Event], Desk]
"""Where it is made: in this folder, until the event is set. It outlives the trial."""


@dataclass(frozen=True, slots=True)
class _Left:
    layer: Layer
    interpreter: Interpreter

    @property
    def site(self) -> Path:
        return self.layer.path / self.interpreter.site

    @property
    def note(self) -> Path:
        return self.layer.path / NOTE

    def folders(self) -> Iterator[Path]:
        """Where it goes; a link that a package put there is not followed."""
        tops = dict.fromkeys(
            path.rpartition("/")[0] for path in self.note.read_text("utf-8", "surrogateescape").splitlines()
        )
        for folder in (self.site / top / CACHE for top in tops):
            if leftovers.is_below(folder, self.site):
                yield folder


class Later:
    """One for a shelf. Works in one thread, as long as something is left."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._left: dict[str, _Left] = {}
        self._in_vain: set[str] = set()
        self._mutex = threading.Lock()
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="later")
        self._work: Future[None] | None = None

    def used(self, layer: Layer, interpreter: Interpreter, place: Place) -> None:
        """What is left is made as soon as somebody begins; at once where no run may be slower than another."""
        left = _Left(layer, interpreter)
        if not left.note.exists():
            return
        if not place.may_defer:
            with temporary(place.scratch / DESK) as own:
                self._make(left, replace(place, scratch=own), idle=False)
        elif layer.key not in self._in_vain:
            with self._mutex:
                self._left[layer.key] = left

    def begin(self, make_place: MakePlace) -> None:
        with self._mutex:
            if self._left and (self._work is None or self._work.done()) and not self._stop.is_set():
                self._work = self._pool.submit(self._make_all, make_place)

    def close(self) -> None:
        self._stop.set()
        self._pool.shutdown()
        if self._work is not None:
            self._work.result()

    def _make_all(self, make_place: MakePlace) -> None:
        with self._shelf.desk(DESK) as own:
            while own is not None and (left := self._next()) is not None:
                self._in_vain.add(left.layer.key)
                # Runs are slower without it, and no less right.
                with suppress(BisectorError, OSError):
                    self._make(left, make_place(own, self._stop), idle=True)

    def _next(self) -> _Left | None:
        with self._mutex:
            return None if self._stop.is_set() or not self._left else self._left.popitem()[1]

    def _make(self, left: _Left, place: Desk, *, idle: bool) -> None:
        with self._shelf.alone(left.layer.key, place.cancelled) as is_mine:
            # Another process may have been at it until now.
            if not is_mine or not left.note.exists():
                return
            with _writable([*left.folders()]):
                modules = left.note.read_bytes()
                ran = compile_listed(
                    modules, left.site, left.layer.path, left.interpreter, place, None, idle=idle
                )
            if isinstance(ran, Finished) and ran.ok:
                left.note.unlink()
                self._shelf.grew(left.layer.key)


@contextmanager
def _writable(folders: Sequence[Path]) -> Iterator[None]:
    try:
        for folder in folders:
            folder.chmod(0o755)
            for half in folder.glob("*.half"):
                # Of somebody who was killed.
                half.unlink()
        yield
    finally:
        for folder in folders:
            folder.chmod(0o555)
