"""Sees to it that no sandbox outlives bisector, however bisector ends: a shell that wakes when we are gone.

Bubblewrap dies with its parent only once it has asked the kernel for that: who is killed with -9 just before leaves
a sandbox behind that runs on, or waits for ever. The sandboxes of this life carry a mark in their command line.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
from secrets import token_hex

SCRIPT = """
read -r mark
read -r word && exit
rounds=0
while [ $((rounds += 1)) -le 5 ]; do
  for file in $(printf %s "$mark" | grep -lsFf - /proc/[0-9]*/cmdline); do
    file=${file%/cmdline}
    kill -9 "${file#/proc/}" && rounds=0
  done
  sleep 0.1
done
"""
"""A word says that all is well; without one nobody is left to say it. What is being started shows up a bit later."""

_starting = threading.Lock()
_marks: list[str] = []


def mark() -> str:
    """The mark of this life. The first to ask starts the guard."""
    with _starting:
        if not _marks:
            _marks.append(_guarded(f"bisector-life-{token_hex(8)}"))
        return _marks[0]


def _guarded(name: str) -> str:
    guard = subprocess.Popen(
        ["/bin/sh", "-c", SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": os.environ.get("PATH", os.defpath)},
        start_new_session=True,
        text=True,
        bufsize=1,
    )
    assert guard.stdin is not None
    guard.stdin.write(f"{name}\n")
    atexit.register(guard.communicate, "all is well\n")
    return name
