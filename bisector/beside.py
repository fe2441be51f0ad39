"""Work in a second thread while the first one does its own: for what another program does, or the disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from bisector.errors import BisectorError

T = TypeVar("T")

TICK = 0.05
MET = BisectorError | OSError
"""What is met in words; all else is a defect, which goes before it."""


class Follower(threading.Event):
    """Set by itself, or as soon as another event is."""

    def __init__(self, leader: threading.Event) -> None:
        super().__init__()
        self._leader = leader

    def is_set(self) -> bool:
        return super().is_set() or self._leader.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        until = None if timeout is None else time.monotonic() + timeout
        while not self.is_set() and (until is None or time.monotonic() < until):
            super().wait(TICK if until is None else max(0.0, min(TICK, until - time.monotonic())))
        return self.is_set()


class Turns:
    """Locks by name, for threads that may be called off while they wait."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    @contextmanager
    def of(self, name: str, cancelled: threading.Event) -> Iterator[bool]:
        """Whether it is this thread's turn; False: it was called off before."""
        with self._mutex:
            lock = self._locks.setdefault(name, threading.Lock())
        while not (is_mine := lock.acquire(timeout=TICK)) and not cancelled.is_set():
            continue
        try:
            yield is_mine
        finally:
            if is_mine:
                lock.release()


@contextmanager
def beside(work: Callable[[], T], give_up: Callable[[], None] = lambda: None) -> Iterator[Callable[[], T]]:
    """`work` is through at the end, where what it raises is raised, unless the block has raised something.

    Gives what waits for its result. `give_up` is called where the block raises: nobody waits for all of it then.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="beside") as pool:
        begun = pool.submit(work)
        try:
            yield begun.result
        except BaseException as error:
            give_up()
            fault = begun.exception()
            if isinstance(error, MET) and not isinstance(fault, MET | None):
                raise fault from error
            raise
        begun.result()
