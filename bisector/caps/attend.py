"""Stays with a running tree until it has ended or must be ended, and tells what was observed."""

from __future__ import annotations

import os
import selectors
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bisector.caps import stacks
from bisector.caps.confinement import Confinement
from bisector.caps.enclosed import Enclosed
from bisector.caps.group import PATIENCE, describe
from bisector.caps.log import Log
from bisector.caps.procfs import Process
from bisector.caps.watch import Watch
from bisector.errors import MachineFault
from bisector.model import Cap, CapHit, Run, Stopped

CANCEL_TICK = 0.05
CHUNK = 1 << 18
NEAR = 0.95
ABORT_PATIENCE = 0.5
"""Seconds for faulthandler to write, where py-spy may not look."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """When the repro was over, and what of ours ended it."""

    seconds: float
    stopped: Stopped | None


class Attendant:
    """Listens to one tree. Its reading lets the tree write on, so it never waits for anything else."""

    def __init__(self, enclosed: Enclosed, confinement: Confinement, log: Log, watch: Watch) -> None:
        self._enclosed = enclosed
        self._confinement = confinement
        self._log = log
        self._watch = watch
        self._selector = selectors.DefaultSelector()
        self._next_look = enclosed.began + watch.pause

    def attend(self, cancelled: threading.Event, py_spy: Path | None) -> Run:
        enclosed = self._enclosed
        for pipe in (enclosed.output, enclosed.words):
            os.set_blocking(pipe, False)
            self._selector.register(pipe, selectors.EVENT_READ)
        with self._selector:
            ended = self._stay(cancelled)
            stack = None
            if ended.stopped is Stopped.TIMEOUT and self._confinement.stack_dump:
                stack = self._stack(py_spy)
            enclosed.end()
            self._drain()
        return self._observed(ended, stack)

    def _stay(self, cancelled: threading.Event) -> _Ended:
        """Until it has ended, or a cap or somebody says that it must."""
        over: float | None = None
        while True:
            listening = self._listen(min(CANCEL_TICK, self._watch.pause, self._left()))
            now = time.monotonic()
            if over is None and self._enclosed.witness.has_ending():
                over = now
            if not listening or self._enclosed.has_ended() or (over is not None and now > over + PATIENCE):
                return _Ended((over or now) - self._enclosed.began, None)
            stopped = None if over is not None else self._why_stop(now, cancelled)
            if stopped is not None:
                return _Ended(now - self._enclosed.began, stopped)

    def _left(self) -> float:
        return max(0.0, self._enclosed.began + self._confinement.timeout - time.monotonic())

    def _why_stop(self, now: float, cancelled: threading.Event) -> Stopped | None:
        if cancelled.is_set():
            return Stopped.CANCELLED
        if self._left() <= 0:
            return Stopped.TIMEOUT
        if now < self._next_look:
            return None
        stopped = self._watch.look()
        self._next_look = time.monotonic() + self._watch.pause
        return stopped

    def _listen(self, seconds: float) -> bool:
        """Read what there is; False once the fence has closed its pipe: nobody is left to speak."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            with suppress(BlockingIOError):
                data = os.read(key.fd, CHUNK)
                if not data:
                    self._selector.unregister(key.fd)
                elif key.fd == self._enclosed.output:
                    self._log.take(data)
                else:
                    self._enclosed.witness.take(data)
        return self._enclosed.words in self._selector.get_map()

    def _drain(self) -> None:
        """What the dead left in the pipes; what a survivor may still be writing is not waited for."""
        limit = time.monotonic() + ABORT_PATIENCE
        while self._selector.get_map() and self._selector.select(0) and time.monotonic() < limit:
            self._listen(0)

    def _stack(self, py_spy: Path | None) -> str | None:
        guests = self._enclosed.guests()
        told = None if py_spy is None else stacks.dump(py_spy, guests)
        return told or self._abort(guests)

    def _abort(self, guests: tuple[Process, ...]) -> str | None:
        """Where py-spy may not look, faulthandler writes the stacks itself when it gets SIGABRT."""
        if "PYTHONFAULTHANDLER" not in self._confinement.env:
            return None
        before = self._log.total
        for each in stacks.pythons(guests):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(each.pid, signal.SIGABRT)
        limit = time.monotonic() + ABORT_PATIENCE
        while time.monotonic() < limit and self._listen(CANCEL_TICK):
            continue
        return self._log.text(since=before) or None

    def _observed(self, ended: _Ended, stack: str | None) -> Run:
        witness, log, watch = self._enclosed.witness, self._log, self._watch
        if (survivors := witness.survivors()) is not None:
            raise MachineFault(f"killed processes do not end: {describe(tuple(map(int, survivors.split())))}")
        stopped = ended.stopped or self._killed_by_cap()
        status, number = self._ending(stopped)
        peak = watch.peak_memory(witness.peak_of_one())
        return Run(
            exit_status=status,
            signal=number,
            stopped=stopped,
            seconds=ended.seconds,
            cpu_seconds=watch.cpu_seconds(witness.cpu_seconds()),
            peak_memory=peak,
            output=log.text(),
            output_bytes=log.total,
            stack=stack,
            hits=(*watch.hits(peak), *self._hits(ended)),
        )

    def _ending(self, stopped: Stopped | None) -> tuple[int | None, int | None]:
        witness = self._enclosed.witness
        if (ending := witness.ending()) is not None:
            return ending
        if stopped is None:
            reason = witness.complaints() or "it was killed from outside"
            raise MachineFault(f"the cage ({self._enclosed.fence.name}) failed: {reason}")
        return None, int(signal.SIGKILL)

    def _killed_by_cap(self) -> Stopped | None:
        """The kernel counts every kill for want of memory, also when a container or the machine was full."""
        group, limit = self._enclosed.group, self._confinement.limits.memory
        if not group.memory_kills():
            return None
        mark = group.memory_mark()
        if limit is None or (mark is not None and mark < NEAR * limit):
            raise MachineFault(
                f"the machine ran out of memory, not the run out of its cap (it held {mark} bytes)"
            )
        return Stopped.MEMORY

    def _hits(self, ended: _Ended) -> Iterator[CapHit]:
        timeout, output = self._confinement.timeout, self._confinement.limits.output
        if ended.stopped is Stopped.TIMEOUT:
            yield CapHit(Cap.TIMEOUT, timeout, ended.seconds)
        if self._log.dropped:
            yield CapHit(Cap.OUTPUT, output, self._log.total)
