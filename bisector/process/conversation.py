"""A long-lived child that is talked with line by line: `git bisect run`, `git cat-file --batch`."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from types import TracebackType

from bisector.process.child import Finished, ProgramMissing, spawn, stop
from bisector.process.deferral import Deferral

CHUNK = 1 << 16


class Quiet(Enum):
    """Why there is no answer."""

    SILENT = "nothing within the time given"
    CLOSED = "it will say no more"


class Conversation:
    """Lines in, lines out, over the child's stdin and stdout."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        self._began = time.monotonic()
        self._heard = bytearray()

    def __enter__(self) -> Conversation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self._child.pid

    def readline(self, timeout: float | None = None) -> str | Quiet:
        """The next line, without its end; a last line may lack one."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (end := self._heard.find(b"\n")) < 0:
            data = self._hear(deadline)
            if data is None:
                return Quiet.SILENT
            if not data:
                return self._last_line()
            self._heard += data
        line = bytes(self._heard[:end])
        del self._heard[: end + 1]
        return line.decode("utf-8", "replace")

    def read(self, size: int, timeout: float | None = None) -> bytes | Quiet:
        """Exactly `size` bytes."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while len(self._heard) < size:
            data = self._hear(deadline)
            if data is None:
                return Quiet.SILENT
            if not data:
                return Quiet.CLOSED
            self._heard += data
        taken = bytes(self._heard[:size])
        del self._heard[:size]
        return taken

    def _hear(self, deadline: float | None) -> bytes | None:
        """What it says next; empty at the end of its words, None when it stays silent."""
        assert self._child.stdout is not None
        pipe = self._child.stdout.fileno()
        if deadline is not None:
            watch = select.poll()
            watch.register(pipe, select.POLLIN)
            if not watch.poll(max(0.0, deadline - time.monotonic()) * 1000):
                return None
        return os.read(pipe, CHUNK)

    def _last_line(self) -> str | Quiet:
        rest, self._heard = bytes(self._heard), bytearray()
        return rest.decode("utf-8", "replace") if rest else Quiet.CLOSED

    def write(self, text: str) -> bool:
        """False: it no longer listens."""
        assert self._child.stdin is not None
        unsent = text.encode("utf-8", "surrogateescape")
        try:
            while unsent:
                unsent = unsent[os.write(self._child.stdin.fileno(), unsent) :]
        except BrokenPipeError:
            return False
        return True

    def close_input(self) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()

    def has_ended(self) -> bool:
        return self._child.poll() is not None

    def wait(self, timeout: float | None = None) -> Finished | Quiet:
        """How it ended, or Quiet.SILENT when it has not within the time given."""
        try:
            status = self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            return Quiet.SILENT
        return Finished(
            exit_status=status if status >= 0 else None,
            signal=-status if status < 0 else None,
            timed_out=False,
            cancelled=False,
            seconds=time.monotonic() - self._began,
        )

    def stop(self) -> None:
        """End it with its whole group, if it still runs, and let go of its pipes."""
        stop(self._child)
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                pipe.close()


def start(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    log: Path | None = None,
    pass_fds: Sequence[int] = (),
) -> Conversation | ProgramMissing:
    """Begin a conversation. What it says on stderr is appended to `log`, or dropped."""
    with Deferral() as deferral:
        if log is None:
            child = spawn(argv, cwd, env, subprocess.PIPE, subprocess.PIPE, subprocess.DEVNULL, pass_fds)
        else:
            with log.open("ab") as file:
                child = spawn(argv, cwd, env, subprocess.PIPE, subprocess.PIPE, file, pass_fds)
        if isinstance(child, ProgramMissing):
            return child
        conversation = Conversation(child)
        try:
            deferral.release()
        except BaseException:
            conversation.stop()
            raise
        return conversation
