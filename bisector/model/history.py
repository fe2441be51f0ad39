"""Commits, what they touched, and the pull request that brought one in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    parents: tuple[str, ...]
    subject: str
    body: str
    author_name: str
    author_email: str
    author_date: datetime
    commit_date: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit touched, against its first parent."""

    files: tuple[str, ...]
    insertions: int
    deletions: int


class FoundBy(Enum):
    SUBJECT = "subject"
    MERGE = "merge"
    REFS = "refs"
    API = "api"


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request, merge request, change or review that brought a commit in."""

    number: int | str
    url: str | None
    found_by: FoundBy
    title: str | None = None
    author: str | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True)
class End:
    """One end of the hunt: what the recipe says and which commit that was."""

    ref: str
    commit: str
