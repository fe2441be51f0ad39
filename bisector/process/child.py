"""A child process: how it is started, how it and its group are ended, what is known of it afterwards."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bisector.errors import MachineFault, UsageFault
from bisector.process import guard

TICK = 0.05
"""How late a cancellation, or the end of a child whose pipes somebody else holds, may be noticed."""
GRACE = 0.5
"""From SIGTERM to SIGKILL: git wants a moment to remove its lock files."""

ABSENT = {errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ENOEXEC, errno.ELOOP}


@dataclass(frozen=True, slots=True)
class Finished:
    """It ran. Exactly one of exit_status and signal is set; timed_out and cancelled say that we ended it."""

    exit_status: int | None
    signal: int | None
    timed_out: bool
    cancelled: bool
    seconds: float
    stdout_bytes: bytes = b""
    stderr_bytes: bytes = b""
    dropped: int = 0
    """Bytes beyond `limit_output`, read and thrown away."""

    @property
    def ok(self) -> bool:
        return self.exit_status == 0 and not (self.timed_out or self.cancelled)

    @property
    def stdout(self) -> str:
        return self.stdout_bytes.decode("utf-8", "replace")

    @property
    def stderr(self) -> str:
        return self.stderr_bytes.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class ProgramMissing:
    """It could not be started: not there, or not executable here."""

    program: str
    reason: str


class _Tool(subprocess.Popen[bytes]):
    """Known to the guard until it is reaped."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        guard.begun(self.pid)

    def poll(self) -> int | None:
        running = self.returncode is None
        status = super().poll()
        if running and status is not None:
            guard.ended(self.pid)
        return status

    def wait(self, timeout: float | None = None) -> int:
        running = self.returncode is None
        status = super().wait(timeout)
        if running:
            guard.ended(self.pid)
        return status


def spawn(
    argv: Sequence[str | Path],
    cwd: Path,
    env: Mapping[str, str],
    stdin: int,
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes] | ProgramMissing:
    """Start in a session of its own: no terminal, and a group that can be killed whole."""
    words = [str(word) for word in argv]
    try:
        return _Tool(
            words,
            cwd=cwd,
            env=dict(env),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            bufsize=0,
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except ValueError as error:
        raise UsageFault(f"cannot be handed to a program: {words!r} ({error})") from error
    except OSError as error:
        if not cwd.is_dir():
            raise MachineFault(f"the directory {cwd} is gone; {words[0]} should have run in it") from error
        if error.errno in ABSENT:
            return ProgramMissing(words[0], error.strerror or str(error))
        raise MachineFault(f"cannot start {words[0]}: {error.strerror}") from error


def stop(child: subprocess.Popen[bytes]) -> None:
    """End the child and its whole group: SIGTERM, a moment, SIGKILL; then reap it.

    The group is killed before the child is reaped: until then its id cannot be given to anybody else.
    """
    if child.returncode is not None:
        return
    _signal_group(child.pid, signal.SIGTERM)
    limit = time.monotonic() + GRACE
    pause = 0.001
    while time.monotonic() < limit and not _has_ended(child.pid):
        time.sleep(pause)
        pause = min(2 * pause, TICK)
    _signal_group(child.pid, signal.SIGKILL)
    child.wait()


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
