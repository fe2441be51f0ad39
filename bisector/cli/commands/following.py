"""A log file shown while it grows: what a caged repro writes, on our standard output as it comes."""

from __future__ import annotations

import codecs
import sys
import threading
from pathlib import Path
from types import TracebackType

from bisector.harmless import block

LOOK = 0.05
"""Seconds between looks."""


class Following:
    """From `start` on, whatever is appended to the file; a terminal gets it without control codes."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._offset = 0
        self._started = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="following")
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._plain = sys.stdout.isatty()

    def start(self) -> None:
        """What stands in the file by now is not the repro's."""
        self._offset = self._log.stat().st_size if self._log.exists() else 0
        self._started.set()

    def __enter__(self) -> Following:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _follow(self) -> None:
        while not self._over.wait(LOOK):
            self._show()
        self._show()

    def _show(self) -> None:
        if not self._started.is_set() or not self._log.exists():
            return
        with self._log.open("rb") as file:
            file.seek(self._offset)
            fresh = file.read()
        self._offset += len(fresh)
        if fresh and self._plain:
            sys.stdout.write(block(self._decoder.decode(fresh)))
        elif fresh:
            sys.stdout.buffer.write(fresh)
        sys.stdout.flush()
