"""What each way to build was seen to read, kept for the next process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from bisector.environments.inputs import Inputs, from_json

MOST_REMEMBERED = 200
"""Sets of inputs kept for one way to build; most projects have a handful."""


class Memory:
    """A file for each way, by its key."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mutex = threading.Lock()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever built here."""
        return not self._folder.is_dir()

    def of(self, key: str) -> Iterator[Inputs]:
        """Newest first."""
        for line in reversed(self._lines(key)):
            known = from_json(line)
            if known is not None:
                yield known

    def add(self, key: str, read: Inputs) -> None:
        with self._mutex:
            self._folder.mkdir(parents=True, exist_ok=True)
            lines, line = self._lines(key), read.to_json()
            if line not in lines:
                aside = self._folder / f"{key}.{threading.get_ident()}.part"
                kept = [*lines, line][-MOST_REMEMBERED:]
                aside.write_text("".join(f"{one}\n" for one in kept), encoding="utf-8")
                aside.rename(self._folder / key)

    def _lines(self, key: str) -> list[str]:
        path = self._folder / key
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
