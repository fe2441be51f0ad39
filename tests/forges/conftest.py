"""Commits made of words, remotes that answer nothing, and a loopback server that answers as a forge's API."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from bisector.errors import MachineFault
from bisector.forges.forge import ForgeName, Notice
from bisector.forges.landing import Remote
from bisector.forges.online import enrich
from bisector.forges.repository import Repository, recognise
from bisector.model import Commit, FoundBy, PullRequest

SHA = "c" * 40
SECRET = "s3cret-t0ken"
# As the forges document them, shortened to what is read and a little that is not.
GITHUB_PULL: dict[str, object] = {
    "number": 12,
    "title": "Fix it",
    "state": "closed",
    "html_url": "https://elsewhere.example.org/o/n/pull/12",
    "user": {"login": "ann", "id": 1},
    "merged_at": "2024-05-01T12:00:00Z",
    "merge_commit_sha": SHA,
    "draft": False,
}
GITLAB_REQUEST: dict[str, object] = {
    "id": 9001,
    "iid": 12,
    "title": "Fix it",
    "state": "merged",
    "web_url": "https://elsewhere.example.org/g/n/-/merge_requests/12",
    "author": {"username": "ann", "id": 1},
    "merge_commit_sha": None,
    "squash_commit_sha": SHA,
}
GITEA_PULL: dict[str, object] = {
    "number": 12,
    "title": "Fix it",
    "state": "closed",
    "merged": True,
    "html_url": "https://elsewhere.example.org/o/n/pulls/12",
    "user": {"login": "ann", "id": 1},
    "merge_commit_sha": SHA,
}
NOON = datetime(2024, 5, 1, 12, 0, tzinfo=timezone.utc)
MakeCommit = Callable[..., Commit]


@pytest.fixture
def commit() -> MakeCommit:
    """Days count from the same noon; a commit is landed on the day it was written unless told otherwise."""

    def make(
        subject: str = "Tidy",
        body: str = "",
        *,
        sha: str = "c" * 40,
        parents: tuple[str, ...] = ("a" * 40,),
        written: float = 0,
        landed: float | None = None,
    ) -> Commit:
        author_date = NOON + timedelta(days=written)
        commit_date = NOON + timedelta(days=written if landed is None else landed)
        return Commit(sha, parents, subject, body, "Ann", "ann@example.org", author_date, commit_date)

    return make


@pytest.fixture
def no_remote() -> Remote:
    """A remote that must not be asked."""

    def list_refs(patterns: Sequence[str]) -> Sequence[tuple[str, str]]:
        raise AssertionError(f"asked for {patterns}")

    def describe(shas: Sequence[str]) -> Sequence[Commit]:
        raise AssertionError(f"asked about {shas}")

    return Remote(list_refs, describe)


@pytest.fixture
def empty_remote() -> Remote:
    return Remote(lambda patterns: (), lambda shas: ())


@pytest.fixture
def broken_remote() -> Remote:
    def list_refs(patterns: Sequence[str]) -> Sequence[tuple[str, str]]:
        raise MachineFault("no route\nto \x1b[31mhost")

    return Remote(list_refs, lambda shas: ())


@dataclass
class Reply:
    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    write: Callable[[BaseHTTPRequestHandler], None] | None = None
    """Instead of all that: speaks on the socket itself."""


@dataclass
class FakeForge:
    """What it answers by path, and what it was asked."""

    origin: str
    replies: dict[str, Reply] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def tells(self, path: str, body: bytes | str, status: int = 200, **headers: str) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.replies[path] = Reply(status, content, headers)

    def does(self, path: str, write: Callable[[BaseHTTPRequestHandler], None]) -> None:
        self.replies[path] = Reply(write=write)


def _serve(forge: FakeForge, handler: BaseHTTPRequestHandler) -> None:
    forge.asked.append(handler.path)
    forge.headers.append({name.lower(): value for name, value in handler.headers.items()})
    reply = forge.replies.get(handler.path, Reply(404))
    if reply.write:
        reply.write(handler)
        return
    handler.send_response(reply.status)
    for name, value in reply.headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(reply.body)))
    handler.end_headers()
    try:
        handler.wfile.write(reply.body)
    except OSError:
        handler.close_connection = True


@pytest.fixture
def start_forge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], FakeForge]]:
    """As many servers as a test asks for, each on a port of its own."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running: list[ThreadingHTTPServer] = []

    def start() -> FakeForge:
        forge = FakeForge("")

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                _serve(forge, self)

            def log_message(self, format: str, *args: object) -> None:
                return

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        forge.origin = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        running.append(server)
        return forge

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.fixture
def forge(start_forge: Callable[[], FakeForge]) -> FakeForge:
    return start_forge()


@dataclass(frozen=True)
class Case:
    """One forge: how the environment names it, where it answers, what it says."""

    name: ForgeName
    environment: Callable[[str], dict[str, str]]
    pull_path: str
    commit_path: str
    page: str
    one: dict[str, object]
    many: object
    secret_header: tuple[str, str]

    def repository(self, forge: FakeForge) -> Repository:
        return recognise(f"{forge.origin}/o/n.git", self.environment(forge.origin))

    def named(self, forge: FakeForge) -> PullRequest:
        """What the words alone have told."""
        return PullRequest(12, forge.origin + self.page, FoundBy.SUBJECT, "Fix it, says the subject")

    def enrich(
        self, forge: FakeForge, pull: PullRequest | None, seconds: float = 20.0
    ) -> PullRequest | Notice | None:
        return enrich(self.repository(forge), SHA, pull, self.environment(forge.origin), seconds)


CASES = {
    "GitHub": Case(
        ForgeName.GITHUB,
        lambda origin: {
            "GITHUB_SERVER_URL": origin,
            "GITHUB_API_URL": f"{origin}/api",
            "GITHUB_TOKEN": SECRET,
        },
        "/api/repos/o/n/pulls/12",
        f"/api/repos/o/n/commits/{SHA}/pulls",
        "/o/n/pull/12",
        GITHUB_PULL,
        [{**GITHUB_PULL, "number": 7, "merge_commit_sha": None}, GITHUB_PULL],
        ("authorization", f"Bearer {SECRET}"),
    ),
    "GitHub Enterprise": Case(
        ForgeName.GITHUB,
        lambda origin: {"GH_HOST": origin, "GH_ENTERPRISE_TOKEN": SECRET},
        "/api/v3/repos/o/n/pulls/12",
        f"/api/v3/repos/o/n/commits/{SHA}/pulls",
        "/o/n/pull/12",
        GITHUB_PULL,
        [{**GITHUB_PULL, "number": 7, "merged_at": None, "merge_commit_sha": None}, GITHUB_PULL],
        ("authorization", f"Bearer {SECRET}"),
    ),
    "GitLab": Case(
        ForgeName.GITLAB,
        lambda origin: {"CI_SERVER_URL": origin, "CI_API_V4_URL": f"{origin}/api/v4", "GITLAB_TOKEN": SECRET},
        "/api/v4/projects/o%2Fn/merge_requests/12",
        f"/api/v4/projects/o%2Fn/repository/commits/{SHA}/merge_requests",
        "/o/n/-/merge_requests/12",
        GITLAB_REQUEST,
        [{**GITLAB_REQUEST, "iid": 7, "state": "opened", "squash_commit_sha": None}, GITLAB_REQUEST],
        ("private-token", SECRET),
    ),
    "Gitea": Case(
        ForgeName.GITEA,
        lambda origin: {"GITEA_SERVER_URL": origin, "GITEA_TOKEN": SECRET},
        "/api/v1/repos/o/n/pulls/12",
        f"/api/v1/repos/o/n/commits/{SHA}/pull",
        "/o/n/pulls/12",
        GITEA_PULL,
        GITEA_PULL,
        ("authorization", f"token {SECRET}"),
    ),
}


@pytest.fixture(params=list(CASES.values()), ids=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    chosen = request.param
    assert isinstance(chosen, Case)
    return chosen


@pytest.fixture
def github() -> Case:
    return CASES["GitHub"]
