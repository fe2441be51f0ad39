"""The door to an API against servers that refuse, mislead, drip or lie about whose the token is."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import TYPE_CHECKING

import pytest

from bisector.forges.forge import Notice
from bisector.forges.online import enrich
from bisector.model import PullRequest

if TYPE_CHECKING:
    from tests.forges.conftest import Case, FakeForge

SHA = "c" * 40


def _line(answer: PullRequest | Notice | None, forge: FakeForge) -> str:
    """The notice, without the address that changes from run to run; it is one line and tells no secret."""
    assert isinstance(answer, Notice)
    assert "s3cret" not in answer.text
    assert "\n" not in answer.text
    return answer.text.replace(forge.origin.removeprefix("http://"), "HOST")


def test_the_token_stays_behind_on_a_redirect(
    case: Case, forge: FakeForge, start_forge: Callable[[], FakeForge]
) -> None:
    other = start_forge()
    other.tells("/moved", json.dumps(case.one))
    forge.tells(case.pull_path, "", 302, Location=f"{other.origin}/moved")
    assert isinstance(case.enrich(forge, case.named(forge)), PullRequest)
    assert not [value for headers in other.headers for value in headers.values() if "s3cret" in value]
    assert case.secret_header[0] not in other.headers[0]


def test_a_redirect_on_the_same_server_keeps_it(case: Case, forge: FakeForge) -> None:
    """A repository that was renamed answers so."""
    forge.tells("/repositories/1", json.dumps(case.one))
    forge.tells(case.pull_path, "", 301, Location="/repositories/1")
    assert isinstance(case.enrich(forge, case.named(forge)), PullRequest)
    assert forge.headers[1][case.secret_header[0]] == case.secret_header[1]


REFUSALS = {
    "server error": (500, "{}", {}, "HOST answered with status 500"),
    "forbidden": (403, "{}", {}, "HOST answered with status 403"),
    "rate limit": (403, "{}", {"X_RateLimit_Remaining": "0"}, "HOST answers no more requests for now"),
    "too many requests": (429, "{}", {}, "HOST answers no more requests for now"),
    "a page for people": (200, "<html>", {}, "HOST answered with something else than a GitHub API"),
    "nothing": (200, "", {}, "HOST answered with something else than a GitHub API"),
    "a list": (200, "[]", {}, "HOST answered with something else than a GitHub API"),
    "not text": (200, "\udcff", {}, "HOST answered with something else than a GitHub API"),
    "deeply nested": (200, "[" * 100_000, {}, "HOST answered with something else than a GitHub API"),
    "half a surrogate": (
        200,
        '{"number": 12, "title": "\\ud800", "state": "open"}',
        {},
        "HOST answered with something else than a GitHub API",
    ),
    "more than it should": (200, " " * 1024 * 1024 + "{}", {}, "HOST answered with more than 1048576 bytes"),
    "a circle": (302, "", {"Location": "/api/repos/o/n/pulls/12"}, "HOST sends on and on"),
    "to nowhere": (302, "", {}, "HOST sends on and on"),
    "to a file": (
        302,
        "",
        {"Location": "file:///etc/passwd"},
        "HOST sends on to an address that is not followed",
    ),
    "to nonsense": (302, "", {"Location": "http://[::1"}, "HOST broke the connection"),
}


@pytest.mark.parametrize(("status", "body", "headers", "line"), REFUSALS.values(), ids=REFUSALS.keys())
def test_refusals(
    status: int, body: str, headers: dict[str, str], line: str, github: Case, forge: FakeForge
) -> None:
    forge.tells(github.pull_path, body.encode("utf-8", "surrogateescape"), status, **headers)
    assert _line(github.enrich(forge, github.named(forge)), forge) == line


def test_a_rate_limit_tells_how_to_raise_it(github: Case, forge: FakeForge) -> None:
    forge.tells(github.commit_path, "{}", 429)
    environment = {**github.environment(forge.origin), "GITHUB_TOKEN": ""}
    answer = enrich(github.repository(forge), SHA, None, environment)
    assert _line(answer, forge) == (
        "HOST answers no more requests for now; with GITHUB_TOKEN set it answers more"
    )


def test_a_server_that_hangs_up(github: Case, forge: FakeForge) -> None:
    forge.does(github.pull_path, lambda handler: handler.connection.close())
    assert _line(github.enrich(forge, github.named(forge)), forge) == "HOST broke the connection"


def test_a_server_that_is_not_there(github: Case, forge: FakeForge) -> None:
    """Port 1 of the loopback, where nobody listens."""
    forge.origin = "http://127.0.0.1:1"
    assert _line(github.enrich(forge, None), forge) == "HOST could not be reached"


@pytest.mark.parametrize(
    "drips", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b""]
)
def test_a_server_that_drips(drips: bytes, github: Case, forge: FakeForge) -> None:
    """A byte now and then keeps every single read in time: the whole has its limit too."""
    over = Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        try:
            handler.wfile.write(drips)
            while not over.wait(0.05):
                handler.wfile.write(b"x" if drips else b"")
        except OSError:
            over.set()

    forge.does(github.pull_path, drip)
    answer = github.enrich(forge, github.named(forge), seconds=0.4)
    over.set()
    assert _line(answer, forge) == "HOST did not answer in time"


def test_proxy_that_cannot_be_used(github: Case, forge: FakeForge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://me:s3cret@proxy.example.org")
    answer = github.enrich(forge, None)
    assert _line(answer, forge) == (
        "HOST was not asked: this machine's proxy or certificate settings cannot be used"
    )
