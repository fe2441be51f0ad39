"""What strangers' code left in a folder that it could write to: taken only where it is what it seems.

A link may lead to what that code could not see itself, a pipe never ends. Ask only when nothing of it runs.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

LARGEST = 64 << 20


def is_own(path: Path, root: Path) -> bool:
    """A plain file below `root`, reached through no link that leads out of it."""
    return path.is_file() and not path.is_symlink() and is_below(path, root)


def is_below(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def content_of(path: str, most: int = LARGEST) -> bytes | None:
    """Of a plain file in a folder that is known; None: it is not there, a link, no file, or larger than `most`."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode) and status.st_size <= most:
                return file.read()
    return None


def read(path: Path, root: Path) -> str | None:
    """None: it is not there, or something else than a file of a size that makes sense."""
    if not is_own(path, root) or path.stat().st_size > LARGEST:
        return None
    return path.read_text(encoding="utf-8", errors="replace")
