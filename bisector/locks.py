"""Locks between processes: files under the state directory, held by flock, free when their holder dies."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def try_lock(path: Path) -> int | None:
    """Hold `path` until the returned descriptor is closed; None when somebody else holds it."""
    try:
        return _hold(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None


@contextmanager
def locked(path: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold `path` for the block; `on_wait` is called once if somebody else has it."""
    descriptor = try_lock(path)
    if descriptor is None:
        on_wait()
        descriptor = _hold(path, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)


def _hold(path: Path, how: int) -> int:
    """The file that lies at `path` now: whoever held it before may have taken it away with what it guards."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except FileNotFoundError:
            # The folder went in between.
            continue
        except FileExistsError as error:
            # mkdir looks whether it is a folder that is there: so it may be, and go before it looks.
            if _is_in_the_way(Path(error.filename)):
                raise
            continue
        try:
            fcntl.flock(descriptor, how)
            if _lies_at(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_in_the_way(path: Path) -> bool:
    try:
        return not stat.S_ISDIR(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _lies_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
