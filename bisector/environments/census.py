"""What lies in a folder: enough to notice that somebody changed it, without reading any file."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Census:
    bytes: int
    """On the disk, files shared with a cache included."""
    digest: str
    """Of every name, size, kind and time of change; a dot file at the top does not count."""
    strict: bool


def take_census(path: Path, strict: bool) -> Census:
    """`strict`: count the time of change that nobody can set back. It also moves when a cache lets go of its
    link to a file, so it is only for folders that share no file with anybody.
    """
    total = 0
    lines: list[str] = []
    waiting = [str(path)]
    prefix = len(str(path)) + 1
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                name = entry.path[prefix:]
                if name.startswith(".") and "/" not in name:
                    continue
                status = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                    lines.append(f"{name}/")
                else:
                    total += status.st_blocks * 512
                    changed = status.st_ctime_ns if strict else status.st_mtime_ns
                    lines.append(f"{name} {status.st_size} {changed}")
    lines.sort()
    text = "\n".join(lines).encode("utf-8", "surrogateescape")
    return Census(total, hashlib.sha256(text).hexdigest(), strict)
