"""git's index, as far as it says when each file was last seen: read, compared with the tree, and put right.

As gitformat-index(5) describes version 2 with SHA-1. Whatever else an index may be is left to git.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

HEAD = struct.Struct(">4sII")
SEEN = struct.Struct(">10I")
"""Changed, written (seconds and nanoseconds of each), device, inode, mode, owner, group, size."""
REST = struct.Struct(">20sH")
"""The content's id, and flags; the name follows, up to a zero."""
SIZE = SEEN.size + REST.size
SPECIAL = 0xF000
"""Flags of what is half merged, assumed unchanged, or more than version 2 knows."""
DIGEST = hashlib.sha1().digest_size
WORD = 0xFFFFFFFF
SECOND = 1_000_000_000
BELIEVED = "index.believed"
"""What is written before it takes the index's place."""
EXECUTE = 0o100
LINK = 0o120000
FILES = {0o100644, 0o100755, LINK}
ELSEWHERE = {"", ".", "..", ".git"}
"""No part of a name in a tree: git refuses a commit that has one, but reads it before."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that git tracks, and where in the index it stands."""

    at: int
    content: str


@dataclass(frozen=True)
class Index:
    path: Path
    written: int
    """When, in nanoseconds: what changed in the same moment or later may have changed unseen."""
    _bytes: bytearray
    files: Mapping[str, Entry]
    """Plain ones and links, by name; submodules are git's alone to look at."""

    def knows(self, name: str, seen: os.stat_result) -> bool:
        """Whether the file is as it was when git wrote it, to the nanosecond: git itself counts in seconds."""
        return self._said(name) == _fields(seen) and seen.st_ctime_ns < self.written

    def _said(self, name: str) -> tuple[int, ...]:
        return SEEN.unpack_from(self._bytes, self.files[name].at)

    @property
    def is_unsure(self) -> bool:
        """Whether git would read files once more that were written in the same second as this."""
        return self._newest >= self.written // SECOND

    @property
    def _newest(self) -> int:
        return max((self._said(name)[2] for name in self.files), default=0)

    def note(self, name: str, seen: os.stat_result) -> None:
        """The file holds what git means it to hold."""
        SEEN.pack_into(self._bytes, self.files[name].at, *_fields(seen))

    def doubt(self, name: str) -> None:
        """git is to look at the file's content, or to write it anew."""
        mode = self._said(name)[6]
        SEEN.pack_into(self._bytes, self.files[name].at, 0, 0, 0, 0, 0, 0, mode, 0, 0, 0)

    def believe(self) -> None:
        """Write it, and let git take its word: what is written in the same second it reads once more otherwise."""
        self._bytes[-DIGEST:] = _digest(self._bytes)
        aside = self.path.with_name(BELIEVED)
        with aside.open("xb") as file:
            file.write(self._bytes)
        later = max(self._newest + 1, self.written // SECOND) * SECOND
        os.utime(aside, ns=(later, later))
        aside.replace(self.path)


def is_inside(name: str) -> bool:
    """Whether a name that a commit gives leads into its tree."""
    return ELSEWHERE.isdisjoint(name.split("/"))


def read(path: Path) -> Index | None:
    """None: it is not there, or not of the kind that is understood here."""
    try:
        said, written = bytearray(path.read_bytes()), path.stat().st_mtime_ns
        magic, version, count = HEAD.unpack_from(said)
        if magic != b"DIRC" or version != 2 or said[-DIGEST:] != _digest(said):
            return None
        return Index(path, written, said, dict(_files(said, count)))
    except (FileNotFoundError, struct.error, ValueError):
        return None


def _digest(said: bytearray) -> bytes:
    return hashlib.sha1(memoryview(said)[:-DIGEST]).digest()


def _files(said: bytearray, count: int) -> Iterator[tuple[str, Entry]]:
    at = HEAD.size
    for _ in range(count):
        content, flags = REST.unpack_from(said, at + SEEN.size)
        end = said.index(0, at + SIZE)
        if flags & SPECIAL:
            raise ValueError
        if SEEN.unpack_from(said, at)[6] in FILES:
            name = os.fsdecode(bytes(said[at + SIZE : end]))
            if not is_inside(name):
                raise ValueError
            yield name, Entry(at, content.hex())
        at += (end - at + 8) & ~7


def _fields(seen: os.stat_result) -> tuple[int, ...]:
    """As git writes them; of the mode it keeps whether the owner may execute it."""
    return (
        *divmod(seen.st_ctime_ns, SECOND),
        *divmod(seen.st_mtime_ns, SECOND),
        *(seen.st_dev & WORD, seen.st_ino & WORD, _mode(seen.st_mode)),
        *(seen.st_uid, seen.st_gid, seen.st_size & WORD),
    )


def _mode(mode: int) -> int:
    if stat.S_ISREG(mode):
        return 0o100755 if mode & EXECUTE else 0o100644
    return LINK if stat.S_ISLNK(mode) else 0
