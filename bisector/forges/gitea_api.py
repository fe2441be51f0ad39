"""Gitea's and Forgejo's REST API: a pull request by number, and the one that a commit came with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from bisector.forges.address import Address
from bisector.forges.api import Answer, Answered, Numbered
from bisector.forges.forge import ForgeName
from bisector.forges.mention import clean_title


class User(Answered):
    login: str


class Pull(Numbered):
    title: str
    state: str
    merged: bool = False
    html_url: str | None = None
    user: User | None = None
    merge_commit_sha: str | None = None


class GiteaApi:
    forge = ForgeName.GITEA

    def base(self, address: Address) -> str:
        return f"{address.origin}/api/v1"

    def credentials(self, token: str) -> Mapping[str, str]:
        return {"Authorization": f"token {token}"}

    def pull_path(self, address: Address, number: int) -> str:
        return f"repos/{quote(address.path)}/pulls/{number}"

    def commit_path(self, address: Address, sha: str) -> str:
        return f"repos/{quote(address.path)}/commits/{sha}/pull"

    def read_pull(self, body: bytes) -> Answer:
        return _answer(Pull.model_validate_json(body))

    def read_commit(self, body: bytes) -> Sequence[Answer]:
        return [self.read_pull(body)]


def _answer(pull: Pull) -> Answer:
    return Answer(
        number=pull.number,
        title=clean_title(pull.title),
        author=clean_title(pull.user.login) if pull.user else None,
        state="merged" if pull.merged else clean_title(pull.state),
        url=pull.html_url,
        landed_as=(pull.merge_commit_sha,) if pull.merge_commit_sha else (),
    )
