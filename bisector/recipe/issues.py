"""Which addresses to ask for the text behind an issue's URL, on GitHub, GitLab, Gitea and Forgejo.

Words only: nothing is asked here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

_GITLAB = re.compile(r"/(?P<project>.+?)/-/(?P<kind>issues|work_items|merge_requests)/(?P<number>\d+)/?")
_OTHERS = re.compile(r"/(?P<project>[^/]+/[^/]+)/(?:issues|pull|pulls)/(?P<number>\d+)/?")


@dataclass(frozen=True, slots=True)
class Question:
    """An address whose JSON answer has the text under `key`; None: the answer is a page for people."""

    address: str
    key: str | None = None


def questions(url: str) -> tuple[Question, ...]:
    """In the order to ask; empty when the URL is no issue's. The page itself comes last: APIs have limits."""
    parts = urlsplit(url)
    page = Question(url)
    if match := _GITLAB.fullmatch(parts.path):
        return (_gitlab(parts, match), page)
    if match := _OTHERS.fullmatch(parts.path):
        below = _comment(parts.fragment) or f"issues/{match['number']}"
        return (*(Question(f"{api}/repos/{match['project']}/{below}", "body") for api in _apis(parts)), page)
    return ()


def _apis(parts: SplitResult) -> list[str]:
    if parts.hostname in ("github.com", "www.github.com"):
        return ["https://api.github.com"]
    # A host of its own may be Gitea, Forgejo or GitHub Enterprise: the wrong one answers 404.
    return [f"{parts.scheme}://{parts.netloc}/api/{version}" for version in ("v1", "v3")]


def _comment(fragment: str) -> str | None:
    match = re.fullmatch(r"issuecomment-(\d+)", fragment)
    return f"issues/comments/{match[1]}" if match else None


def _gitlab(parts: SplitResult, match: re.Match[str]) -> Question:
    kind = "merge_requests" if match["kind"] == "merge_requests" else "issues"
    project = quote(match["project"], safe="")
    issue = f"{parts.scheme}://{parts.netloc}/api/v4/projects/{project}/{kind}/{match['number']}"
    if note := re.fullmatch(r"note_(\d+)", parts.fragment):
        return Question(f"{issue}/notes/{note[1]}", "body")
    return Question(issue, "description")


def raw_address(url: str) -> str:
    """A forge's page about a file turned into the file's own address; any other URL as it is."""
    parts = urlsplit(url)
    path = re.sub(r"^(/.+)/-/blob/", r"\1/-/raw/", parts.path, count=1)
    path = re.sub(r"^(/[^/]+/[^/]+)/blob/", r"\1/raw/", path, count=1)
    path = re.sub(r"^(/[^/]+/[^/]+)/src/(branch|tag|commit)/", r"\1/raw/\2/", path, count=1)
    return parts._replace(path=path).geturl()
