"""Locks whose files are taken away with what they guard."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from bisector.locks import locked, try_lock


def test_who_waited_for_a_lock_that_was_taken_away_holds_the_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "guarded" / "lock"
    first = try_lock(path)
    assert first is not None
    waits, held, over = threading.Event(), threading.Event(), threading.Event()

    def wait() -> None:
        with locked(path, waits.set):
            held.set()
            over.wait(60)

    waiter = threading.Thread(target=wait)
    waiter.start()
    try:
        assert waits.wait(60)
        path.unlink()
        with suppress(OSError):
            # Who waits may have made it anew already.
            path.parent.rmdir()
        os.close(first)
        assert held.wait(60)
        assert try_lock(path) is None
    finally:
        over.set()
        waiter.join()
