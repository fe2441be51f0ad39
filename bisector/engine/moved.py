"""Whether the ends of a finished hunt are other commits by now, as far as that is known without the network.

A source on this machine is asked; of any other counts what its mirror has fetched since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bisector.git.door import GitFailed
from bisector.git.mirror import Mirror
from bisector.git.refs import NoSuchRevision, is_date, lookup, moves
from bisector.recipe.schema import AUTO
from bisector.store import HuntRow


@dataclass(frozen=True, slots=True)
class Moved:
    """A branch, or what the recipe says of one, and the two commits it has meant."""

    name: str
    before: str
    now: str


def moved(row: HuntRow, mirror: Mirror) -> tuple[Moved, ...]:
    """The ends that mean something else now; what cannot be found out has not moved."""
    if not mirror.exists():
        return ()
    try:
        return tuple(_moved(row, mirror))
    except GitFailed:
        return ()


def _moved(row: HuntRow, mirror: Mirror) -> Iterator[Moved]:
    ends = ((row.old_ref, row.old_commit), (row.new_ref, row.new_commit))
    named = [(name, commit) for name, commit in ends if name and commit and _may_move(mirror, name)]
    offered = dict(mirror.remote_refs()) if named and mirror.local_path() is not None else {}
    for name, before in named:
        now = _offered(offered, name) or _fetched(mirror, name)
        if now is not None and now != before:
            yield Moved(name, before, now)


def _may_move(mirror: Mirror, name: str) -> bool:
    """A date is left out: which branch it is looked up on depends on the other end."""
    return not name.startswith(f"{AUTO} ") and not is_date(name) and moves(mirror.git, name)


def _offered(offered: Mapping[str, str], name: str) -> str | None:
    """The names that `lookup` tries, in its order; nothing where the name says more than a branch."""
    plain = name.removeprefix("origin/")
    places = (
        name,
        f"refs/heads/{name}",
        f"refs/remotes/{name}",
        f"refs/heads/{plain}",
        f"refs/remotes/origin/{plain}",
    )
    return next((offered[place] for place in places if place in offered), None)


def _fetched(mirror: Mirror, name: str) -> str | None:
    try:
        return lookup(mirror.git, name, None, mirror.source.key)
    except NoSuchRevision:
        return None
