"""Cages that stand behind: their processes get what all others leave, until somebody waits for what they make.

Between control groups a process's own niceness counts for nothing. Where there are none, it is all there is.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from bisector.caps.group import Group


class Behind:
    """One for all cages that stand behind the same runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: list[Group] = []
        self._stands_back = False

    @contextmanager
    def keeps(self, group: Group) -> Iterator[None]:
        with self._lock:
            self._groups.append(group)
            group.stand_back(self._stands_back)
        try:
            yield
        finally:
            with self._lock:
                self._groups.remove(group)

    def stand_back(self, whether: bool) -> None:
        with self._lock:
            self._stands_back = whether
            for group in self._groups:
                group.stand_back(whether)
