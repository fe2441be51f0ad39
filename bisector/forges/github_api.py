"""GitHub's REST API: a pull request by number, and the pull requests of a commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from pydantic import TypeAdapter

from bisector.forges.address import Address
from bisector.forges.api import Answer, Answered, Numbered
from bisector.forges.forge import ForgeName
from bisector.forges.mention import clean_title


class User(Answered):
    login: str


class Pull(Numbered):
    title: str
    state: str
    html_url: str | None = None
    user: User | None = None
    merged_at: str | None = None
    merge_commit_sha: str | None = None


class GitHubApi:
    forge = ForgeName.GITHUB

    def base(self, address: Address) -> str:
        """github.com has a host for it, the company's own server a path."""
        return "https://api.github.com" if address.host == "github.com" else f"{address.origin}/api/v3"

    def credentials(self, token: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {token}"}

    def pull_path(self, address: Address, number: int) -> str:
        return f"repos/{quote(address.path)}/pulls/{number}"

    def commit_path(self, address: Address, sha: str) -> str:
        return f"repos/{quote(address.path)}/commits/{sha}/pulls"

    def read_pull(self, body: bytes) -> Answer:
        return _answer(Pull.model_validate_json(body))

    def read_commit(self, body: bytes) -> Sequence[Answer]:
        return [_answer(pull) for pull in TypeAdapter(list[Pull]).validate_json(body)]


def _answer(pull: Pull) -> Answer:
    return Answer(
        number=pull.number,
        title=clean_title(pull.title),
        author=clean_title(pull.user.login) if pull.user else None,
        state="merged" if pull.merged_at else clean_title(pull.state),
        url=pull.html_url,
        landed_as=(pull.merge_commit_sha,) if pull.merge_commit_sha else (),
    )
