"""Commits and the graph between them, read from a mirror as values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from bisector.git.door import Git
from bisector.model import Change, Commit

_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%aI%x00%cI%x00%s%x00%b%x00%x01"


def read(git: Git, shas: Sequence[str]) -> list[Commit]:
    if not shas:
        return []
    listing = "\n".join(shas).encode() + b"\n"
    text = git.text("log", "--no-walk=unsorted", "--stdin", f"--format={_FORMAT}", stdin=listing)
    return [_commit(record) for record in text.split("\x00\x01") if record.strip()]


def _commit(record: str) -> Commit:
    sha, parents, name, email, authored, committed, subject, body = record.lstrip("\n").split("\x00", 7)
    return Commit(
        sha,
        tuple(parents.split()),
        subject,
        body.strip(),
        name,
        email,
        datetime.fromisoformat(authored.replace("Z", "+00:00")),
        datetime.fromisoformat(committed.replace("Z", "+00:00")),
    )


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
    ended = git.attempt("merge-base", "--all", one, other)
    return ended.stdout.split()


def is_ancestor(git: Git, older: str, newer: str) -> bool:
    return git.attempt("merge-base", "--is-ancestor", older, newer).exit_status == 0


def bringing_merges(git: Git, sha: str, tip: str, most: int = 20) -> list[Commit]:
    """The merges between a commit and a tip that have it in a side branch, nearest first.

    Such a merge's first parent does not contain the commit: it is not on the way from it to the tip.
    """
    rows = git.lines("rev-list", "--ancestry-path", "--topo-order", "--reverse", "--parents", f"{sha}..{tip}")
    way = [row.split() for row in rows]
    descendants = {sha, *(row[0] for row in way)}
    bringing = [row[0] for row in way if len(row) > 2 and row[1] not in descendants]
    return read(git, bringing[:most])
