"""Which commits a stretch of history holds: what `pins`, `fixups` and `skip` are said in."""

from __future__ import annotations

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

    def holds(self, where: Stretch, commit: Commit) -> bool:
        if isinstance(where, Range):
            return commit.sha in self.commits_of(where.revs)
        after = self._is_since(where.rev, commit)
        return after if isinstance(where, Since) else not after

    def _is_since(self, rev: str, commit: Commit) -> bool:
        if is_date(rev):
            return commit.commit_date >= parse_date(rev)
        return commits.is_ancestor(self._git, self.revision(rev), commit.sha)

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
