"""How git is called: in which environment, with what it must not do, and what its failures mean.

Knows nothing of mirrors, worktrees or bisection.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bisector import process
from bisector.errors import Interrupted, MachineFault
from bisector.git.credentials import address, without_credentials

# What a network operation may take from the user's environment; every other GIT_* variable could point git
# at another repository or index.
_KEPT_GIT = re.compile(r"GIT_(CONFIG_.*|SSH.*|ASKPASS|SSL_.*|PROXY.*|HTTP_.*|TRACE_CURL.*|ALLOW_PROTOCOL)$")
_NEVER = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "protocol.ext.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.detachedHead=false",
    # Several write files in the folder's own encoding as they are kept (git 2.39).
    "checkout.workers=1",
)
# The bytes of the commit, whatever this user's git is set to; pointers of large files stay pointers.
_VERBATIM = (
    "core.autocrlf=false",
    "core.quotePath=false",
    "filter.lfs.smudge=",
    "filter.lfs.process=",
    "filter.lfs.required=false",
)
_MISSING_OBJECT = re.compile(
    r"bad object|missing (blob|tree|commit|object)|unable to read (tree|sha1|blob)|object file .* is empty"
    r"|[Nn]ot a valid (object|commit name)|could not (parse|read) (object|commit)|(loose|packed) object .* is corrupt"
    r"|unable to parse commit|invalid object [0-7]{6} "
    r"|unable to unpack|invalid sha1 pointer|packfile .* (is corrupt|cannot be accessed)|promisor remote|not our ref"
    r"|failed to (read object|traverse parents)|inflate: data stream error|Could not read [0-9a-f]{40,64}"
)


_NO_GIT = ("git is not installed or not on PATH", "install git 2.30 or newer")
_INCOMPLETE = "the repository is incomplete"


class GitFailed(MachineFault):
    """git said no; its words are in the message."""


class RepositoryIncomplete(GitFailed):
    """Objects that the history needs are not in the repository."""


def local_environment(machine: Mapping[str, str]) -> dict[str, str]:
    """For work inside our own repositories: nobody's configuration, no prompt, no network helper."""
    return {
        "PATH": machine.get("PATH", "/usr/bin:/bin"),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_ADVICE": "0",
    }


def remote_environment(machine: Mapping[str, str], url: str, *, prompt: bool) -> dict[str, str]:
    """For talking to where the repository comes from: the user's insteadOf, credentials and proxies hold.

    The URL travels in the environment: what is said on a command line or in a file, others can read.
    """
    kept = {k: v for k, v in machine.items() if not k.startswith("GIT_") or _KEPT_GIT.fullmatch(k)}
    number = int(kept.get("GIT_CONFIG_COUNT") or 0)
    source = address(url)
    settings = (("remote.origin.url", source.url), *source.settings)
    kept |= {
        "LC_ALL": "C",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_CONFIG_COUNT": str(number + len(settings)),
        **source.variables,
    }
    for place, (key, value) in enumerate(settings, number):
        kept |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    if not prompt:
        kept |= {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_SSH_COMMAND": kept.get("GIT_SSH_COMMAND", "ssh -oBatchMode=yes"),
        }
    return kept


class SubmoduleUnavailable(GitFailed):
    """A commit names a submodule that cannot be had: this commit cannot be tested, others may."""


@dataclass(frozen=True)
class Git:
    """git on one repository (or one worktree of it)."""

    git_dir: Path
    environment: Mapping[str, str] = field(repr=False)
    work_tree: Path | None = None
    cancelled: threading.Event | None = None

    def at(self, git_dir: Path) -> Git:
        """Another repository, with no worktree."""
        return Git(git_dir, self.environment, None, self.cancelled)

    def with_environment(self, environment: Mapping[str, str]) -> Git:
        return Git(self.git_dir, environment, self.work_tree, self.cancelled)

    def argv(self, arguments: Sequence[str]) -> list[str]:
        settings = [part for setting in (*_NEVER, *_VERBATIM) for part in ("-c", setting)]
        place = ["--git-dir", str(self.git_dir)]
        if self.work_tree is not None:
            place += ["--work-tree", str(self.work_tree)]
        return ["git", *settings, *place, *arguments]

    def attempt(
        self, *arguments: str, stdin: bytes | None = None, timeout: float | None = 600
    ) -> process.Finished:
        """Run git; a non-zero status is the caller's to read."""
        cwd = self.work_tree or self.git_dir
        ended = process.run(
            self.argv(arguments),
            cwd=cwd,
            env=self.environment,
            stdin=stdin,
            timeout=timeout,
            cancelled=self.cancelled,
        )
        if isinstance(ended, process.ProgramMissing):
            raise MachineFault(*_NO_GIT)
        if ended.cancelled:
            raise Interrupted("interrupted")
        return ended

    def converse(self, *arguments: str, log: Path | None = None) -> process.Conversation:
        """A git that asks or answers line after line."""
        cwd = self.work_tree or self.git_dir
        begun = process.start(self.argv(arguments), cwd=cwd, env=self.environment, log=log)
        if isinstance(begun, process.ProgramMissing):
            raise MachineFault(*_NO_GIT)
        return begun

    def text(self, *arguments: str, stdin: bytes | None = None, timeout: float | None = 600) -> str:
        ended = self.attempt(*arguments, stdin=stdin, timeout=timeout)
        if ended.exit_status != 0 or _lacks_objects(ended.stderr):
            raise failure(arguments, ended)
        return ended.stdout

    def lines(self, *arguments: str, stdin: bytes | None = None) -> list[str]:
        """Not `splitlines`: names may hold what Unicode, but not git, takes for the end of a line."""
        text = self.text(*arguments, stdin=stdin)
        return text.removesuffix("\n").split("\n") if text else []

    def ask(self, *arguments: str) -> str | None:
        """One line of answer, or None where git says no."""
        ended = self.attempt(*arguments)
        if ended.exit_status == 0:
            return ended.stdout.strip()
        if _MISSING_OBJECT.search(ended.stderr) and "Needed a single revision" not in ended.stderr:
            raise failure(arguments, ended)
        return None

    def update_refs(self, updates: Iterable[tuple[str, str]]) -> None:
        commands = "".join(f"update {ref} {sha}\n" for ref, sha in updates)
        self.text("update-ref", "--stdin", stdin=commands.encode())


def _lacks_objects(stderr: str) -> bool:
    """git's own word for it: `git checkout` of a commit whose tree is gone exits 0 and leaves no file."""
    complaints = (line for line in stderr.splitlines() if line.startswith(("error:", "fatal:")))
    return any(_MISSING_OBJECT.search(line) for line in complaints)


def failure(arguments: Sequence[str], ended: process.Finished) -> GitFailed:
    """The exception that says why git failed, without secrets."""
    words = without_credentials(ended.stderr.strip() or ended.stdout.strip())
    verb = _verb(arguments)
    if ended.timed_out:
        return GitFailed(f"git {verb} took longer than its limit", "is the disk or the network stuck?")
    if _MISSING_OBJECT.search(words):
        return RepositoryIncomplete(
            f"{_INCOMPLETE}: {_last_line(words)}",
            "objects are missing at the source; `git fsck` there names them, a full clone repairs it",
        )
    if "No space left on device" in words:
        return GitFailed(
            f"git {verb}: no space left on the device", "`bisector clean` frees what bisector keeps"
        )
    return GitFailed(f"git {verb} failed: {_last_line(words)}")


def _verb(arguments: Sequence[str]) -> str:
    """A setting that goes before it is two words."""
    settings = {number + 1 for number, word in enumerate(arguments) if word == "-c"}
    words = (word for number, word in enumerate(arguments) if number not in settings)
    return next((word for word in words if not word.startswith("-")), "git")


def tells_of_missing_objects(fault: MachineFault) -> bool:
    """Also where the fault has come through a trial's records, which keep its words alone."""
    return fault.message.startswith(_INCOMPLETE)


def _last_line(words: str) -> str:
    """The last complaint that says something; what git adds when the other side hung up does not."""
    lines = [line for line in words.splitlines() if line.startswith(("fatal:", "error:"))]
    telling = [line for line in lines if "Could not read from remote repository" not in line]
    said = telling or lines or words.splitlines()
    return said[-1].strip() if said else "no reason given"
