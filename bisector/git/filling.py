"""Contents, as `git cat-file --batch` tells them, written into files where they lie."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from bisector.git.content import FileChange
from bisector.process import Conversation, Quiet

CHUNK = 64 << 10
PATIENCE = 60.0
WRITING = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""What is no file after all is not waited for."""


def is_alone(seen: os.stat_result) -> bool:
    """A plain file without another name, under which somebody would find it overwritten."""
    return stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1


def ask(talk: Conversation, changes: Iterable[FileChange]) -> None:
    talk.write("".join(f"{change.after}\n" for change in changes))


class Silent(Exception):
    """git does not have a content, or has stopped to speak."""


def announced(talk: Conversation) -> int:
    """How many bytes follow."""
    said = talk.readline(PATIENCE)
    words = said.split() if isinstance(said, str) else []
    if len(words) != 3 or words[1] != "blob":
        raise Silent
    return int(words[2])


def pieces_of(talk: Conversation, size: int) -> Iterator[bytes]:
    while size:
        piece = talk.read(min(size, CHUNK), PATIENCE)
        if isinstance(piece, Quiet):
            raise Silent
        size -= len(piece)
        yield piece


def filled(path: str, pieces: Iterable[bytes], size: int, mode: int) -> os.stat_result | None:
    """What the file is then; None: it could not be written, which git will meet as well."""
    try:
        file = os.open(path, WRITING, mode)
    except OSError:
        return None
    try:
        if not is_alone(os.fstat(file)):
            return None
        for piece in pieces:
            while piece:
                piece = piece[os.write(file, piece) :]
        os.ftruncate(file, size)
        seen = os.fstat(file)
        if stat.S_IMODE(seen.st_mode) != mode:
            os.fchmod(file, mode)
            seen = os.fstat(file)
        return seen
    except OSError:
        return None
    finally:
        os.close(file)
