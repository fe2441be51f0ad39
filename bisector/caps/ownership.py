"""Names that tell who made a thing outside the state directory, so that a later bisector can tell who left it."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from bisector.caps import procfs

PREFIX = "bisector"
PATTERN = f"{PREFIX}-*-*-*-*"


def fresh_name() -> str:
    """Our pid and start time, the pid namespace in which they mean something, and what nobody else has."""
    own = procfs.look(os.getpid())
    assert own is not None
    return f"{PREFIX}-{_pid_namespace()}-{own.pid}-{own.started}-{uuid.uuid4().hex[:12]}"


def is_orphaned(name: str) -> bool:
    """Whether the process that chose this name is no more."""
    try:
        _, namespace, pid, started, _ = name.split("-")
        if int(namespace) != _pid_namespace():
            return False
        owner = procfs.look(int(pid))
        return owner is None or not owner.is_alive or owner.started != int(started)
    except ValueError:
        return False


def _pid_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino
