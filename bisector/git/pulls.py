"""Commits that only the forge's own refs hold (pull request heads), kept apart from the mirror, no files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bisector.git import commits
from bisector.git.door import Git
from bisector.git.mirror import Mirror
from bisector.model import Commit

MOST = 20_000
"""Heads asked for at once; a repository with more of them is not asked."""


@dataclass(frozen=True)
class PullCommits:
    mirror: Mirror

    def describe(self, shas: Sequence[str]) -> list[Commit]:
        """What is known of these commits; the source is asked for those that the mirror does not hold."""
        held = self._held(self.mirror.git, shas)
        known = set(held)
        missing = [sha for sha in shas if sha not in known]
        if not missing or len(missing) > MOST:
            return commits.read(self.mirror.git, held)
        aside = self._aside()
        if self._held(aside, missing) != missing:
            self._fetch(aside, missing)
        return commits.read(aside, [*held, *self._held(aside, missing)])

    def _held(self, git: Git, shas: Sequence[str]) -> list[str]:
        listing = "".join(f"{sha}\n" for sha in shas).encode()
        lines = git.lines("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=listing)
        return [line.split()[0] for line in lines if line.endswith(" commit")]

    def _aside(self) -> Git:
        folder = self.mirror.folder / "pulls.git"
        git = self.mirror.git.at(folder)
        if not (folder / "objects" / "info" / "alternates").exists():
            folder.mkdir(parents=True, exist_ok=True)
            git.text("init", "--quiet", "--bare", "--template=", ".")
            (folder / "objects" / "info").mkdir(parents=True, exist_ok=True)
            (folder / "objects" / "info" / "alternates").write_text(f"{self.mirror.git_dir / 'objects'}\n")
        return git

    def _fetch(self, aside: Git, shas: Sequence[str]) -> None:
        remote = aside.with_environment(self.mirror.remote.environment)
        listing = "".join(f"{sha}\n" for sha in shas).encode()
        options = (
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--filter=tree:0",
        )
        remote.text("fetch", *options, "--stdin", "origin", stdin=listing, timeout=600)
