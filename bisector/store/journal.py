"""What a hunt found out, once more beside its logs: what a kill kept from the records, or all of a lost database.

Knows nothing of the database. A trial is written here first; half a line at the end is no trial.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bisector.errors import MachineFault
from bisector.model import Account, Trial
from bisector.store.rows import TRIAL, HuntRow, Shape


@dataclass(frozen=True, slots=True)
class Kept:
    """Everything of a hunt but its trials."""

    row: HuntRow
    versions: Mapping[str, tuple[str, ...]]
    account: Account | None


_KEPT = Shape(Kept)


@dataclass(frozen=True)
class Journal:
    """The files of one hunt."""

    folder: Path

    @property
    def _hunt(self) -> Path:
        return self.folder / "hunt.json"

    @property
    def _trials(self) -> Path:
        return self.folder / "trials.jsonl"

    def keep(self, kept: Kept) -> None:
        """In place of what was kept before; a reader never sees half of it."""
        aside = self._hunt.with_suffix(".new")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(_KEPT.dump(kept))
            aside.replace(self._hunt)
        except OSError as error:
            raise _unwritten(self._hunt, error) from error

    def kept(self) -> Kept | None:
        try:
            return _KEPT.load(self._hunt.read_bytes())
        except (OSError, ValueError):
            return None

    def forget(self) -> None:
        """Nothing is made again from this journal."""
        self._hunt.unlink(missing_ok=True)

    def add(self, trial: Trial) -> None:
        """On the disk before this returns."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._trials.open("a+b", buffering=0) as file:
                _write_line(file.fileno(), TRIAL.dump(trial))
        except OSError as error:
            raise _unwritten(self._trials, error) from error

    def trials(self) -> Iterator[Trial]:
        """In their order. What is no trial was being written when bisector was killed: it was never acted upon."""
        lines = self._trials.read_bytes().splitlines() if self._trials.exists() else []
        for line in lines:
            with suppress(ValueError):
                yield TRIAL.load(line)


def _write_line(file: int, line: bytes) -> None:
    """Whole or not at all, and never behind the half that a kill or a full disk has left."""
    size = os.fstat(file).st_size
    torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
    unwritten = memoryview((b"\n" if torn else b"") + line + b"\n")
    while unwritten:
        unwritten = unwritten[os.write(file, unwritten) :]
    os.fsync(file)


def _unwritten(path: Path, error: OSError) -> MachineFault:
    return MachineFault(
        f"cannot write {path}: {error.strerror}",
        "`bisector clean` frees what bisector keeps; the same command goes on from here",
    )
