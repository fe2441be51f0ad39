"""Which commits a stretch of history holds: what `pins`, `fixups` and `skip` are said in."""

from __future__ import annotations

from collections.abc import Sequence

from bisector.errors import UsageFault
from bisector.git import commits
from bisector.git.door import Git
from bisector.git.refs import is_date, lookup, parse_date
from bisector.model import Commit
from bisector.recipe.alterations import Range, Since, Stretch


class Membership:
    """Answers for one mirror; what it looked up once it remembers."""

    def __init__(self, git: Git, project: str = "") -> None:
        self._git = git
        self._project = project
        self._revisions: dict[str, str] = {}
        self._ranges: dict[str, frozenset[str]] = {}
        self._ranged: dict[tuple[str, ...], dict[str, int]] = {}

    def holds(self, where: Stretch, commit: Commit) -> bool:
        if isinstance(where, Range):
            return commit.sha in self.commits_of(where.revs)
        after = self._is_since(where.rev, commit)
        return after if isinstance(where, Since) else not after

    def _is_since(self, rev: str, commit: Commit) -> bool:
        if is_date(rev):
            return commit.commit_date >= parse_date(rev)
        return commits.is_ancestor(self._git, self.revision(rev), commit.sha)

    def among(self, where: Stretch, tip: str, without: Sequence[str]) -> frozenset[str]:
        """The commits of `tip` that none of `without` has and the stretch holds: few questions for many."""
        if isinstance(where, Range):
            held = self.commits_of(where.revs)
            return frozenset(sha for sha in self._dates(tip, without) if sha in held)
        after = self._since(where.rev, tip, without)
        if isinstance(where, Since):
            return after
        return frozenset(sha for sha in self._dates(tip, without) if sha not in after)

    def _since(self, rev: str, tip: str, without: Sequence[str]) -> frozenset[str]:
        dates = self._dates(tip, without)
        if is_date(rev):
            moment = parse_date(rev).timestamp()
            return frozenset(sha for sha, seconds in dates.items() if seconds >= moment)
        known = self.revision(rev)
        children = {*self._git.lines("rev-list", "--ancestry-path", f"{known}..{tip}", "--"), known}
        return frozenset(sha for sha in dates if sha in children)

    def _dates(self, tip: str, without: Sequence[str]) -> dict[str, int]:
        """Every commit of a range with its date, in seconds."""
        asked = (tip, *without)
        if asked not in self._ranged:
            lines = self._git.lines("rev-list", "--timestamp", tip, "--not", *without, "--")
            pairs = (line.split() for line in lines)
            self._ranged[asked] = {sha: int(seconds) for seconds, sha in pairs}
        return self._ranged[asked]

    def revision(self, rev: str) -> str:
        if rev not in self._revisions:
            found = lookup(self._git, rev, None, self._project)
            if found is None:
                raise UsageFault(f"{rev!r} names no commit of this repository", "give a sha, a tag or a date")
            self._revisions[rev] = found
        return self._revisions[rev]

    def commits_of(self, revs: str) -> frozenset[str]:
        """A revision is itself; a range is its commits."""
        if revs not in self._ranges:
            self._ranges[revs] = frozenset(self._list(revs))
        return self._ranges[revs]

    def _list(self, revs: str) -> list[str]:
        for dots in ("...", ".."):
            if dots in revs:
                low, high = revs.split(dots, 1)
                ends = f"{self.revision(low or 'HEAD')}{dots}{self.revision(high or 'HEAD')}"
                return self._git.lines("rev-list", ends, "--")
        return [self.revision(revs)]
