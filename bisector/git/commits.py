"""Commits and the graph between them, read from a mirror as values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone

from bisector.git.door import Git, failure
from bisector.model import Change, Commit
from bisector.process import Finished

_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%ad%x00%cd%x00%s%x00%b"
_FIELDS = 8
_LATEST = 253_402_128_000
"""Seconds: two days before the calendar of Python ends, whatever the zone."""
_DAY = 24 * 60


def read(git: Git, shas: Sequence[str]) -> list[Commit]:
    if not shas:
        return []
    listing = "\n".join(shas).encode() + b"\n"
    text = git.text(
        "log", "--no-walk=unsorted", "--stdin", "-z", "--date=raw", f"--format={_FORMAT}", stdin=listing
    )
    # No text of git's can hold a NUL; whatever else might part two records, a message may begin with.
    cells = text.split("\x00")
    return [_commit(cells[at : at + _FIELDS]) for at in range(0, len(cells) - 1, _FIELDS)]


def _commit(cells: Sequence[str]) -> Commit:
    sha, parents, name, email, authored, committed, subject, body = cells
    return Commit(
        sha,
        tuple(parents.split()),
        subject,
        body.strip(),
        name,
        email,
        _moment(authored),
        _moment(committed),
    )


def _moment(said: str) -> datetime:
    """Commits claim years that no calendar has, and zones beyond the globe; git repeats it, or says nothing."""
    match = re.fullmatch(r"(\d{1,18}) ([+-])(\d+)(\d\d)", said)
    if match is None:
        return datetime.fromtimestamp(0, timezone.utc)
    minutes = int(match[3]) * 60 + int(match[4])
    shift = timedelta(minutes=minutes if match[2] == "+" else -minutes) if minutes < _DAY else timedelta()
    return datetime.fromtimestamp(min(int(match[1]), _LATEST), timezone(shift))


def change(git: Git, commit: Commit) -> Change:
    """What a commit touched, against its first parent (a root: against nothing)."""
    base = [commit.parents[0]] if commit.parents else []
    root = [] if base else ["--root"]
    rows = git.lines("diff-tree", "-r", "--numstat", "--no-commit-id", "-M", *root, *base, commit.sha)
    cells = [row.split("\t", 2) for row in rows if row.count("\t") >= 2]
    added = sum(int(cell[0]) for cell in cells if cell[0].isdigit())
    removed = sum(int(cell[1]) for cell in cells if cell[1].isdigit())
    return Change(tuple(cell[2] for cell in cells), added, removed)


def parents(
    git: Git, tip: str, without: Iterable[str], *, first_parent: bool = False, paths: Sequence[str] = ()
) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The commits of `tip` that none of `without` has, newest first, each with its parents."""
    options = ["--first-parent"] if first_parent else []
    limits = ["--", *paths] if paths else []
    text = git.text("rev-list", "--topo-order", "--parents", *options, tip, "--not", *without, *limits)
    for line in text.splitlines():
        sha, *above = line.split()
        yield sha, tuple(above)


def merge_bases(git: Git, one: str, other: str) -> list[str]:
    return _related(git, "--all", one, other).stdout.split()


def is_ancestor(git: Git, older: str, newer: str) -> bool:
    return _related(git, "--is-ancestor", older, newer).exit_status == 0


def _related(git: Git, *words: str) -> Finished:
    """Status 1 is a no; any other is no answer: objects are missing, or git was killed."""
    ended = git.attempt("merge-base", *words)
    if ended.exit_status not in (0, 1):
        raise failure(("merge-base",), ended)
    return ended


def bringing_merges(git: Git, sha: str, tip: str, most: int = 20) -> list[Commit]:
    """The merges between a commit and a tip that have it in a side branch, nearest first.

    Such a merge's first parent does not contain the commit: it is not on the way from it to the tip.
    """
    rows = git.lines("rev-list", "--ancestry-path", "--topo-order", "--reverse", "--parents", f"{sha}..{tip}")
    way = [row.split() for row in rows]
    descendants = {sha, *(row[0] for row in way)}
    bringing = [row[0] for row in way if len(row) > 2 and row[1] not in descendants]
    return read(git, bringing[:most])
