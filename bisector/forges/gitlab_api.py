"""GitLab's REST API: a merge request by its number within the project, and those of a commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from pydantic import Field, TypeAdapter

from bisector.forges.address import Address
from bisector.forges.api import LARGEST_NUMBER, Answer, Answered
from bisector.forges.forge import ForgeName
from bisector.forges.mention import clean_title


class User(Answered):
    username: str


class MergeRequest(Answered):
    iid: int = Field(ge=1, le=LARGEST_NUMBER)
    title: str
    state: str
    web_url: str | None = None
    author: User | None = None
    merge_commit_sha: str | None = None
    squash_commit_sha: str | None = None


class GitLabApi:
    forge = ForgeName.GITLAB

    def base(self, address: Address) -> str:
        return f"{address.origin}/api/v4"

    def credentials(self, token: str) -> Mapping[str, str]:
        return {"PRIVATE-TOKEN": token}

    def pull_path(self, address: Address, number: int) -> str:
        return f"projects/{_project(address)}/merge_requests/{number}"

    def commit_path(self, address: Address, sha: str) -> str:
        return f"projects/{_project(address)}/repository/commits/{sha}/merge_requests"

    def read_pull(self, body: bytes) -> Answer:
        return _answer(MergeRequest.model_validate_json(body))

    def read_commit(self, body: bytes) -> Sequence[Answer]:
        return [_answer(request) for request in TypeAdapter(list[MergeRequest]).validate_json(body)]


def _project(address: Address) -> str:
    """Groups nest, so the whole path is one segment of the API's address."""
    return quote(address.path, safe="")


def _answer(request: MergeRequest) -> Answer:
    landed = (request.merge_commit_sha, request.squash_commit_sha)
    return Answer(
        number=request.iid,
        title=clean_title(request.title),
        author=clean_title(request.author.username) if request.author else None,
        state=clean_title(request.state),
        url=request.web_url,
        landed_as=tuple(sha for sha in landed if sha),
    )
