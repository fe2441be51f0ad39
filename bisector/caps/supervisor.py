"""Run as a script of its own (python -I -S): the fence where there are no namespaces.

It adopts every orphan of the tree (a subreaper) and, when the command has ended or the leash is let go, stops
and kills until nothing is left. Standard library only; it must start fast and import nothing of bisector.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 4.0


def main(arguments: list[str]) -> int:
    """SUPERVISOR LEASH COMMAND...: words go to stderr, the command's own output to stdout."""
    leash, command = int(arguments[0]), arguments[1:]
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    main_child = os.fork()
    if main_child == 0:
        # Should somebody kill us, the command at least goes with us.
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _become(command, (leash, ended, wake))
    usage = _Usage()
    _wait_for(main_child, leash, ended, usage)
    left = _clear(usage)
    _say(f"usage {usage.cpu_seconds:.6f} {usage.peak}")
    if left:
        _say("still alive: " + " ".join(map(str, left)))
    return 0


def _become(command: list[str], ours: tuple[int, ...]) -> None:
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        for descriptor in ours:
            os.close(descriptor)
        os.dup2(1, 2)
        os.execvpe(command[0], command, _given_environment())
    except OSError as error:
        os.write(1, f"{command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def _given_environment() -> dict[bytes, bytes]:
    """As it was handed to us: Python itself adds LC_CTYPE to os.environ where the locale is C."""
    with open("/proc/self/environ", "rb") as file:
        entries = file.read().split(b"\0")
    return dict(entry.split(b"=", 1) for entry in entries if b"=" in entry)


class _Usage:
    """Adds up what every process has used once it is reaped; each reports for those it waited for itself."""

    def __init__(self) -> None:
        self.cpu_seconds = 0.0
        self.peak = 0
        self.childless = False
        """The kernel's own word that nothing is left: every orphan of the tree is our child."""

    def reap(self, main_child: int | None = None) -> bool:
        """Reap whoever has ended; True when the main child is among them."""
        ended = False
        while True:
            try:
                pid, status, spent = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                self.childless = True
                return ended
            if pid == 0:
                return ended
            self.cpu_seconds += spent.ru_utime + spent.ru_stime
            self.peak = max(self.peak, spent.ru_maxrss * 1024)
            if pid == main_child:
                ended = True
                code = os.waitstatus_to_exitcode(status)
                _say(f"status {code}" if code >= 0 else f"signal {-code}")


def _wait_for(main_child: int, leash: int, ended: int, usage: _Usage) -> None:
    """Until the command has ended, or nobody holds the other end of the leash."""
    while not usage.reap(main_child):
        ready, _, _ = select.select([leash, ended], [], [])
        if leash in ready:
            return
        os.read(ended, 4096)


def _clear(usage: _Usage) -> list[int]:
    """Stop all first, so that nobody forks while we kill; then kill. Again, until nobody is left."""
    limit = time.monotonic() + PATIENCE
    pause = 0.0002
    while True:
        usage.reap()
        if usage.childless:
            return []
        # A look through /proc may miss who forks and ends while we look: that it finds nobody proves nothing.
        below = _descendants()
        if time.monotonic() > limit:
            return sorted(below)
        known: set[int] = set()
        while not set(below) <= known and time.monotonic() < limit:
            known |= set(below)
            _signal(below, signal.SIGSTOP)
            below = _descendants()
        _signal(sorted(known), signal.SIGKILL)
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


def _descendants() -> list[int]:
    """The living below us. Orphans are our own children, so the chain of parents is complete."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - pathlib costs 10 ms of start-up
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            # A zombie with more than one thread is a process whose first thread alone has ended.
            if fields[0] not in (b"Z", b"X") or int(fields[17]) > 1:
                parents[int(entry)] = int(fields[1])
    own = os.getpid()
    below = [own]
    for parent in below:
        below.extend(pid for pid, its_parent in parents.items() if its_parent == parent)
    return below[1:]


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def _say(words: str) -> None:
    try:
        os.write(2, (words + "\n").encode())
    except OSError:
        # Nobody listens any more; the killing goes on.
        return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
