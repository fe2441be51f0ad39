"""Where recipes come from: files, standard input, and web servers that are real and on this machine."""

from __future__ import annotations

import io
import json
import os
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bisector.errors import BisectorError, MachineFault, UsageFault
from bisector.recipe import fenced
from bisector.recipe.issues import Question, questions, raw_address
from bisector.recipe.schema import OriginKind
from bisector.recipe.source import Source, read_source
from bisector.recipe.web import shown

MANY = int(os.environ.get("BISECTOR_FUZZ", "2000"))
RECIPE = "repo: https://example.org/x\ngood: a\nbad: b\nrepro: python -c 'x < 1 & 2'\n"
ISSUE = f"It broke.\r\n\r\n```python\nrepo: 1\nrepro: 2\n```\r\n\r\n````yaml\n{RECIPE}````\r\nThanks!\r\n"
PAGE = (
    "<html><body><pre>other</pre><div><pre class=x><span>repo</span>: https://example.org/x\n"
    "good: a\nbad: b\nrepro: python -c 'x &lt; 1 &amp; 2'\n</pre></div></body></html>"
)


class Server(ThreadingHTTPServer):
    """Answers by path; what it was asked stays in `asked`."""

    answers: dict[str, tuple[int, str, bytes]]
    asked: list[str]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        status, kind, body = self.server.answers.get(self.path, (404, "text/plain", b"no"))
        self.send_response(status)
        if status == 302:
            self.send_header("Location", body.decode())
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if kind == "application/gzip-page":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        try:
            self.wfile.write(body)
        except ConnectionError:
            # The client has read all that it wants.
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server(("127.0.0.1", 0), Handler) as server:
        server.answers, server.asked = {}, []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def read(argument: str, stdin: bytes = b"") -> Source:
    return read_source(argument, io.BytesIO(stdin))


def told(argument: str, stdin: bytes = b"") -> BisectorError:
    with pytest.raises((UsageFault, MachineFault)) as caught:
        read(argument, stdin)
    return caught.value


def test_a_file_is_the_users_own_and_knows_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + RECIPE.encode())
    assert read(str(path)) == Source(RECIPE, str(path), tmp_path, OriginKind.FILE)


def test_standard_input() -> None:
    assert read("-", RECIPE.encode()) == Source(RECIPE, "<stdin>", Path.cwd(), OriginKind.STDIN)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert told(str(tmp_path / "none.yaml")).message.endswith("none.yaml: No such file or directory")
    assert told(str(tmp_path)).message.endswith("Is a directory")
    assert "cannot be a file's name" in told("a\0b").message
    (tmp_path / "binary").write_bytes(b"repo: \xff")
    assert told(str(tmp_path / "binary")).message.endswith("binary: not UTF-8 text (byte 7)")


def test_ten_megabytes_are_refused_before_they_are_read() -> None:
    stdin = io.BytesIO(b"#" * 10_000_000)
    with pytest.raises(UsageFault, match="too large for a recipe"):
        read_source("-", stdin)
    assert stdin.tell() < 5_000_000


def test_a_url(server: Server) -> None:
    server.answers["/r.yaml?token=1"] = (200, "text/plain", RECIPE.encode())
    url = f"{server.address}/r.yaml?token=1"
    assert read(url) == Source(RECIPE, f"{server.address}/r.yaml", None, OriginKind.URL)


def test_a_url_of_a_page_that_shows_a_recipe(server: Server) -> None:
    server.answers["/page"] = (200, "text/html; charset=utf-8", PAGE.encode())
    assert read(f"{server.address}/page").text == RECIPE


def test_redirects_are_followed_so_far(server: Server) -> None:
    server.answers["/old"] = (302, "text/plain", b"/new")
    server.answers["/new"] = (200, "text/plain", RECIPE.encode())
    server.answers["/round"] = (302, "text/plain", b"/round")
    server.answers["/away"] = (302, "text/plain", b"file:///etc/passwd")
    assert read(f"{server.address}/old").text == RECIPE
    assert "redirects" in told(f"{server.address}/round").message
    assert "cannot get" in told(f"{server.address}/away").message


def test_a_gitea_issue_is_asked_of_its_api(server: Server) -> None:
    body = json.dumps({"body": ISSUE}).encode()
    server.answers["/api/v1/repos/o/r/issues/7"] = (200, "application/json", body)
    url = f"{server.address}/o/r/issues/7"
    assert read(url) == Source(RECIPE, url, None, OriginKind.ISSUE)
    assert server.asked == ["/api/v1/repos/o/r/issues/7"]


def test_a_gitlab_issue_is_asked_of_its_api(server: Server) -> None:
    body = json.dumps({"description": ISSUE}).encode()
    server.answers["/api/v4/projects/g%2Fsub%2Fp/issues/7"] = (200, "application/json", body)
    assert read(f"{server.address}/g/sub/p/-/issues/7").text == RECIPE


def test_the_page_serves_where_no_api_answers(server: Server) -> None:
    server.answers["/api/v1/repos/o/r/issues/7"] = (403, "application/json", b"{}")
    server.answers["/o/r/issues/7"] = (200, "text/html", PAGE.encode())
    assert read(f"{server.address}/o/r/issues/7").text == RECIPE
    assert server.asked[-1] == "/o/r/issues/7"


def test_an_issue_without_a_recipe(server: Server) -> None:
    server.answers["/api/v1/repos/o/r/issues/7"] = (200, "application/json", b'{"body": "Hello"}')
    fault = told(f"{server.address}/o/r/issues/7")
    assert "no recipe in the issue" in fault.message
    assert "```yaml" in str(fault.hint)


FAILURES = [
    ("missing", (404, "text/plain", b""), "the server says 404 Not Found"),
    ("broken", (500, "text/plain", b""), "the server says 500"),
    ("too long", (200, "text/plain", b"#" * 1_100_000), "longer than 1048576 bytes"),
    ("compressed", (200, "application/gzip-page", b"\x1f\x8b"), "the server sends it compressed"),
    ("not text", (200, "text/plain", b"\xff\xfe"), "not UTF-8 text (byte 1)"),
    ("a page without", (200, "text/html", b"<pre>x"), "no recipe in the page"),
]


@pytest.mark.parametrize(
    ("answer", "words"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES]
)
def test_answers_that_hold_no_recipe(server: Server, answer: tuple[int, str, bytes], words: str) -> None:
    server.answers["/r"] = answer
    fault = told(f"{server.address}/r")
    assert isinstance(fault, UsageFault)
    assert words in fault.message


def test_a_server_that_is_not_there_is_the_machines_fault(server: Server) -> None:
    address = server.address
    server.socket.close()
    assert isinstance(told(f"{address}/r"), MachineFault)


@pytest.mark.parametrize(
    "url", ["ftp://example.org/x", "file:///etc/passwd", "http://", "http://[::1", "http://a:99999/"]
)
def test_urls_that_cannot_be(url: str) -> None:
    assert isinstance(told(url), UsageFault)


def test_a_password_in_a_url_is_not_shown(server: Server) -> None:
    fault = told(f"http://me:secret@127.0.0.1:{server.server_address[1]}/r?token=secret")
    assert "secret" not in fault.message
    assert shown("https://me:se@c%2Fret@example.org/x@y#z") == "https://example.org/x@y#z"


@pytest.mark.parametrize(
    ("url", "first"),
    [
        ("https://github.com/o/r/issues/7", Question("https://api.github.com/repos/o/r/issues/7", "body")),
        ("https://github.com/o/r/pull/7", Question("https://api.github.com/repos/o/r/issues/7", "body")),
        (
            "https://github.com/o/r/issues/7#issuecomment-99",
            Question("https://api.github.com/repos/o/r/issues/comments/99", "body"),
        ),
        (
            "https://gitlab.com/g/s/p/-/merge_requests/7",
            Question("https://gitlab.com/api/v4/projects/g%2Fs%2Fp/merge_requests/7", "description"),
        ),
        (
            "https://gitlab.com/g/p/-/work_items/7#note_5",
            Question("https://gitlab.com/api/v4/projects/g%2Fp/issues/7/notes/5", "body"),
        ),
        (
            "https://codeberg.org/o/r/pulls/7",
            Question("https://codeberg.org/api/v1/repos/o/r/issues/7", "body"),
        ),
    ],
)
def test_whom_to_ask_about_an_issue(url: str, first: Question) -> None:
    assert questions(url)[0] == first
    assert questions(url)[-1] == Question(url)


def test_most_urls_are_no_issues() -> None:
    assert questions("https://example.org/o/r/issues") == ()
    assert questions("https://example.org/recipe.yaml") == ()


@pytest.mark.parametrize(
    ("url", "raw"),
    [
        ("https://github.com/o/r/blob/main/a/r.yaml", "https://github.com/o/r/raw/main/a/r.yaml"),
        ("https://gitlab.com/g/s/p/-/blob/main/r.yaml", "https://gitlab.com/g/s/p/-/raw/main/r.yaml"),
        (
            "https://codeberg.org/o/r/src/branch/main/r.yaml",
            "https://codeberg.org/o/r/raw/branch/main/r.yaml",
        ),
        ("https://example.org/r.yaml?x=1", "https://example.org/r.yaml?x=1"),
    ],
)
def test_a_page_about_a_file_leads_to_the_file(url: str, raw: str) -> None:
    assert raw_address(url) == raw


FENCES = [
    ("labelled", f"```yaml\n{RECIPE}```", RECIPE),
    ("labelled otherwise", f"```YML title=x\n{RECIPE}```", RECIPE),
    ("unlabelled", f"```\n{RECIPE}```", RECIPE),
    ("tildes", f"~~~ bisector\n{RECIPE}~~~~", RECIPE),
    ("in a list", "- so:\n\n  ```yaml\n  repo: x\n  repro: |\n    y\n  ```\n", "repo: x\nrepro: |\n  y\n"),
    ("never closed", f"```yaml\n{RECIPE}", RECIPE),
    ("fences inside", "````\nrepo: x\nrepro: |\n  ```\n````\n", "repo: x\nrepro: |\n  ```\n"),
    ("the second one", f"```yaml\nname: x\n```\n```yaml\n{RECIPE}```", RECIPE),
    ("another language", f"```python\n{RECIPE}```", None),
    ("no fence", RECIPE, None),
    ("nothing", "", None),
]


@pytest.mark.parametrize(("text", "recipe"), [case[1:] for case in FENCES], ids=[case[0] for case in FENCES])
def test_fenced_recipes(text: str, recipe: str | None) -> None:
    assert fenced.in_markdown(text) == recipe


def test_spoilt_answers_hold_a_recipe_or_none() -> None:
    """Answers of an API and pages, cut and mixed."""
    dice = random.Random(5)
    bodies = [json.dumps({"body": ISSUE}), PAGE, "[" * 50_000, '{"body": 7}', "9" * 5000]
    for _ in range(MANY):
        text = dice.choice(bodies)
        for _ in range(dice.randint(0, 5)):
            at = dice.randrange(len(text) + 1)
            text = (
                text[:at] + dice.choice(["", '"', "\\", "<", "&", "`", "\n"]) + text[at + dice.randrange(3) :]
            )
        for found in (fenced.in_answer(text, "body"), fenced.in_page(text)):
            assert not found or "repro" in found


@pytest.mark.parametrize("text", ["<pre", "<pre>", "<", "&#", "<pre></pre", "<br", "<pre><"])
def test_a_hostile_page_is_read_in_time(text: str) -> None:
    """Quadratic reading of two megabytes would take hours."""
    assert fenced.in_page(text * (2_000_000 // len(text))) is None


@pytest.mark.parametrize("text", ["```a`", "``` a\n", "~", "```\n", "`", "``` \t", "repo \t"])
def test_a_hostile_issue_is_read_in_time(text: str) -> None:
    assert fenced.in_markdown(text * (2_000_000 // len(text))) is None
    assert fenced.in_markdown("```" + text * (2_000_000 // len(text)) + "`") is None


def test_spoilt_text_is_searched_without_harm() -> None:
    dice = random.Random(7)
    pieces = [
        "```",
        "~~~~",
        "\n",
        "yaml",
        "repo: x\n",
        "repro: y\n",
        "<pre>",
        "</pre>",
        "<!--",
        "<![",
        "&#x110000;",
    ]
    for _ in range(MANY):
        text = "".join(dice.choice(pieces) for _ in range(dice.randrange(30)))
        for found in (fenced.in_markdown(text), fenced.in_page(text)):
            assert found is None or "repro: y" in found
