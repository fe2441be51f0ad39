"""Ctrl-C that arrives while a child is being started: held back until somebody can end that child."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# What signal.getsignal answers for a handler written in Python; its result type is the standard library's.
Handler = Callable[[int, FrameType | None], Any]


class Deferral:
    """Inside the block, signals that Python would handle are only noted; `release` hands them on.

    Signals are handled by the main thread alone: in any other there is nothing to hold back.
    """

    def __init__(self) -> None:
        self._before: dict[signal.Signals, Handler] = {}
        self._noted: list[int] = []

    def __enter__(self) -> Deferral:
        if threading.current_thread() is threading.main_thread():
            for number in NUMBERS:
                handler = signal.getsignal(number)
                if callable(handler):
                    self._before[number] = handler
                    signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted.append(number)

    def release(self) -> None:
        while self._before:
            number, handler = self._before.popitem()
            signal.signal(number, handler)
        while self._noted:
            signal.raise_signal(self._noted.pop())
