"""bisector's own bare copy of a repository, shared by all hunts in it. The source is only ever read."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from bisector.errors import BisectorError, UsageFault
from bisector.git.door import Git, GitFailed, failure, local_environment, remote_environment
from bisector.git.source import Source
from bisector.locks import locked

_REFSPECS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_CLONES_REFSPECS = (*_REFSPECS, "+refs/remotes/*:refs/remotes/*")
# Not refs/bisector: `git bisect start` deletes every ref whose name begins with refs/bisect, slash or not.
HEAD = "refs/source/HEAD"
_NO_REPOSITORY = re.compile(
    r"not (appear to be )?a git repository|repository '.*' does not exist|invalid gitfile format"
)
Say = Callable[[str], None]


class NoRepository(UsageFault):
    """What the recipe calls its repository is none."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"repo: {reason}", "give a URL, or a path relative to the recipe file")
        self.reason = reason


@dataclass(frozen=True)
class Mirror:
    folder: Path
    source: Source
    machine: Mapping[str, str] = field(repr=False)
    """The user's environment: network operations need parts of it."""
    stop: threading.Event | None = None
    """Set when the hunt is to end: git is not waited for then."""

    @property
    def git_dir(self) -> Path:
        return self.folder / "repo.git"

    @property
    def git(self) -> Git:
        return Git(self.git_dir, local_environment(self.machine), cancelled=self.stop)

    @property
    def remote(self) -> Git:
        environment = remote_environment(self.machine, self.source.url, prompt=os.isatty(0))
        return Git(self.git_dir, environment, cancelled=self.stop)

    def exists(self) -> bool:
        return (self.git_dir / "HEAD").exists()

    @contextmanager
    def alone(self, say: Say) -> Iterator[None]:
        """One process at a time fetches into a mirror."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / "fetch.lock", lambda: say("another hunt is fetching this repository")):
            yield

    def ensure(self, say: Say) -> bool:
        """Make the mirror if it is not there; says whether it was made just now."""
        if self.exists():
            return False
        with self.alone(say):
            if self.exists():
                return False
            try:
                self._make(say)
            finally:
                if not self.exists():
                    self._clear()
        return True

    def _clear(self) -> None:
        """Nothing stays of a first copy that came to nothing."""
        shutil.rmtree(self.folder / "repo.making", ignore_errors=True)
        (self.folder / "fetch.lock").unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()

    def _make(self, say: Say) -> None:
        aside = self.folder / "repo.making"
        shutil.rmtree(aside, ignore_errors=True)
        git = Git(aside, self.remote.environment, cancelled=self.stop)
        path = self.local_path()
        if path is not None and not path.exists():
            raise NoRepository(f"{path} does not exist")
        say(f"copying {self.source.shown}")
        try:
            if path is not None:
                _clone(git, path, aside)
            else:
                aside.mkdir()
                git.text("init", "--quiet", "--bare", "--template=", ".")
            _fetch(git, self._refspecs)
        except GitFailed as fault:
            raise _unreachable(fault, self.source) from fault
        shutil.copy2(aside / "config", self._settings)
        shutil.rmtree(self.git_dir, ignore_errors=True)
        aside.rename(self.git_dir)

    @property
    def _settings(self) -> Path:
        return self.folder / "config"

    def mend_settings(self) -> None:
        """A program under test may have said `git config` or `git lfs install` in its tree, which is ours."""
        config, kept = self.git_dir / "config", self._settings.read_bytes()
        if not config.is_file() or config.read_bytes() != kept:
            aside = config.with_name(f"config.{threading.get_ident()}")
            aside.write_bytes(kept)
            aside.replace(config)
        (self.git_dir / "config.lock").unlink(missing_ok=True)
        (self.git_dir / "info" / "attributes").unlink(missing_ok=True)

    def local_path(self) -> Path | None:
        """The folder the source lies in, the user's `insteadOf` applied; None when it is elsewhere."""
        if self.source.is_path:
            return Path(self.source.url)
        where = Git(self.folder, self.remote.environment)
        target = (where.ask("ls-remote", "--get-url", "--end-of-options", "origin") or "").removeprefix(
            "file://"
        )
        return Path(target) if target.startswith("/") else None

    @property
    def _refspecs(self) -> Sequence[str]:
        """A forge has no branches of others' to offer, a clone on this machine has."""
        return _CLONES_REFSPECS if self.local_path() is not None else _REFSPECS

    def fetch(self, say: Say) -> None:
        """Bring branches and tags up to date."""
        with self.alone(say):
            say(f"fetching {self.source.shown}")
            self._free_locks()
            try:
                _fetch(self.remote, self._refspecs)
            except GitFailed as fault:
                raise _unreachable(fault, self.source) from fault

    def _free_locks(self) -> None:
        """What a killed fetch left: nobody else touches these while we fetch alone."""
        self.mend_settings()
        for lock in ("packed-refs.lock", "shallow.lock"):
            (self.git_dir / lock).unlink(missing_ok=True)
        for kind in ("heads", "tags", "remotes", "source"):
            for path in (self.git_dir / "refs" / kind).rglob("*.lock"):
                path.unlink(missing_ok=True)

    def fetch_commit(self, sha: str) -> bool:
        """Ask the source for a commit that no branch or tag reaches."""
        serve = "git -c uploadpack.allowAnySHA1InWant=true upload-pack"
        upload = ("--upload-pack", serve) if self.local_path() else ()
        found = self.remote.attempt("fetch", "--quiet", "--no-tags", *upload, "origin", sha, timeout=3600)
        return found.exit_status == 0

    def remote_refs(self, *patterns: str) -> list[tuple[str, str]]:
        """What the source offers beyond branches and tags, as (ref, sha)."""
        listed = self.remote.attempt("ls-remote", "--quiet", "origin", *patterns, timeout=120)
        if listed.exit_status != 0:
            raise failure(("ls-remote",), listed)
        pairs = (line.split("\t", 1) for line in listed.stdout.splitlines() if "\t" in line)
        return [(ref, sha) for sha, ref in pairs]

    def is_shallow(self) -> bool:
        return (self.git_dir / "shallow").exists()


def _clone(git: Git, path: Path, aside: Path) -> None:
    """A local source is copied by hard links: no byte of its packs is read.

    Not --local: with it git fails where the source lies on another file system, without it git copies.
    """
    options = ("--quiet", "--bare", "--template=", "--no-tags")
    upload = ("-c", "remote.origin.tagOpt=--no-tags")
    environment = {name: value for name, value in git.environment.items() if name != "GIT_CONFIG_COUNT"}
    clone = Git(aside.parent, environment, cancelled=git.cancelled)
    ended = clone.attempt("clone", *options, *upload, "--", str(path), str(aside), timeout=3600)
    if ended.exit_status != 0:
        raise failure(("clone",), ended)
    git.attempt("config", "--remove-section", "remote.origin")


def _fetch(git: Git, refspecs: Sequence[str]) -> None:
    quiet = (
        "--no-auto-maintenance",
        "--no-write-fetch-head",
        "--quiet",
        "--force",
        "--no-tags",
        "--update-shallow",
    )
    # The source may have been deepened since; where it was not, this asks for nothing.
    deeper = ("--unshallow",) if (git.git_dir / "shallow").exists() else ()
    git.text("fetch", *quiet, *deeper, "--prune", "origin", *refspecs, timeout=None)
    # On its own: with --prune, git removes and makes this ref in turns.
    head = git.attempt("fetch", *quiet, "origin", f"+HEAD:{HEAD}", timeout=None)
    if head.exit_status != 0 and "couldn't find remote ref HEAD" not in head.stderr:
        raise failure(("fetch",), head)


def _unreachable(fault: GitFailed, source: Source) -> BisectorError:
    said = fault.message
    if _NO_REPOSITORY.search(said):
        return NoRepository(f"{source.shown} is not a git repository")
    if type(fault) is not GitFailed:
        return fault
    return GitFailed(
        f"cannot fetch {source.shown}: {said}",
        fault.hint or "check the network, the URL and your access; the same command goes on from here",
    )
