"""What lies in the state directory lies apart from its neighbours, where the file system knows how."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from bisector.apart import FLAGS, GET_FLAGS, TOP, keep_apart
from bisector.state import State, usable


def lies_apart(folder: Path) -> bool:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        (flags,) = FLAGS.unpack(fcntl.ioctl(descriptor, GET_FLAGS, bytes(FLAGS.size)))
    finally:
        os.close(descriptor)
    return bool(flags & TOP)


def is_ext4(folder: Path) -> bool:
    argv = ["stat", "--file-system", "--format=%T", str(folder)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.startswith("ext")


def test_a_new_state_directory_is_marked_and_a_folder_that_was_there_is_not(tmp_path: Path) -> None:
    if not is_ext4(tmp_path):
        pytest.skip("only ext4 can be told")
    (tmp_path / "theirs").mkdir()
    assert lies_apart(usable(State(tmp_path / "new" / "state")).root)
    assert not lies_apart(tmp_path / "new")
    assert not lies_apart(usable(State(tmp_path / "theirs")).root)


@pytest.mark.parametrize("folder", ["/proc/self/task", "/dev/shm", "/nowhere"])
def test_where_it_cannot_be_told_nothing_is_in_the_way(folder: str) -> None:
    keep_apart(Path(folder))
