"""Asks the forge's API: for a pull request's title, author and state, or for the one that holds a commit.

A failure is one line, never an exception: the offline answer stands without us.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from bisector.forges.address import parse_address
from bisector.forges.api import Answer, Api
from bisector.forges.forge import ForgeName, Notice
from bisector.forges.gitea_api import GiteaApi
from bisector.forges.github_api import GitHubApi
from bisector.forges.gitlab_api import GitLabApi
from bisector.forges.repository import Repository
from bisector.forges.servers import server_of
from bisector.forges.web import Door, Page, open_door
from bisector.model import FoundBy, PullRequest

APIS: dict[ForgeName, Api] = {
    ForgeName.GITHUB: GitHubApi(),
    ForgeName.GITLAB: GitLabApi(),
    ForgeName.GITEA: GiteaApi(),
}
TOKEN_NAMES = {
    ForgeName.GITHUB: "GITHUB_TOKEN",
    ForgeName.GITLAB: "GITLAB_TOKEN",
    ForgeName.GITEA: "GITEA_TOKEN",
}
SECONDS = 20.0
WEB_ADDRESS = re.compile(r"https?://[\x21\x23-\x3b\x3d\x3f-\x7e]{1,500}")
ABSENT = (404, 410, 422)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Absent:
    """The server answered that there is no such thing, or that we may not see it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One open door and what is asked through it."""

    repository: Repository
    api: Api
    base: str
    door: Door

    def ask(self, path: str, read: Callable[[bytes], T]) -> T | Absent | Notice:
        page = self._page(f"{self.base}/{path}")
        if isinstance(page, Notice):
            return page
        if page.limited:
            return Notice(f"{self.door.host} answers no more requests for now{self._hint()}")
        if page.status in ABSENT:
            return Absent()
        if page.status != 200:
            return Notice(f"{self.door.host} answered with status {page.status}")
        try:
            return read(page.body)
        except ValueError:
            return Notice(f"{self.door.host} answered with something else than a {self.api.forge.value} API")

    def _page(self, url: str) -> Page | Notice:
        """A token that has expired would close what is open to everybody: once more without it."""
        page = self.door.get(url)
        refused = isinstance(page, Page) and page.status == 401 and bool(self.door.credentials)
        return self.door.get(url, anonymous=True) if refused else page

    def _hint(self) -> str:
        return "" if self.door.credentials else f"; with {TOKEN_NAMES[self.api.forge]} set it answers more"


def enrich(
    repository: Repository,
    sha: str,
    pull: PullRequest | None,
    environment: Mapping[str, str],
    seconds: float = SECONDS,
) -> PullRequest | Notice | None:
    """With `pull`: the same, completed; without: the one that holds the commit, or None."""
    api = APIS.get(repository.name)
    if api is None or repository.address is None or not _is_ours(repository, pull):
        return pull
    server = server_of(repository.address, environment)
    base = (server.api if server else None) or api.base(repository.address)
    credentials = api.credentials(server.token) if server and server.token else {}
    with open_door(base, credentials, seconds) as door:
        if isinstance(door, Notice):
            return door
        return _ask(Question(repository, api, base, door), sha, pull)


def _is_ours(repository: Repository, pull: PullRequest | None) -> bool:
    """A review that the words place elsewhere, or name by a Change-Id, is not this API's to tell."""
    if pull is None:
        return True
    own = repository.pull_url(pull.number) or ""
    return isinstance(pull.number, int) and (pull.url or "").rstrip("/").lower() == own.lower()


def _ask(question: Question, sha: str, pull: PullRequest | None) -> PullRequest | Notice | None:
    address = question.repository.address
    if address is None:
        return pull
    if pull is not None and isinstance(pull.number, int):
        told = question.ask(question.api.pull_path(address, pull.number), question.api.read_pull)
        if isinstance(told, Notice):
            return told
        if isinstance(told, Answer):
            return _complete(question.repository, pull, told)
    holding = question.ask(question.api.commit_path(address, sha), question.api.read_commit)
    if isinstance(holding, Notice):
        return holding
    best = None if isinstance(holding, Absent) else _best(holding, sha)
    if best is not None:
        number = PullRequest(best.number, None, FoundBy.API)
        return _complete(question.repository, number, best)
    if pull is None:
        return None
    # The number in a message may have been an issue's; it may as well be that we are not let in.
    return Notice(
        f"{question.door.host} shows no pull request {pull.number}: an issue's number, or a private one"
    )


def _best(answers: Sequence[Answer], sha: str) -> Answer | None:
    """The one that landed as this very commit, else one that was merged, else the first told."""

    def rank(answer: Answer) -> tuple[bool, bool]:
        return sha in answer.landed_as, answer.state == "merged"

    return max(answers, key=rank, default=None)


def _complete(repository: Repository, pull: PullRequest, answer: Answer) -> PullRequest:
    if answer.number != pull.number:
        return pull
    return replace(
        pull,
        url=pull.url or _trusted(repository, answer.url) or repository.pull_url(answer.number),
        title=answer.title or pull.title,
        author=answer.author,
        state=answer.state,
    )


def _trusted(repository: Repository, url: str | None) -> str | None:
    """An address on the repository's own host: a fork's commit may belong to its origin's pull request."""
    if url is None or not WEB_ADDRESS.fullmatch(url):
        return None
    told, home = parse_address(url), repository.address
    return url if told and home and told.origin == home.origin else None
