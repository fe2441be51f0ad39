"""Sees to it that nothing we start outlives bisector, however bisector ends: a shell that wakes when we are gone.

Bubblewrap dies with its parent only once it has asked the kernel for that: who is killed with -9 just before leaves
a sandbox behind that runs on, or waits for ever. Sandboxes carry this life's mark in their command line. Our own
tools know nothing of their parent, and may wait for a server: the guard is told of each as it begins and ends.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex

SCRIPT = """
read -r mark
tools=' '
while read -r what pid; do
  case $what in
    begun) tools="$tools$pid " ;;
    ended) case $tools in *" $pid "*) tools="${tools%% "$pid" *} ${tools#* "$pid" }" ;; esac ;;
    well) exit ;;
  esac
done
for pid in $tools; do kill -TERM "-$pid"; done
rounds=0
while [ $((rounds += 1)) -le 5 ]; do
  for file in $(printf %s "$mark" | grep -lsaFf - /proc/[0-9]*/cmdline); do
    file=${file%/cmdline}
    kill -KILL "${file#/proc/}" && rounds=0
  done
  sleep 0.1
done
for pid in $tools; do kill -KILL "-$pid"; done
"""
"""Tools may clean up before they go. A sandbox that is just being started shows up a little later."""


@dataclass(frozen=True)
class _Guard:
    mark: str
    process: subprocess.Popen[bytes]

    def tell(self, word: str) -> None:
        """A line, whole or not at all. Without a guard there is nobody to tell."""
        assert self.process.stdin is not None
        with suppress(OSError):
            os.write(self.process.stdin.fileno(), f"{word}\n".encode())

    def dismiss(self) -> None:
        self.tell("well")
        self.process.communicate()


_starting = threading.Lock()
_guards: list[_Guard] = []


def mark() -> str:
    """The mark of this life."""
    return _guard().mark


def begun(pid: int) -> None:
    """The leader of a group that ends with us."""
    _guard().tell(f"begun {pid}")


def ended(pid: int) -> None:
    """Its id may be somebody else's from now on."""
    _guard().tell(f"ended {pid}")


def _guard() -> _Guard:
    """The first to ask starts it."""
    with _starting:
        if not _guards:
            _guards.append(_start())
        return _guards[0]


def _start() -> _Guard:
    started = subprocess.Popen(
        ["/bin/sh", "-c", SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": os.environ.get("PATH", os.defpath)},
        start_new_session=True,
        bufsize=0,
    )
    guard = _Guard(f"bisector-life-{token_hex(8)}", started)
    guard.tell(guard.mark)
    atexit.register(guard.dismiss)
    return guard
