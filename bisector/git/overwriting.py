"""From one large tree to another: files that differ are written over, where git deletes them and makes them anew.

That is most of what a large checkout costs where a file system is slow at either (ext4 without a journal looks
through all that was deleted in the last minutes for each file that it makes). Nothing is decided here: git checks out
afterwards, believes what is right and does what is left, which may be all of it.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path

from bisector.beside import beside
from bisector.errors import Interrupted
from bisector.folders import empty
from bisector.git import index as indices
from bisector.git.content import NOT_UTF8, FileChange, changes_from_index
from bisector.git.door import Git
from bisector.git.filling import Silent, announced, ask, filled, is_alone, pieces_of
from bisector.git.index import Index

MANY = 500
"""So many files must differ: before, git is through with all of it."""
MOST_SPARE = 2000
LARGEST_SPARE = 64 << 10
"""Bytes: what one commit has no file for lies aside until another one has."""
AHEAD = 64
"""So many contents are asked for at once, before those that were asked for last are read."""
PLAIN = {"100644", "100755"}
ABSENT = "000000"
ATTRIBUTES = ".gitattributes"
CONVERTS = re.compile(r"ident|eol=crlf|working-tree-encoding")
"""Where the tree's own attributes make a file differ from its content. No filter is ever set up here."""


def prepare(git: Git, tree: Path, spare: Path, sha: str) -> bool:
    """As much of the checkout as can be had at less, and an index that is sure of the tree, and rightly so.

    Before, the tree has nothing that git does not track; whether it may afterwards.
    """
    known = indices.read(git.git_dir / "index")
    if known is None:
        return False
    folders = _Folders(str(tree))
    sure = _as_left(known, folders)
    _remove_unseen(folders)
    if len(sure) < len(known.files) or known.is_unsure:
        known.believe()
    if len(known.files) < MANY:
        return False
    changes = changes_from_index(git, sha)
    if len(changes) < MANY or _converts(git, known, changes):
        return False
    named = [change for change in changes if _is_unmistakable(change.path)]
    _Overwriting(git, tree, spare, sure).go(sha, named)
    return True


def _is_unmistakable(name: str) -> bool:
    return NOT_UTF8 not in name and indices.is_inside(name)


def _as_left(known: Index, folders: _Folders) -> Mapping[str, os.stat_result]:
    """The files that are as git left them; git is made to look at all others."""
    found = {}
    for name in known.files:
        seen = _seen(f"{folders.tree}/{name}") if folders.has(_above(name)) else None
        if seen is not None and known.knows(name, seen):
            found[name] = seen
        else:
            known.doubt(name)
    return found


def _remove_unseen(folders: _Folders) -> None:
    """What git passes over in folders that it tracks: pipes and sockets, and a repository that was made there."""
    for folder in folders.there:
        # A folder that cannot be read git will stumble over as well.
        with suppress(OSError), os.scandir(f"{folders.tree}/{folder}") as entries:
            for path in [entry.path for entry in entries if _is_unseen(entry, folder)]:
                empty(Path(path))


def _is_unseen(entry: os.DirEntry[str], folder: str) -> bool:
    if entry.name == ".git":
        return folder != ""
    return not (entry.is_file(follow_symlinks=False) or entry.is_symlink() or entry.is_dir())


def _converts(git: Git, known: Index, changes: Iterable[FileChange]) -> bool:
    """Whether some file may have to be written otherwise than it is kept."""
    contents = {name: entry.content for name, entry in known.files.items() if _has_attributes(name)}
    contents |= {change.path: change.after for change in changes if _has_attributes(change.path)}
    texts = (git.text("cat-file", "blob", content) for content in contents.values() if content.strip("0"))
    return any(CONVERTS.search(text) for text in texts)


def _has_attributes(name: str) -> bool:
    return name.rpartition("/")[2] == ATTRIBUTES


def _above(name: str) -> str:
    return name.rpartition("/")[0]


@dataclass
class _Folders:
    """Which folders of the tree are folders: a link in the place of one leads out of it."""

    tree: str
    _known: dict[str, bool] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = name == "" or (self.has(_above(name)) and self._is_one(name))
        return self._known[name]

    @property
    def there(self) -> list[str]:
        """Those that were asked for and are folders."""
        return [name for name, is_one in self._known.items() if is_one]

    def make(self, name: str) -> bool:
        """False: something else is in its place."""
        if self.has(name):
            return True
        if not self.make(_above(name)):
            return False
        with suppress(OSError):
            Path(self.tree, name).mkdir()
        self._known[name] = self._is_one(name)
        return self._known[name]

    def _is_one(self, name: str) -> bool:
        return _is_folder(f"{self.tree}/{name}")


def _seen(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def _is_folder(path: str) -> bool:
    seen = _seen(path)
    return seen is not None and stat.S_ISDIR(seen.st_mode)


@dataclass(frozen=True)
class _Overwriting:
    git: Git
    tree: Path
    spare: Path
    sure: Mapping[str, os.stat_result]

    def go(self, sha: str, changes: Sequence[FileChange]) -> None:
        written: dict[str, os.stat_result] = {}
        with beside(partial(self.git.text, "read-tree", "--reset", sha)):
            self._put_aside(changes)
            self._write([*self._within_reach(changes)], written)
        after = indices.read(self.git.git_dir / "index")
        if after is None:
            return
        for name in written.keys() & after.files.keys():
            after.note(name, written[name])
        after.believe()

    def _put_aside(self, changes: Iterable[FileChange]) -> None:
        """What the other commit does not have. Where it is not sure to be git's own, git itself removes it."""
        with suppress(FileExistsError):
            self.spare.mkdir()
        if not _is_folder(str(self.spare)):
            return
        room = max(0, MOST_SPARE - sum(1 for _ in self.spare.iterdir()))
        for change in islice((change for change in changes if change.modes[1] == ABSENT), room):
            seen = self.sure.get(change.path)
            if seen is not None and is_alone(seen):
                path = self.tree / change.path
                with suppress(OSError):
                    if seen.st_size > LARGEST_SPARE:
                        os.truncate(path, LARGEST_SPARE)
                    path.rename(self.spare / secrets.token_hex(8))

    def _within_reach(self, changes: Iterable[FileChange]) -> Iterator[FileChange]:
        """Files that can be written where they lie; a new one is a spare one that is moved there."""
        folders, spare = _Folders(str(self.tree)), self._spare()
        for change in changes:
            before, after = change.modes
            if after in PLAIN and before == ABSENT:
                if folders.make(_above(change.path)) and self._place(change.path, spare):
                    yield change
            elif after in PLAIN and before == after:
                seen = self.sure.get(change.path)
                if seen is not None and is_alone(seen):
                    yield change

    def _spare(self) -> list[str]:
        """Only what it seems to be: a run may have got at it."""
        if not _is_folder(str(self.spare)):
            return []
        paths = (str(path) for path in self.spare.iterdir())
        return [path for path in paths if (seen := _seen(path)) is not None and is_alone(seen)]

    def _place(self, name: str, spare: list[str]) -> bool:
        path = self.tree / name
        if _seen(str(path)) is not None:
            return False
        if spare:
            with suppress(OSError):
                Path(spare.pop()).rename(path)
        return True

    def _write(self, wanted: Sequence[FileChange], written: dict[str, os.stat_result]) -> None:
        """What is written whole is noted; git finds the rest, and says what is missing of it."""
        plain = self._plain_mode()
        with suppress(Silent), self.git.converse("cat-file", "--batch") as talk:
            for number, change in enumerate(wanted):
                if number % AHEAD == 0:
                    self._heed_stop()
                    ask(talk, wanted[number + AHEAD if number else 0 : number + 2 * AHEAD])
                size = announced(talk)
                pieces = pieces_of(talk, size)
                mode = plain | (plain & 0o444) >> 2 if change.modes[1] == "100755" else plain
                seen = filled(f"{self.tree}/{change.path}", pieces, size, mode)
                # Of what could not be written the rest is still to be read, and the end of its line.
                for _ in chain(pieces, pieces_of(talk, 1)):
                    pass
                if seen is not None:
                    written[change.path] = seen

    def _plain_mode(self) -> int:
        """Of a file that git makes here."""
        probe = self.tree.with_name(f"probe-{secrets.token_hex(8)}")
        probe.touch(exist_ok=False)
        mode = stat.S_IMODE(probe.stat().st_mode)
        probe.unlink()
        return mode

    def _heed_stop(self) -> None:
        if self.git.cancelled is not None and self.git.cancelled.is_set():
            raise Interrupted("interrupted")
