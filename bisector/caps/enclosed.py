"""A running tree behind its fence: what it says, who lives in it, and its end.

Knows nothing of limits: `attend` watches, this only holds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from types import TracebackType

from bisector.caps import procfs
from bisector.caps.confinement import Confinement, Fence
from bisector.caps.group import PATIENCE, Group, describe
from bisector.caps.procfs import Process
from bisector.caps.witness import Witness
from bisector.errors import MachineFault

ENTER = """
while [ "$1" != -- ]; do echo 0 >"$1" || exit 1; shift; done
shift
ulimit -c 0
[ "$1" = - ] || ulimit -f "$1" || exit 1
shift
exec "$@"
"""
"""Joins the groups, sets what only a process can set for itself. A preexec_fn deadlocks among threads."""


class Enclosed:
    """`output` and `words` are the read ends of its two pipes; leaving the block ends all that is in it."""

    def __init__(self, fence: Fence, group: Group, child: subprocess.Popen[bytes], pipes: Pipes) -> None:
        self.fence = fence
        self.group = group
        self.output = pipes.output
        self.words = pipes.words
        self.witness = Witness()
        self.began = time.monotonic()
        self._child = child
        self._pipes = pipes

    def __enter__(self) -> Enclosed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.end()
        finally:
            self._pipes.close()

    def tree(self) -> tuple[Process, ...]:
        """Complete: orphans fall to the fence's own processes, which are below its child."""
        return procfs.tree(self._child.pid)

    def guests(self) -> tuple[Process, ...]:
        """The tree without the fence's own process."""
        return tuple(each for each in self.tree() if each.pid != self._child.pid)

    def has_ended(self) -> bool:
        return self._child.poll() is not None

    def end(self) -> None:
        """Kill what lives and wait until nothing does."""
        self.group.is_to_end()
        if self.fence.on_leash:
            self._pipes.let_go()
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(PATIENCE)
        self._child.kill()
        first = self.witness.first_process()
        if first is not None:
            with suppress(ProcessLookupError):
                os.kill(first, signal.SIGKILL)
        self._child.wait()
        self._wait_for(first)

    def _wait_for(self, first: int | None) -> None:
        """A pid namespace is empty once its first process has ended."""
        limit = time.monotonic() + PATIENCE
        pause = 0.0002
        while first is not None and procfs.is_alive(first):
            if time.monotonic() > limit:
                raise MachineFault(f"killed processes do not end: {describe((first,))}")
            time.sleep(pause)
            pause = min(2 * pause, 0.02)


class Pipes:
    """What the tree writes, what the fence says, the leash on which it is held; our ends and the fence's."""

    def __init__(self) -> None:
        self.output, self.output_end = os.pipe()
        self.words, self.words_end = os.pipe()
        self.leash_end, self._leash = os.pipe()
        self._ours = {self.output, self.words, self._leash}

    def hand_over(self) -> None:
        """The child has its ends now: close ours of them, or we would never read an end of file."""
        for descriptor in (self.output_end, self.words_end, self.leash_end):
            os.close(descriptor)

    def let_go(self) -> None:
        self._close(self._leash)

    def close(self) -> None:
        for descriptor in tuple(self._ours):
            self._close(descriptor)

    def _close(self, descriptor: int) -> None:
        if descriptor in self._ours:
            self._ours.remove(descriptor)
            os.close(descriptor)


def enclose(fence: Fence, prefix: tuple[str, ...], group: Group, confinement: Confinement) -> Enclosed:
    """Start it. The thread that calls this must outlive the run: see `bubblewrap`."""
    pipes = Pipes()
    disk = confinement.limits.disk
    argv = [
        *("/bin/sh", "-c", ENTER, "sh", *map(str, group.doors), "--"),
        "-" if disk is None else str(disk // 512),
        *prefix,
        *fence.command(confinement, pipes.words_end, pipes.leash_end),
    ]
    try:
        child = subprocess.Popen(
            argv,
            cwd=confinement.cwd,
            env=dict(confinement.env),
            stdin=subprocess.DEVNULL if confinement.stdin is None else confinement.stdin,
            stdout=pipes.output_end,
            stderr=pipes.words_end,
            start_new_session=True,
            pass_fds=(pipes.leash_end if fence.on_leash else pipes.words_end,),
        )
    except OSError as error:
        pipes.close()
        raise MachineFault(f"cannot start a run in {confinement.cwd}: {error.strerror}") from error
    finally:
        pipes.hand_over()
    return Enclosed(fence, group, child, pipes)
