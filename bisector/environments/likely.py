"""Packages that are laid out while a registry is asked which there are to be: those that its earlier answers name.

Nobody gets them unless it answers the same, and nothing of them has run before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bisector.beside import TICK
from bisector.environments.ready import Desk


@dataclass(slots=True)
class _Set:
    key: str
    venv: Path
    log: Path
    is_whole: bool = False


class Likely:
    """One set at a time."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._set: _Set | None = None

    def lay_out(self, key: str, desk: Desk, install: Callable[[Path], bool]) -> None:
        """What will be the layer `key`. `install`: into a virtualenv at this place, and whether it succeeded."""
        made = _Set(key, desk.scratch / "venv", desk.log)
        with self._news:
            self._set = made
        try:
            made.is_whole = install(made.venv)
        finally:
            with self._news:
                if not made.is_whole:
                    self._set = None
                self._news.notify_all()

    def is_wanted(self, key: str) -> bool:
        """Whether this is what is laid out."""
        with self._news:
            return self._set is not None and self._set.key == key

    def keep(self, cancelled: threading.Event) -> None:
        """Until somebody has taken it or nobody will: then its place may go."""
        with self._news:
            while self._set is not None and not cancelled.is_set():
                self._news.wait(TICK)
            self._set = None

    def take(self, key: str, to: Path, cancelled: threading.Event) -> str | None:
        """Move the virtualenv there, once it is whole; what the installer said. None: there is no such one."""
        with self._news:
            while self._has(key) is not None and not cancelled.is_set():
                found = self._has(key)
                if found is not None and found.is_whole:
                    found.venv.rename(to)
                    self._set = None
                    self._news.notify_all()
                    return found.log.read_text(encoding="utf-8")
                self._news.wait(TICK)
            return None

    def _has(self, key: str) -> _Set | None:
        return self._set if self._set is not None and self._set.key == key else None
