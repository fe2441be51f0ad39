"""Keeps the file that a run saved beside the trial's log, before the next run can write over it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from bisector.model import Run

LARGEST = 1 << 30
"""Bytes. A hunt keeps the file of every run."""


def save(run: Run, file: str, cwd: Path, place: Path) -> Run:
    """The run with where its file is now, `place` with the file's own ending, or why it is nowhere."""
    path = cwd / file
    fault = _unfit(path, cwd, file)
    if fault is not None:
        return replace(run, unsaved=fault)
    kept = place.with_name(place.name + path.suffix)
    shutil.move(path, kept)
    return replace(run, saved=str(kept))


def _unfit(path: Path, cwd: Path, name: str) -> str | None:
    """A link or a pipe is not taken for a file: it may lead anywhere, or never end."""
    if path.is_symlink() or not path.resolve().is_relative_to(cwd.resolve()):
        return f"{name} is a link"
    if not path.exists():
        return f"{name} was not saved"
    if not path.is_file():
        return f"{name} is not a file"
    size = path.stat().st_size
    return f"{name} is too large to be kept: {size} bytes, at most {LARGEST}" if size > LARGEST else None
