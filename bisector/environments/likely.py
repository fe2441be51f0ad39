"""Packages that are laid out before anybody knows whether they are wanted: those that earlier answers of a registry
name for what the recipe asks, and for what most projects are built with.

Nobody gets them unless the registry answers the same, and nothing of them has run before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bisector.beside import TICK
from bisector.environments.ready import Desk


class Use(Enum):
    """What a set is for; there is one of each."""

    PACKAGES = "packages"
    TOOLS = "tools"


@dataclass(slots=True)
class _Set:
    key: str
    desk: Desk
    is_whole: bool = False

    @property
    def venv(self) -> Path:
        return self.desk.scratch / "venv"


class Likely:
    """Those of one process, before its first trial."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._sets: dict[Use, _Set] = {}
        self._settled: set[Use] = set()

    def lay_out(self, use: Use, key: str, desk: Desk, install: Callable[[Path], bool]) -> None:
        """What may be the layer `key`. `install`: all of it into a virtualenv here, and whether that succeeded."""
        made = _Set(key, desk)
        with self._news:
            if use in self._settled:
                return
            self._sets[use] = made
        try:
            made.is_whole = install(made.venv)
        finally:
            with self._news:
                if not made.is_whole and self._sets.get(use) is made:
                    del self._sets[use]
                self._news.notify_all()

    def is_wanted(self, key: str) -> bool:
        """Whether this is laid out."""
        with self._news:
            return self._of(key) is not None

    def settle(self, use: Use) -> None:
        """By now it is known what is wanted: what nobody has taken is not."""
        with self._news:
            self._settled.add(use)
            left = self._sets.pop(use, None)
            if left is not None:
                left.desk.cancelled.set()
            self._news.notify_all()

    def keep(self, cancelled: threading.Event) -> None:
        """Until nothing is left that somebody might take: then its place may go."""
        with self._news:
            while self._sets and not cancelled.is_set():
                self._news.wait(TICK)
            self._sets.clear()

    def take(self, key: str, to: Path, cancelled: threading.Event) -> str | None:
        """Move the virtualenv there, once it is whole; what the installer said. None: there is no such one."""
        with self._news:
            while (use := self._of(key)) is not None and not cancelled.is_set():
                found = self._sets[use]
                if found.is_whole:
                    found.venv.rename(to)
                    del self._sets[use]
                    self._news.notify_all()
                    return found.desk.log.read_text(encoding="utf-8")
                self._news.wait(TICK)
            return None

    def _of(self, key: str) -> Use | None:
        return next((use for use, one in self._sets.items() if one.key == key), None)
