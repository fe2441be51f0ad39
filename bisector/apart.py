"""Folders that have nothing to do with each other need not lie side by side on the disk.

ext4 without a journal, as machines in clouds often have it, uses no inode again in the minutes after its file was
deleted, and for each new file looks at all of those that lie in the same group. A folder is in its parent's group
unless that one is marked (`chattr +T`): where a virtualenv was deleted beside it, a hunt took half as long again.
"""

from __future__ import annotations

import fcntl
import os
import struct
from contextlib import suppress
from pathlib import Path

GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602
FLAGS = struct.Struct("=I4x")
TOP = 0x00020000


def keep_apart(folder: Path) -> None:
    """What will lie in it, where the file system knows how."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            (flags,) = FLAGS.unpack(fcntl.ioctl(descriptor, GET_FLAGS, bytes(FLAGS.size)))
            fcntl.ioctl(descriptor, SET_FLAGS, FLAGS.pack(flags | TOP))
        finally:
            os.close(descriptor)
