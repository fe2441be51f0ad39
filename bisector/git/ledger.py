"""The hunt's own `git bisect`: git chooses, is told, and has the last word on which commit was the first.

`git bisect run` is driven through a relay, a shell script of three lines that asks us and repeats our answer.
What git prints is not trusted: the answer is read from refs/bisect/* and BISECT_HEAD.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from bisector import process
from bisector.git import worktrees
from bisector.git.door import Git, GitFailed, failure, local_environment
from bisector.git.mirror import Mirror
from bisector.model import Judgement, Terms

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_QUESTION = "bisector:next"
_RELAY = f"""#!/bin/sh
echo {_QUESTION}
read -r answer || exit 129
exit "$answer"
"""


class Answer(IntEnum):
    """What `git bisect run` understands; STOP ends the leg and keeps git's state."""

    OLD = 0
    NEW = 1
    SKIP = 125
    STOP = 129


@dataclass(frozen=True, slots=True)
class First:
    """One commit is left: the first new one."""

    sha: str


@dataclass(frozen=True, slots=True)
class OnlySkipped:
    """What is left cannot be tested; the newest of them is known to be new."""

    shas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Open:
    """There are commits left to test."""

    left: int


Standing = First | OnlySkipped | Open


@dataclass(frozen=True)
class Ledger:
    git: Git
    folder: Path
    terms: Terms
    first_parent: bool
    paths: tuple[str, ...]

    def start(self, new: str, olds: Sequence[str], skipped: Sequence[str]) -> None:
        """Begin from the two ends; whatever an earlier run left is forgotten: our records hold the facts."""
        options = ["--no-checkout", f"--term-old={self.terms.old}", f"--term-new={self.terms.new}"]
        if self.first_parent:
            options.append("--first-parent")
        limits = ["--", *self.paths] if self.paths else ["--"]
        self._bisect("start", *options, new, *olds, *limits)
        if skipped and isinstance(self.standing(), Open):
            self._tell("skip", *skipped)

    def drive(self, answer: Callable[[str], Answer]) -> Standing:
        """Let `git bisect run` ask until it is done or `answer` says STOP."""
        standing = self.standing()
        while isinstance(standing, Open):
            before = self._refs()
            if not self._leg(answer):
                return self.standing()
            if self._refs() == before:
                # It would ask the same for ever.
                raise GitFailed(
                    f"`git bisect run` did not keep an answer; its words are in {self.folder / 'git.log'}",
                    "is the disk full? `bisector clean` frees what bisector keeps",
                )
            standing = self.standing()
        return standing

    def _leg(self, answer: Callable[[str], Answer]) -> bool:
        """One `git bisect run`; False when it was told to stop."""
        relay = self.folder / "relay"
        if not relay.exists():
            relay.write_text(_RELAY)
            relay.chmod(0o755)
        log = self.folder / "git.log"
        asked = 0
        with self.git.converse("bisect", "run", str(relay), log=log) as talk:
            while (line := talk.readline()) is not process.Quiet.CLOSED:
                if line != _QUESTION:
                    continue
                asked += 1
                given = answer(self._asked())
                talk.write(f"{int(given)}\n")
                if given is Answer.STOP:
                    return False
            talk.wait(10)
        if not asked:
            raise GitFailed(f"`git bisect run` asked nothing; its words are in {log}")
        return True

    def _asked(self) -> str:
        """Read as the file that it usually is: a process a step would double what a step costs."""
        head = self.git.git_dir / "BISECT_HEAD"
        said = head.read_text().strip() if head.is_file() else ""
        return said if _SHA.fullmatch(said) else self.git.text("rev-parse", "--verify", "BISECT_HEAD").strip()

    def record(self, judgement: Judgement, sha: str) -> None:
        """Tell git a verdict that it did not ask for."""
        self._tell("skip" if judgement is Judgement.SKIP else self.terms.name(judgement), sha)

    def _tell(self, term: str, *shas: str) -> None:
        ended = self.git.attempt("bisect", term, *shas)
        # Status 2: only skipped commits are left. Nothing is wrong with that.
        if ended.exit_status not in (0, 2):
            raise failure(("bisect", term), ended)

    def skip(self, shas: Sequence[str]) -> None:
        """Several at once, none of which was asked for."""
        ended = self.git.attempt("bisect", "skip", *shas)
        if ended.exit_status not in (0, 2):
            raise failure(("bisect", "skip"), ended)

    def standing(self) -> Standing:
        """Where the bisection stands, from git's own refs."""
        refs = self._refs()
        new = refs[f"refs/bisect/{self.terms.new}"]
        olds = [sha for ref, sha in refs.items() if ref == f"refs/bisect/{self.terms.old}-{sha}"]
        skips = {sha for ref, sha in refs.items() if ref == f"refs/bisect/skip-{sha}"}
        left = self.candidates(new, olds)
        untested = [sha for sha in left if sha != new and sha not in skips]
        if untested:
            return Open(len(left))
        others = [sha for sha in left if sha != new]
        return OnlySkipped((new, *others)) if others else First(new)

    def candidates(self, new: str, olds: Sequence[str]) -> list[str]:
        """What may still be the first new commit, `new` included, nearest to it first."""
        options = ["--first-parent"] if self.first_parent else []
        limits = ["--", *self.paths] if self.paths else []
        found = self.git.lines("rev-list", "--topo-order", *options, new, "--not", *olds, *limits)
        return found if new in found else [new, *found]

    def _refs(self) -> dict[str, str]:
        listed = self.git.lines("for-each-ref", "--format=%(refname) %(objectname)", "refs/bisect")
        return {line.split()[0]: line.split()[1] for line in listed}

    def log(self) -> str:
        """What `git bisect log` prints: this file."""
        path = self.git.git_dir / "BISECT_LOG"
        return path.read_text(errors="replace") if path.exists() else ""

    def _bisect(self, *arguments: str) -> None:
        self.git.text("bisect", *arguments)


def open_ledger(
    mirror: Mirror, hunt: str, folder: Path, terms: Terms, *, first_parent: bool, paths: Sequence[str]
) -> Ledger:
    """The ledger of one hunt, in a worktree that has no files."""
    git_dir = worktrees.place(mirror, f"hunt-{hunt}")
    tree = folder / "git"
    if not (git_dir / "HEAD").exists():
        head = mirror.git.text("rev-list", "-1", "--all").strip()
        worktrees.add(mirror, f"hunt-{hunt}", tree, head)
    tree.mkdir(parents=True, exist_ok=True)
    _free_locks(git_dir)
    git = Git(git_dir, local_environment(mirror.machine), tree)
    return Ledger(git, folder, terms, first_parent, tuple(paths))


def _free_locks(git_dir: Path) -> None:
    """What a killed git was about to write: a hunt's process alone writes to its worktree."""
    for lock in (*git_dir.glob("*.lock"), *(git_dir / "refs").rglob("*.lock")):
        lock.unlink(missing_ok=True)
