"""The way in: from a culprit to its pull request by words, refs and API, and what could not be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bisector.forges.forge import Notice
from bisector.forges.landing import Remote, find_pull_request
from bisector.forges.repository import Repository
from bisector.model import Commit, PullRequest


@dataclass(frozen=True, slots=True)
class Found:
    """`notices`: one line each, for the report."""

    pull_request: PullRequest | None
    notices: tuple[str, ...] = ()


def look_up(
    repository: Repository,
    commit: Commit,
    merges: Sequence[Commit],
    remote: Remote,
    environment: Mapping[str, str],
) -> Found:
    """What the API cannot tell or refuses to, the words and refs have told already."""
    # Imported here because it takes long, and a hunt needs it at its end.
    from bisector.forges.online import enrich

    offline = find_pull_request(repository, commit, merges, remote)
    notices = [offline.text] if isinstance(offline, Notice) else []
    pull = None if isinstance(offline, Notice) else offline
    told = enrich(repository, commit.sha, pull, environment)
    if isinstance(told, Notice):
        return Found(pull, (*notices, told.text))
    return Found(told, tuple(notices))
