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
EXECUTE = 0o100
FILES = {0o100644, 0o100755}


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
    """Plain ones, by name; links and submodules are git's alone to look at."""

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
        aside = self.path.with_name("index.believed")
        aside.write_bytes(self._bytes)
        later = max(self._newest + 1, self.written // SECOND) * SECOND
        os.utime(aside, ns=(later, later))
        aside.replace(self.path)


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
            yield os.fsdecode(bytes(said[at + SIZE : end])), Entry(at, content.hex())
        at += (end - at + 8) & ~7


def _fields(seen: os.stat_result) -> tuple[int, ...]:
    """As git writes them; of the mode it keeps whether the owner may execute it."""
    mode = 0o100755 if seen.st_mode & EXECUTE else 0o100644
    return (
        *divmod(seen.st_ctime_ns, SECOND),
        *divmod(seen.st_mtime_ns, SECOND),
        *(seen.st_dev & WORD, seen.st_ino & WORD, mode if stat.S_ISREG(seen.st_mode) else 0),
        *(seen.st_uid, seen.st_gid, seen.st_size & WORD),
    )
