"""What git alone tells of a culprit: what nobody can see of it, who took it back, whether the repro may load it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bisector.engine.flips import Flip, flips
from bisector.engine.mentioned import unmentioned
from bisector.engine.unseen import Unseen, nothing_seen
from bisector.git import commits
from bisector.git.door import Git


@dataclass(frozen=True, slots=True)
class Looks:
    unseen: Unseen | None
    """What it changed, if a run hardly sees it."""
    flips: Sequence[Flip]
    """Every commit that brought the change or took it back, where one took it back."""
    unmentioned: tuple[str, ...]
    """The files that it changed, if nothing else mentions them."""


def look(git: Git, sha: str, old: str, new: str, repro: str) -> Looks:
    [commit] = commits.read(git, [sha])
    return Looks(
        nothing_seen(git, commit, repro), flips(git, commit, [old], new), unmentioned(git, commit, repro)
    )
