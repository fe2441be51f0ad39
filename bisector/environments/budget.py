"""The cache's budget in bytes: the least recently used layers go first, downloads last, what runs never."""

from __future__ import annotations

import math
import os
from pathlib import Path

from bisector.environments.layers import Shelf

DEFAULT_BUDGET = 20 * 1024**3
"""Bytes, where nobody says otherwise."""
BYTECODE = "bytecode"
"""Of the hunted projects' modules: a folder beside the layers, and the key it is held by."""
DOWNLOADS = "downloads"
"""The installers' own caches: the same."""


def trim(shelf: Shelf, budget: int) -> int:
    """Bring the whole folder to at most `budget` bytes; how many bytes it gave back."""
    before = used = bytes_below(shelf.root)
    for holding in shelf.holdings():
        if used <= budget:
            break
        if not holding.in_use and shelf.evict(holding.key):
            used = bytes_below(shelf.root)
    for folder in (BYTECODE, DOWNLOADS):
        if used > budget and shelf.remove_unheld(folder, shelf.root / folder):
            used = bytes_below(shelf.root)
    return before - used


def fit(shelf: Shelf, budget: int) -> int:
    """Counting every file takes a while: only where something was made since, or less is allowed than then."""
    fits = shelf.root / "fits"
    if not shelf.grown.exists() and _read(fits) <= budget:
        return 0
    shelf.grown.unlink(missing_ok=True)
    freed = trim(shelf, budget)
    fits.write_text(f"{budget}\n")
    return freed


def _read(fits: Path) -> float:
    """The least that it was brought to since something was made."""
    try:
        return int(fits.read_text())
    except (OSError, ValueError):
        return math.inf


def bytes_below(folder: Path) -> int:
    """On the disk; a file with several links counts once."""
    seen: set[tuple[int, int]] = set()
    total = 0
    waiting = [str(folder)] if folder.is_dir() else []
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif status.st_nlink == 1 or (status.st_dev, status.st_ino) not in seen:
                    seen.add((status.st_dev, status.st_ino))
                    total += status.st_blocks * 512
    return total
