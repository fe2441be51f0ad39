"""From a commit's sha to what its trial is: the plan, fed with what git knows."""

from __future__ import annotations

from collections.abc import Callable

from bisector.engine.sampling import sampled
from bisector.git import commits
from bisector.git.membership import Membership
from bisector.git.mirror import Mirror
from bisector.model import Commit, Judgement
from bisector.plan import TrialRequest, request
from bisector.recipe.schema import Recipe

EndOf = Callable[[Judgement], str]
"""The commit of the old or the new end: overlays may be taken from there."""


class Asking:
    """One recipe's requests; what it looked up once it remembers."""

    def __init__(self, recipe: Recipe, mirror: Mirror, end_of: EndOf) -> None:
        self._recipe = recipe
        self._mirror = mirror
        self._end_of = end_of
        self._membership = Membership(mirror.git, mirror.source.key)
        self._commits: dict[str, Commit] = {}

    def commit(self, sha: str) -> Commit:
        if sha not in self._commits:
            self._commits[sha] = commits.read(self._mirror.git, [sha])[0]
        return self._commits[sha]

    def request(self, sha: str, runs: int = 1) -> TrialRequest:
        commit = self.commit(sha)
        asked = request(
            self._recipe,
            self._mirror.source.key,
            commit,
            lambda where: self._membership.holds(where, commit),
            self._resolve,
        )
        return sampled(asked, self._recipe.verdict, runs)

    def _resolve(self, named: Judgement | str) -> str:
        return self._end_of(named) if isinstance(named, Judgement) else self._membership.revision(named)
