"""The workers: threads that live as long as the hunt, each with a slot of its own, running trials one by one.

They live that long because a sandbox dies with the thread that started it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import TypeVar

from bisector.errors import Interrupted
from bisector.model import Commit, Purpose, Trial
from bisector.plan import TrialRequest

TICK = 0.1


@dataclass(eq=False)
class Job:
    """A trial that was asked for."""

    request: TrialRequest
    purpose: Purpose
    label: str
    commit: Commit
    cancelled: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)
    trial: Trial | None = None
    fault: BaseException | None = None
    worker: int = 0
    _over: bool = False
    """The trial was made, and nobody had called it off until then."""
    _deciding: threading.Lock = field(default_factory=threading.Lock)

    def call_off(self) -> bool:
        """False: too late, its trial is being put on record."""
        with self._deciding:
            if not self._over:
                self.cancelled.set()
            return not self._over

    def settle(self) -> bool:
        """From now on it is too late to call it off. False: it was, whatever came of it is nobody's."""
        with self._deciding:
            self._over = not self.cancelled.is_set()
            return self._over


Perform = Callable[[int, Job], Trial]
T = TypeVar("T")


def recorded(perform: Perform, keep: Callable[[Trial], None]) -> Perform:
    """Puts each trial on record as it ends: also one that nobody waits for yet outlives a `kill -9`."""

    def performing(worker: int, job: Job) -> Trial:
        trial = perform(worker, job)
        if job.settle():
            keep(trial)
        return trial

    return performing


def attempt(work: Callable[[], T]) -> tuple[T | None, Exception | None]:
    """What came of it, or what was raised: whoever waits for it raises it again, for a defect ends the hunt."""
    try:
        return work(), None
    except Exception as fault:
        return None, fault


class Workers:
    def __init__(
        self, count: int, perform: Perform, close: Callable[[int], None], stop: threading.Event
    ) -> None:
        self.count = count
        self._perform = perform
        self._close = close
        self._stop = stop
        self._jobs: queue.Queue[Job | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._live, args=(n,), name=f"worker-{n}") for n in range(count)
        ]
        self._pending: set[Job] = set()

    def __enter__(self) -> Workers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for job in list(self._pending):
            job.call_off()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def submit(self, request: TrialRequest, purpose: Purpose, label: str, commit: Commit) -> Job:
        job = Job(request, purpose, label, commit)
        self._pending.add(job)
        self._jobs.put(job)
        return job

    def wait(self, job: Job) -> Trial:
        """The trial, once it is there; an interruption is noticed at once."""
        while not job.done.wait(TICK):
            if self._stop.is_set():
                job.call_off()
                raise Interrupted("interrupted")
        if self._stop.is_set():
            raise Interrupted("interrupted")
        if job.fault is not None:
            raise job.fault
        assert job.trial is not None
        return job.trial

    def _live(self, number: int) -> None:
        while (job := self._jobs.get()) is not None:
            job.worker = number
            if not job.cancelled.is_set():
                self._do(number, job)
            self._pending.discard(job)
            job.done.set()
        self._close(number)

    def _do(self, number: int, job: Job) -> None:
        job.trial, job.fault = attempt(lambda: self._perform(number, job))
