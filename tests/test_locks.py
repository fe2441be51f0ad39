"""Locks whose files are taken away with what they guard."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

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


def test_a_folder_that_comes_and_goes_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "guarded" / "lock"
    over = threading.Event()

    def come_and_go() -> None:
        while not over.is_set():
            for act in (path.parent.mkdir, path.parent.rmdir):
                with suppress(OSError):
                    act()

    other = threading.Thread(target=come_and_go)
    other.start()
    try:
        for _ in range(100):
            held = try_lock(path)
            assert held is not None
            path.unlink()
            os.close(held)
    finally:
        over.set()
        other.join()


@pytest.mark.parametrize("make", [Path.touch, lambda place: place.symlink_to("nowhere")])
def test_what_is_no_folder_in_its_place_is_told(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "guarded")
    with pytest.raises(FileExistsError):
        try_lock(tmp_path / "guarded" / "lock")
