"""Whether a repro can have loaded what a commit changes, as far as its files tell: by who mentions the modules."""

from __future__ import annotations

from pathlib import PurePosixPath

from bisector.git import content
from bisector.git.door import Git
from bisector.model import Commit


def unmentioned(git: Git, commit: Commit, repro: str) -> tuple[str, ...]:
    """What the commit changes, where nobody mentions any of it; empty where its first parent is not the only one."""
    if len(commit.parents) != 1:
        return ()
    paths = tuple(one.path for one in content.changes(git, commit.parents[0], commit.sha))
    return () if any(_may_be_loaded(git, commit.sha, path, repro) for path in paths) else paths


def _may_be_loaded(git: Git, sha: str, path: str, repro: str) -> bool:
    """Python alone tells what it loads; a name that nobody mentions is hardly imported."""
    if not path.endswith(".py"):
        return True
    place = PurePosixPath(path)
    name = place.parent.name if place.stem in ("__init__", "__main__") else place.stem
    mentioned = [other for other in content.mentions(git, sha, name) if other != path]
    return bool(mentioned) or name in repro
