"""Slots: long-lived worktrees of a mirror in which trials run, one trial at a time, each on a clean tree."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path

from bisector.apart import keep_apart
from bisector.boot import this_boot
from bisector.folders import empty, is_folder, walk
from bisector.git import index as indices
from bisector.git import overwriting, submodules, worktrees
from bisector.git.door import Git, GitFailed, RepositoryIncomplete, SubmoduleUnavailable, local_environment
from bisector.git.mirror import Mirror
from bisector.locks import try_lock

PREFIX = "slot-"
"""Of the name by which git knows the worktree."""


@dataclass(frozen=True)
class Slot:
    """A worktree that this process alone uses until `release`."""

    number: int
    tree: Path
    git: Git
    lock: int
    mirror: Mirror
    nearby: bool
    """The source is a folder of this machine."""
    remote_environment: Mapping[str, str] = field(repr=False)

    @property
    def commit(self) -> str:
        """Where its last tenant left it. How little of the tree is that commit's only a checkout knows."""
        return worktrees.head(self.git.git_dir)

    def checkout(self, sha: str) -> None:
        """The commit's tree, clean to the last ignored file."""
        self._mend()
        try:
            self._switch(sha)
        except (RepositoryIncomplete, SubmoduleUnavailable):
            raise
        except GitFailed:
            # The last tenant left something git cannot step over: begin with an empty folder.
            empty(self.tree)
            self._index_kept.unlink(missing_ok=True)
            self._mend()
            self._switch(sha)

    def _switch(self, sha: str) -> None:
        # Before: git would obey attributes that the last tenant left.
        self.git.text("clean", "--quiet", "-xffd")
        leaves_some = overwriting.prepare(self.git, self.tree, self.tree.with_name("spare"), sha)
        self.git.text("checkout", "--quiet", "--force", "--detach", sha)
        # Of a submodule that this commit does not have git leaves the folder.
        if leaves_some or self._has_modules:
            self.git.text("clean", "--quiet", "-xffd")
        self._keep_index()
        if (self.tree / ".gitmodules").exists():
            self._submodules()

    def _submodules(self) -> None:
        remote = self.git.with_environment({**self.remote_environment, "GIT_PROTOCOL_FROM_USER": "0"})
        submodules.update(remote, self.tree, self.nearby)
        self._links_kept.write_text(json.dumps(dict(self._links())))

    @property
    def _links_kept(self) -> Path:
        return self.git.git_dir / "submodules.kept"

    def _links(self) -> Iterator[tuple[str, str | None]]:
        """Where the `.git` of each submodule lies in the tree, and what it says; None: it is no file."""
        for folder, folders, names in walk(self.tree):
            link = Path(folder, ".git")
            if folder != str(self.tree) and ".git" in (*folders, *names):
                yield str(link.relative_to(self.tree)), _said(link)

    def _mend_links(self) -> None:
        """A `.git` that the program under test laid in a submodule may lead to settings of its own.

        git would obey those outside of any cage, filters and ssh commands included.
        """
        if not self._has_modules:
            return
        kept = json.loads(self._links_kept.read_text()) if self._links_kept.exists() else {}
        for path, said in list(self._links()):
            if said is None or kept.get(path) != said:
                empty(self.tree / path)

    @property
    def _index(self) -> Path:
        return self.git.git_dir / "index"

    @property
    def _index_kept(self) -> Path:
        return self.git.git_dir / "index.kept"

    @property
    def _boot(self) -> Path:
        return self.git.git_dir / "index.boot"

    @property
    def _has_modules(self) -> bool:
        return (self.git.git_dir / "modules").exists()

    def _keep_index(self) -> None:
        """Good until the machine stops: what it had not written by then the index would be believed about."""
        self._boot.write_text(this_boot())
        shutil.copy2(self._index, self._index_kept)

    def _mend(self) -> None:
        """A repro may have rewritten what git believes of this tree, or died while git held the index."""
        self._mend_root()
        self._mend_link()
        self._mend_links()
        self.mirror.mend_settings()
        # In the index files can be flagged as not to be looked at.
        for name in ("index", "index.lock", "HEAD.lock", "info", indices.BELIEVED):
            empty(self.git.git_dir / name)
        if _said(self._boot) == this_boot() and _is_file(self._index_kept):
            # The copy keeps its time: git goes by it.
            shutil.copy2(self._index_kept, self._index)
        else:
            empty(self._index_kept)
            empty(self._boot)

    def _mend_root(self) -> None:
        if not is_folder(self.tree):
            empty(self.tree)
            self.tree.mkdir(parents=True)
        mode = stat.S_IMODE(self.tree.stat().st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            self.tree.chmod(mode | stat.S_IRWXU)

    def _mend_link(self) -> None:
        link = self.tree / ".git"
        wanted = f"gitdir: {self.git.git_dir}\n"
        if _said(link) != wanted:
            empty(link)
            link.write_text(wanted)

    def release(self) -> None:
        os.close(self.lock)


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _said(path: Path) -> str | None:
    """None: it is no file, or not there."""
    return path.read_text(errors="replace") if _is_file(path) else None


def acquire(mirror: Mirror, commit: str | None = None) -> Slot:
    """A slot that nobody uses: one that was left at this commit, else the first; a new one when all are taken."""
    numbers = chain(_left_at(mirror, commit), count())
    while True:
        number = next(numbers)
        lock = try_lock(mirror.folder / "slots" / f"{number}.lock")
        if lock is not None:
            return _open(mirror, number, lock)


def _left_at(mirror: Mirror, commit: str | None) -> Iterator[int]:
    for folder in sorted(worktrees.place(mirror, "").glob(f"{PREFIX}*")):
        number = folder.name.removeprefix(PREFIX)
        if number.isdecimal() and worktrees.head(folder) == commit:
            yield int(number)


def _open(mirror: Mirror, number: int, lock: int) -> Slot:
    name = f"{PREFIX}{number}"
    tree = mirror.folder / "slots" / str(number) / "tree"
    git_dir = worktrees.place(mirror, name)
    if not (git_dir / "HEAD").exists():
        # A checkout deletes as many files as it writes.
        keep_apart(mirror.folder / "slots")
        empty(tree)
        worktrees.add(mirror, name, tree, "ref: refs/heads/never-born")
    environment = local_environment(mirror.machine)
    nearby = mirror.local_path() is not None
    git = Git(git_dir, environment, tree, mirror.stop)
    return Slot(number, tree, git, lock, mirror, nearby, mirror.remote.environment)
