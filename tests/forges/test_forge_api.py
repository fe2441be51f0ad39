"""What the API tells, through real HTTP on the loopback: documented answers and mutated ones."""

from __future__ import annotations

import json
import os
import random
import unicodedata
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

from bisector.forges.forge import Notice
from bisector.forges.landing import Remote
from bisector.forges.lookup import Found, look_up
from bisector.forges.online import enrich
from bisector.forges.repository import recognise
from bisector.model import Commit, FoundBy, PullRequest

if TYPE_CHECKING:
    from tests.forges.conftest import Case, FakeForge

SHA = "c" * 40
FUZZ_ROUNDS = int(os.environ.get("BISECTOR_FUZZ", "300"))


def test_by_number(case: Case, forge: FakeForge) -> None:
    forge.tells(case.pull_path, json.dumps(case.one))
    assert case.repository(forge).name is case.name
    assert case.enrich(forge, case.named(forge)) == PullRequest(
        12, forge.origin + case.page, FoundBy.SUBJECT, "Fix it", "ann", "merged"
    )
    assert forge.asked == [case.pull_path]
    name, value = case.secret_header
    assert forge.headers[0][name] == value


def test_by_commit(case: Case, forge: FakeForge) -> None:
    forge.tells(case.commit_path, json.dumps(case.many))
    assert case.enrich(forge, None) == PullRequest(
        12, forge.origin + case.page, FoundBy.API, "Fix it", "ann", "merged"
    )
    assert forge.asked == [case.commit_path]


def test_no_pull_request_holds_the_commit(case: Case, forge: FakeForge) -> None:
    assert case.enrich(forge, None) is None


def test_the_number_was_an_issues(case: Case, forge: FakeForge) -> None:
    forge.tells(case.commit_path, json.dumps(case.many))
    issue = PullRequest(3, case.repository(forge).pull_url(3), FoundBy.SUBJECT, "Fix it")
    answer = case.enrich(forge, issue)
    assert isinstance(answer, PullRequest)
    assert (answer.number, answer.found_by) == (12, FoundBy.API)


def test_an_unknown_number_and_no_other(github: Case, forge: FakeForge) -> None:
    answer = github.enrich(forge, github.named(forge))
    host = forge.origin.removeprefix("http://")
    assert answer == Notice(f"{host} shows no pull request 12: an issue's number, or a private one")


def test_an_address_of_its_own_host_is_kept(github: Case, forge: FakeForge) -> None:
    """A fork's commit may have come with a pull request of its origin."""
    origin = f"{forge.origin}/up/n/pull/12"
    forge.tells(github.commit_path, json.dumps([{**github.one, "html_url": origin}]))
    answer = github.enrich(forge, None)
    assert isinstance(answer, PullRequest)
    assert answer.url == origin


def test_an_expired_token_is_no_hindrance(case: Case, forge: FakeForge) -> None:
    def only_strangers(handler: BaseHTTPRequestHandler) -> None:
        known = case.secret_header[0] in {name.lower() for name in handler.headers}
        body = b"{}" if known else json.dumps(case.one).encode()
        handler.send_response(401 if known else 200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    forge.does(case.pull_path, only_strangers)
    answer = case.enrich(forge, case.named(forge))
    assert isinstance(answer, PullRequest)
    assert answer.author == "ann"
    assert len(forge.asked) == 2


def test_a_review_elsewhere_is_not_asked_for(github: Case, forge: FakeForge) -> None:
    elsewhere = PullRequest(12, "https://review.example.org/c/n/+/12", FoundBy.SUBJECT)
    assert github.enrich(forge, elsewhere) == elsewhere
    change = PullRequest("I" + "0" * 40, None, FoundBy.SUBJECT)
    assert github.enrich(forge, change) == change
    assert forge.asked == []


def test_a_forge_without_api() -> None:
    pull = PullRequest(12, "https://bitbucket.org/o/n/pull-requests/12", FoundBy.MERGE)
    assert enrich(recognise("https://bitbucket.org/o/n", {}), SHA, pull, {}) == pull


def test_what_the_words_told_outlives_a_broken_api(
    github: Case, forge: FakeForge, commit: Callable[..., Commit], no_remote: Remote
) -> None:
    forge.tells(github.pull_path, "{}", 500)
    environment = github.environment(forge.origin)
    found = look_up(github.repository(forge), commit("Fix it (#12)"), (), no_remote, environment)
    assert found.pull_request == PullRequest(12, f"{forge.origin}/o/n/pull/12", FoundBy.SUBJECT, "Fix it")
    assert len(found.notices) == 1


def test_the_api_finds_what_the_remote_could_not(
    github: Case, forge: FakeForge, commit: Callable[..., Commit], broken_remote: Remote
) -> None:
    forge.tells(github.commit_path, json.dumps(github.many))
    environment = github.environment(forge.origin)
    found = look_up(github.repository(forge), commit(sha=SHA), (), broken_remote, environment)
    assert found.pull_request is not None
    assert (found.pull_request.number, found.pull_request.found_by) == (12, FoundBy.API)
    assert len(found.notices) == 1


def test_nothing_is_known_and_nothing_is_wrong(
    github: Case, forge: FakeForge, commit: Callable[..., Commit], empty_remote: Remote
) -> None:
    environment = github.environment(forge.origin)
    assert look_up(github.repository(forge), commit(), (), empty_remote, environment) == Found(None)


def test_mutated_bodies(case: Case, forge: FakeForge) -> None:
    """Only a pull request, a notice or nothing; and nothing in them that could harm a terminal."""
    rng = random.Random(case.name.value)
    outcomes = set()
    for _ in range(FUZZ_ROUNDS // 4):
        forge.tells(case.pull_path, _mutated(json.dumps(case.one), rng))
        forge.tells(case.commit_path, _mutated(json.dumps(case.many), rng))
        answer = case.enrich(forge, rng.choice([None, case.named(forge)]))
        outcomes.add(type(answer))
        if isinstance(answer, PullRequest):
            words = [answer.title, answer.author, answer.state, answer.url]
            assert not {unicodedata.category(c) for word in words for c in word or ""} & {"Cc", "Cs"}
            assert isinstance(answer.number, int)
    assert {PullRequest, Notice} <= outcomes <= {PullRequest, Notice, type(None)}


STRANGE = (
    *("null", "true", "-1", "0", "1e999", "NaN", "12345678901234567890", "[]", "{}", "[[[["),
    *('""', '"\\u0000\\u001b[2J"', '"\\ud800"', '"javascript:alert(1)"', '"\u202etxet"'),
    '"' + "x" * 5000 + '"',
)


def _mutated(text: str, rng: random.Random) -> bytes:
    """Up to three changes: a value for another, a piece doubled, dropped or moved, a byte turned."""
    for _ in range(rng.randint(0, 3)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.randint(0, 30))
        kind = rng.randrange(4)
        if kind == 0:
            values = text.split(": ")
            place = rng.randrange(1, len(values)) if len(values) > 1 else 0
            _, comma, rest = values[place].partition(",")
            values[place] = rng.choice(STRANGE) + comma + rest
            text = ": ".join(values)
        elif kind == 1:
            text = text[:start] + text[end:]
        elif kind == 2:
            text = text[:end] + text[start:]
        else:
            text = text[:start] + chr(rng.randrange(256)) + text[start + 1 :]
    return text.encode("utf-8" if rng.random() < 0.9 else "utf-16", "replace")
