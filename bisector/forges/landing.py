"""Which pull request brought a commit in, without asking the forge's API.

The order of trust: the commit's own words, those of the merges that brought it in, then the published heads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bisector.errors import MachineFault
from bisector.forges import FORGES
from bisector.forges.forge import Notice
from bisector.forges.mention import Mention, body_lines, clean_title
from bisector.forges.refs import Describe, Head, ListRefs, by_copy, by_sha, heads_in
from bisector.forges.repository import Repository
from bisector.model import Commit, FoundBy, PullRequest

# Keys under which forges and merge robots leave a review's whole address in a message.
ADDRESS_LINE = re.compile(
    r"(?:Reviewed-on|Differential Revision|Part-of|PR-URL|Pull[- ]Request|Pull Request resolved"
    r"|Merge[- ]Request|COPYBARA_INTEGRATE_REVIEW)[:=]\s?<?(?P<url>https?://[^\s<>\"]{1,500})>?(?:\s.*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Remote:
    """How to look at what the forge publishes besides branches. May raise MachineFault."""

    list_refs: ListRefs
    describe: Describe


def find_pull_request(
    repository: Repository, commit: Commit, merges: Sequence[Commit], remote: Remote
) -> PullRequest | Notice | None:
    """`merges`: those that brought the commit in, nearest first. The remote is asked only when words fail."""
    if mention := _mentioned(repository, commit):
        return _pull(repository, mention, FoundBy.SUBJECT)
    for merge in merges:
        if mention := _mentioned(repository, merge):
            return _pull(repository, mention, FoundBy.MERGE)
    try:
        number = _published(repository, commit, merges, remote)
    except MachineFault as fault:
        line = clean_title(fault.message) or "no reason given"
        return Notice(f"the heads of the pull requests could not be read: {line}")
    return _pull(repository, Mention(number), FoundBy.REFS) if number else None


def _mentioned(repository: Repository, commit: Commit) -> Mention | None:
    """A change's number, when there is one, says more than its Change-Id: whole addresses come first."""
    forge = repository.forge
    return forge.in_subject(commit) or _addressed(commit) or forge.in_body(commit, repository.address)


def _addressed(commit: Commit) -> Mention | None:
    """The last such line: a cherry-pick carries its original's above its own."""
    lines = [found for found in map(ADDRESS_LINE.fullmatch, body_lines(commit)) if found]
    for line in reversed(lines):
        for forge in FORGES.values():
            if number := forge.pull_in_url(line["url"]):
                return Mention(number, clean_title(commit.subject), line["url"])
    return None


def _published(
    repository: Repository, commit: Commit, merges: Sequence[Commit], remote: Remote
) -> int | None:
    kinds = repository.forge.pull_refs
    heads: tuple[Head, ...] = ()
    if kinds:
        heads = heads_in(remote.list_refs([kind.glob for kind in kinds]), kinds)
    return by_sha(heads, commit, merges) or by_copy(heads, commit, remote.describe)


def _pull(repository: Repository, mention: Mention, found_by: FoundBy) -> PullRequest:
    pull = PullRequest(mention.number, mention.url, found_by, mention.title)
    return pull if pull.url else replace(pull, url=repository.pull_url(mention.number))
