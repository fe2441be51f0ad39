"""Folders in which others have run programs: gone through, and removed, however they left them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bisector.process import run

LAST_RESORT = (("chmod", "-R", "u+rwX", "--"), ("rm", "-rf", "--"))
"""Rights that a program took away, and folders nested deeper than Python goes."""


def walk(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """As os.walk: folder, folders in it, all else in it; links lie with all else. As deep as it may be.

    Folders that the caller takes out of the list are left out. What cannot be read is passed over.
    """
    waiting = [str(top)]
    while waiting:
        folder = waiting.pop()
        below: list[str] = []
        others: list[str] = []
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                (below if entry.is_dir(follow_symlinks=False) else others).append(entry.name)
        yield folder, below, others
        waiting += [f"{folder}/{name}" for name in below]


def is_folder(path: Path) -> bool:
    """A real one: behind a link may be anybody's."""
    return path.is_dir() and not path.is_symlink()


def empty(folder: Path) -> None:
    """Remove a folder, or whatever took its place."""
    if not is_folder(folder):
        folder.unlink(missing_ok=True)
        return
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for program in LAST_RESORT:
            run([*program, folder], cwd=folder.parent, env={"PATH": os.defpath})
