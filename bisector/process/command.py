"""One command from start to end: fed, read, limited in time, its whole group gone when we end it."""

from __future__ import annotations

import os
import select
import selectors
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bisector.process.child import GRACE, TICK, Finished, ProgramMissing, spawn, stop
from bisector.process.deferral import Deferral

CHUNK = 1 << 16


class _Sink:
    """Keeps the first `limit` bytes of a stream and counts the rest."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._kept = bytearray()
        self.dropped = 0

    def take(self, data: bytes) -> None:
        room = len(data) if self._limit is None else max(0, self._limit - len(self._kept))
        self._kept += data[:room]
        self.dropped += max(0, len(data) - room)

    def kept(self) -> bytes:
        return bytes(self._kept)


@dataclass(frozen=True, slots=True)
class _Interruption:
    """What ends a command before it ends itself."""

    deadline: float | None
    cancelled: threading.Event | None

    def is_timeout(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def is_cancelled(self) -> bool:
        return self.cancelled is not None and self.cancelled.is_set()

    def next_look(self) -> float:
        return TICK if self.deadline is None else min(TICK, max(0.0, self.deadline - time.monotonic()))


def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float | None = None,
    stdin: bytes | None = None,
    log: Path | None = None,
    cancelled: threading.Event | None = None,
    limit_output: int | None = None,
) -> Finished | ProgramMissing:
    """Run to the end. With `log`, both streams are appended to that file and Finished holds neither."""
    began = time.monotonic()
    out, err = _Sink(limit_output), _Sink(limit_output)
    interruption = _Interruption(None if timeout is None else began + timeout, cancelled)
    with Deferral() as deferral:
        child = _start(argv, cwd, env, stdin is not None, log)
        if isinstance(child, ProgramMissing):
            return child
        with child:
            try:
                deferral.release()
                timed_out, was_cancelled = _exchange(child, stdin or b"", out, err, interruption)
            except BaseException:
                stop(child)
                raise
    status = child.returncode
    return Finished(
        exit_status=status if status >= 0 else None,
        signal=-status if status < 0 else None,
        timed_out=timed_out,
        cancelled=was_cancelled,
        seconds=time.monotonic() - began,
        stdout_bytes=out.kept(),
        stderr_bytes=err.kept(),
        dropped=out.dropped + err.dropped,
    )


def _start(
    argv: Sequence[str | Path], cwd: Path, env: Mapping[str, str], is_fed: bool, log: Path | None
) -> subprocess.Popen[bytes] | ProgramMissing:
    source = subprocess.PIPE if is_fed else subprocess.DEVNULL
    if log is None:
        return spawn(argv, cwd, env, source, subprocess.PIPE, subprocess.PIPE)
    with log.open("ab") as file:
        return spawn(argv, cwd, env, source, file, subprocess.STDOUT)


def _exchange(
    child: subprocess.Popen[bytes], stdin: bytes, out: _Sink, err: _Sink, interruption: _Interruption
) -> tuple[bool, bool]:
    """Feed and read until the child has ended; (timed out, cancelled)."""
    unsent = memoryview(stdin)
    last_look: float | None = None
    with selectors.DefaultSelector() as selector:
        _register(selector, child, out, err)
        while True:
            # Asked before reading: all that an ended child wrote is in the pipe by now.
            ended = child.poll() is not None
            patience = 0.0 if ended else interruption.next_look()
            if not selector.get_map():
                _await_end(child, patience)
            ready = selector.select(patience) if selector.get_map() else []
            for key, _ in ready:
                if isinstance(key.data, _Sink):
                    _read(selector, key.fd, key.data)
                else:
                    unsent = _feed(selector, child, unsent)
            if ended:
                # A grandchild that holds the pipe may go on writing for ever.
                last_look = last_look or time.monotonic() + GRACE
                if not ready or time.monotonic() > last_look:
                    return False, False
            elif interruption.is_cancelled():
                stop(child)
                return False, True
            elif interruption.is_timeout():
                stop(child)
                return True, False


def _register(
    selector: selectors.BaseSelector, child: subprocess.Popen[bytes], out: _Sink, err: _Sink
) -> None:
    for pipe, sink in ((child.stdout, out), (child.stderr, err)):
        if pipe is not None:
            selector.register(pipe.fileno(), selectors.EVENT_READ, sink)
    if child.stdin is not None:
        os.set_blocking(child.stdin.fileno(), False)
        selector.register(child.stdin.fileno(), selectors.EVENT_WRITE, None)


def _await_end(child: subprocess.Popen[bytes], seconds: float) -> None:
    """The pipes are closed: wait for the end itself. Popen.wait with a timeout sleeps, a pidfd does not."""
    try:
        end = os.pidfd_open(child.pid)
    except (AttributeError, OSError):
        with suppress(subprocess.TimeoutExpired):
            child.wait(seconds)
        return
    try:
        watch = select.poll()
        watch.register(end, select.POLLIN)
        watch.poll(seconds * 1000)
    finally:
        os.close(end)


def _read(selector: selectors.BaseSelector, pipe: int, sink: _Sink) -> None:
    data = os.read(pipe, CHUNK)
    if data:
        sink.take(data)
    else:
        selector.unregister(pipe)


def _feed(selector: selectors.BaseSelector, child: subprocess.Popen[bytes], unsent: memoryview) -> memoryview:
    pipe: IO[bytes] | None = child.stdin
    assert pipe is not None
    try:
        unsent = unsent[os.write(pipe.fileno(), unsent[:CHUNK]) :]
    except BrokenPipeError:
        unsent = unsent[:0]
    if not unsent:
        selector.unregister(pipe.fileno())
        pipe.close()
    return unsent
