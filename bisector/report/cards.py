"""Commits and pull requests as a reader meets them: cleaned texts, short names, safe links."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bisector.harmless import line, web_link
from bisector.model import Change, Commit, Culprit, PullRequest
from bisector.report.figures import counted

_FILES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class CommitCard:
    sha: str
    short: str
    subject: str
    author: str
    date: str


@dataclass(frozen=True, slots=True)
class PullCard:
    kind: str
    label: str
    title: str | None
    url: str | None
    found_by: str


@dataclass(frozen=True, slots=True)
class CulpritCard:
    commit: CommitCard
    url: str | None
    changed: str
    files: tuple[str, ...]
    files_more: int
    pull: PullCard | None


def short(sha: str) -> str:
    return line(sha)[:10]


def commit_card(commit: Commit) -> CommitCard:
    return CommitCard(
        sha=line(commit.sha),
        short=short(commit.sha),
        subject=line(commit.subject),
        author=line(f"{commit.author_name} <{commit.author_email}>"),
        date=_date(commit.author_date),
    )


def culprit_card(culprit: Culprit) -> CulpritCard:
    change = culprit.change
    return CulpritCard(
        commit=commit_card(culprit.commit),
        url=web_link(culprit.url),
        changed=_changed(change),
        files=tuple(line(file) for file in change.files[:_FILES_SHOWN]),
        files_more=max(0, len(change.files) - _FILES_SHOWN),
        pull=_pull_card(culprit.pull_request) if culprit.pull_request else None,
    )


def _changed(change: Change) -> str:
    return f"{counted(len(change.files), 'file')}, +{change.insertions} -{change.deletions}"


def _date(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M %z").rstrip()


def _pull_card(request: PullRequest) -> PullCard:
    """The words of the forge that the address belongs to: #12 on most, !12 on GitLab, an id on Gerrit."""
    url = web_link(request.url)
    if isinstance(request.number, str):
        kind, label = "Change", line(request.number, 60)
    elif url is not None and "/merge_requests/" in url:
        kind, label = "Merge request", f"!{request.number}"
    else:
        kind, label = "Pull request", f"#{request.number}"
    title = line(request.title) if request.title else None
    return PullCard(kind, label, title, url, request.found_by.value)
