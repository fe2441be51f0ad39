"""Bytecode that is made while its layer is in use: of modules that nothing imports with the packages themselves.

It takes the time that nobody else wants of a processor. Until it is there a run compiles for itself what it imports.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bisector.boot import this_boot
from bisector.environments.bytecode import compile_listed
from bisector.environments.census import BOOT, CACHE, NOTE, facts_of, noted, source_of
from bisector.environments.interpreters import Interpreter
from bisector.environments.layers import Layer, Shelf, temporary
from bisector.environments.ready import Desk, Place
from bisector.errors import BisectorError
from bisector.process import Finished, leftovers

DESK = "later"
HALF = ".half"
"""How a file ends that is being written: see guest/compile.py."""

MakePlace = Callable[[Path, threading.Event], Desk]
"""Where it is made: in this folder, until the event is set. It outlives the trial."""


@dataclass(frozen=True, slots=True)
class _Left:
    layer: Layer
    interpreter: Interpreter

    @property
    def is_open(self) -> bool:
        facts = facts_of(self.layer.path)
        return facts is not None and facts.partial

    @property
    def note(self) -> Path:
        return self.layer.path / NOTE

    def folders(self) -> Iterator[Path]:
        """Where it goes; a link that a package put there is not followed."""
        tops = {path.rpartition("/")[0] for path in noted(self.layer.path)}
        for folder in (self.layer.path / top / CACHE for top in tops):
            if leftovers.is_below(folder, self.layer.path):
                yield folder

    @property
    def is_sound(self) -> bool:
        """Whether it was made since the machine started: of what was made before, who knows what the disk has?"""
        return bool(this_boot()) and leftovers.read(self.layer.path / BOOT, self.layer.path) == this_boot()

    def forget(self) -> None:
        """What was made of it before the machine stopped."""
        with _writable([*self.folders()]):
            self.clear("")
        boot = self.layer.path / BOOT
        # A layer's files are read-only, to their owner too.
        boot.unlink(missing_ok=True)
        boot.write_text(this_boot())

    def clear(self, ending: str) -> None:
        """Remove what was made of it and is called so."""
        left = noted(self.layer.path)
        for file in [file for folder in self.folders() for file in folder.iterdir()]:
            if file.name.endswith(ending) and source_of(str(file.relative_to(self.layer.path))) in left:
                file.unlink()

    def missing(self, first: Container[str]) -> bytes:
        """What is still to be made, a line each; these files go before."""
        lines = self.note.read_bytes().splitlines(keepends=True)
        left = [line for line in lines if not self._is_there(os.fsdecode(line[:-1]))]
        left.sort(key=lambda line: f"{self.layer.path}/{os.fsdecode(line[:-1])}" not in first)
        return b"".join(left)

    def _is_there(self, source: str) -> bool:
        folder, _, name = source.rpartition("/")
        suffix = self.interpreter.bytecode_suffix
        return (self.layer.path / folder / CACHE / f"{name.removesuffix('.py')}{suffix}").is_file()


class Later:
    """One for a shelf. Works in one thread, as long as something is left."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._left: dict[str, _Left] = {}
        self._known: set[str] = set()
        """Layers of which nothing is left that was made before the machine started."""
        self._in_vain: set[str] = set()
        self._first: frozenset[str] = frozenset()
        self._mutex = threading.Lock()
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="later")
        self._work: Future[None] | None = None

    def used(self, layer: Layer, interpreter: Interpreter, place: Place) -> None:
        """What is left is made as soon as somebody begins; at once where no run may be slower than another."""
        left = _Left(layer, interpreter)
        if not left.is_open:
            return
        self._forget_what_is_unsure(left)
        if not place.may_defer:
            with temporary(place.scratch / DESK) as own:
                self._make(left, replace(place, scratch=own), idle=False)
        elif layer.key not in self._in_vain:
            with self._mutex:
                self._left[layer.key] = left

    def _forget_what_is_unsure(self, left: _Left) -> None:
        """Unless somebody alive is at it."""
        if left.layer.key not in self._known:
            self._known.add(left.layer.key)
            if left.is_sound:
                return
            at_once = threading.Event()
            at_once.set()
            with self._shelf.alone(left.layer.key, at_once) as is_mine:
                if is_mine and left.is_open and not left.is_sound:
                    left.forget()

    def prefer(self, files: Iterable[str]) -> None:
        """A run imported them: the next one need not compile them. Of what it names only what lies here counts."""
        self._first |= {file for file in files if file.startswith(f"{self._shelf.layers}/")}

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
            if not is_mine or not left.is_open:
                return
            path = left.layer.path
            with _writable([*left.folders()]):
                # Of who was called off, or killed.
                left.clear(HALF)
                ran = compile_listed(
                    left.missing(self._first), path, path, left.interpreter, place, None, idle=idle
                )
                left.clear(HALF)
            if isinstance(ran, Finished) and ran.ok:
                self._shelf.grew(left.layer.key)
                left.note.unlink()
                (path / BOOT).unlink(missing_ok=True)


@contextmanager
def _writable(folders: Sequence[Path]) -> Iterator[Sequence[Path]]:
    try:
        for folder in folders:
            folder.chmod(0o755)
        yield folders
    finally:
        for folder in folders:
            folder.chmod(0o555)
