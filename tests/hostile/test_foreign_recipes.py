"""Recipes of strangers: told in words, asked for, and run where they can neither see nor reach anything."""

from __future__ import annotations

import json
import os
import pty
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .conftest import Answer, User

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

TEXT = "\x1b]0;owned\x07\x1b[2Jnice\u202etxt"
RUN = "grep -q good $PWD/state"


@contextmanager
def served(pages: Mapping[str, tuple[str, str]], source: Repository) -> Iterator[str]:
    """A web server with a few pages, each of a kind, and a repository; its address."""
    source.git("update-server-info")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            kind, body = pages.get(path, ("application/octet-stream", ""))
            file = source.path / ".git" / path.removeprefix("/source.git/")
            content = file.read_bytes() if file.is_file() else body.encode()
            self.send_response(200 if path in pages or file.is_file() else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *words: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def source(workshop: Callable[[str], Making]) -> Repository:
    return workshop("foreign").repository("1..5", culprit=4)


def recipe(source: Repository, run: str = RUN, **more: str) -> str:
    keys = {
        "name": "nice",
        "description": f"{json.dumps(TEXT)} # \u202etxt",
        "repo": str(source.path),
        "good": source[1],
        "bad": "main",
        "install": "{mode: none}",
        "repro": json.dumps({"run": run, "cwd": "tree"}),
        **more,
    }
    return "".join(f"{key}: {value}\n" for key, value in keys.items())


def harmless(text: str) -> None:
    """Nothing that a terminal would obey."""
    assert not {*text} & {"\x1b", "\x07", "\x9b", "\u202e"}


DEEDS = {
    "dependencies": "{requirements: [left-pad], index: {index-url: 'https://me:hunter2@example.org/simple'}}",
    "pins": "[{before: main, requirements: [old-one], python: /usr/bin/evil}]",
    "fixups": "[{before: main, patch: 'x'}]",
    "overlay": "[{from: bad, paths: [tests]}]",
    "install": "{mode: none, build: ['make evil']}",
}
SAID = (
    "fetches   the repository",
    "by the shell: make evil",
    "packages: left-pad, old-one",
    "packages from https://example.org/simple",
    "with the program /usr/bin/evil of this machine",
    "by 1 patch of its own",
    "tests: as in another commit",
    f"by the shell, in the project's tree: {RUN}",
    "sandbox   on: read-only system",
)


def test_it_is_told_in_words_and_not_run_without_a_yes(user: User, source: Repository) -> None:
    pages: dict[str, tuple[str, str]] = {}
    with served(pages, source) as address:
        text = recipe(source, repo=f"{address}/source.git", **DEEDS)
        pages["/recipe.yaml"] = ("text/plain", text)
        answer = user.types("run", f"{address}/recipe.yaml")
    assert answer.status == 2
    for words in SAID:
        assert words in answer.err
    assert "hunter2" not in answer.err.split("Its text:")[0]
    assert "only with --yes" in answer.err
    harmless(answer.err)
    assert not list((user.state / "hunts").glob("*"))
    assert not (user.state / "mirrors").exists()


ISSUE = "It broke.\n\n```yaml\n{}```\n"


@pytest.mark.parametrize("form", ["api", "page", "stdin"])
def test_wherever_it_comes_from(user: User, source: Repository, form: str) -> None:
    pages: dict[str, tuple[str, str]] = {}
    with served(pages, source) as address:
        text = recipe(source, repo=f"{address}/source.git")
        answers = {
            "api": ("application/json", json.dumps({"body": ISSUE.format(text)})),
            "page": ("text/html", f"<script>x</script><pre>{text}</pre>"),
        }
        if form in answers:
            pages[{"api": "/api/v1/repos/o/r/issues/7", "page": "/o/r/issues/7"}[form]] = answers[form]
        where = f"{address}/o/r/issues/7" if form in answers else "-"
        typed = "" if form in answers else text
        for command in ("run", "try"):
            answer = user.types(command, where, stdin=typed)
            assert (answer.status, "only with --yes" in answer.err) == (2, True), answer.err
            harmless(answer.err)
        answer = user.types("run", where, "--yes", stdin=typed)
    assert answer.status == 0, answer.err
    assert source[4][:10] in answer.out
    harmless(answer.out + answer.err)


def asked(user: User, said: bytes, *words: str) -> Answer:
    """At a terminal."""
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        user.argv(*words),
        cwd=user.here,
        env=user.machine({"TERM": "dumb"}),
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(follower)
    os.write(leader, said)
    out, err = child.communicate(timeout=120)
    os.close(leader)
    return Answer(child.returncode, out.decode(), err.decode())


def test_at_a_terminal_it_is_asked_and_silence_means_no(user: User, source: Repository) -> None:
    pages: dict[str, tuple[str, str]] = {}
    with served(pages, source) as address:
        pages["/recipe.yaml"] = ("text/plain", recipe(source, repo=f"{address}/source.git"))
        for said in (b"\n", b"n\n"):
            answer = asked(user, said, "run", f"{address}/recipe.yaml")
            assert (answer.status, "Run it? [y/N]" in answer.err) == (2, True), answer.err
            assert "nothing was run" in answer.err
        assert not list((user.state / "hunts").glob("*"))
        answer = asked(user, b"y\n", "run", f"{address}/recipe.yaml")
    assert answer.status == 0, answer.err


def test_a_file_of_ones_own_is_not_asked_about(user: User, source: Repository) -> None:
    (user.here / "mine.yaml").write_text(recipe(source))
    answer = user.types("run", "mine.yaml")
    assert (answer.status, "Run it?" in answer.err) == (0, False), answer.err


REACH = """
import os, socket, sys
def tries(name, what):
    try:
        what()
        print("REACHED", name)
    except OSError:
        pass
home = {home!r}
tries("home", lambda: os.listdir(home))
tries("own home", lambda: open(home + "/.netrc").read())
tries("state", lambda: open({state!r} + "/records.sqlite3"))
tries("system", lambda: open("/usr/touched", "w"))
tries("etc", lambda: open("/etc/touched", "w"))
tries("network", lambda: socket.create_connection(("127.0.0.1", {port}), 2))
tries("socket", lambda: socket.socket(socket.AF_UNIX).connect({socket!r}))
tries("abstract", lambda: socket.socket(socket.AF_UNIX).connect({abstract!r}))
git = os.popen("git rev-parse HEAD").read().strip()
print("GIT", git)
sys.exit("bad" in open("state").read())
"""


@pytest.mark.parametrize("command", ["run", "try"])
def test_it_sees_and_reaches_nothing(user: User, source: Repository, tmp_path: Path, command: str) -> None:
    (user.home / ".netrc").write_text("machine example.org login me password hunter2\n")
    place, abstract = str(tmp_path / "agent"), f"\0{tmp_path.name}"
    with socket.socket(socket.AF_UNIX) as agent, socket.socket(socket.AF_UNIX) as display:
        for one, name in ((agent, place), (display, abstract)):
            one.bind(name)
            one.listen()
        with served({}, source) as address:
            port = int(address.rpartition(":")[2])
            script = REACH.format(
                home=str(user.home), state=str(user.state), port=port, socket=place, abstract=abstract
            )
            text = recipe(source, repro=json.dumps({"python": script, "cwd": "tree"}))
            answer = user.types(command, "-", "--yes", stdin=text)
    said = answer.out + "".join(log.read_text() for log in user.state.rglob("*.log"))
    assert "GIT " in said, answer.err
    assert "REACHED" not in said
    if command == "run":
        assert answer.status == 0, answer.err


def test_without_a_working_sandbox_it_is_refused(user: User, source: Repository, tmp_path: Path) -> None:
    """A machine whose PATH has no bubblewrap."""
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("git", "sh", "grep", "uv"):
        found = next(
            (Path(folder, name) for folder in os.environ["PATH"].split(":") if Path(folder, name).exists()),
            None,
        )
        if found is not None:
            (bare / name).symlink_to(found)
    text, path = recipe(source), {"PATH": str(bare)}
    for more in ((), ("--best-effort",)):
        answer = user.types("run", "-", "--yes", *more, stdin=text, more=path)
        assert answer.status == 2
        assert "needs the sandbox" in answer.err
        assert "--no-sandbox" in answer.err
    answer = user.types("run", "-", "--yes", "--no-sandbox", stdin=text, more=path)
    assert "sandbox   OFF: all of it runs as you" in answer.err
    assert "needs the sandbox" not in answer.err


def test_what_the_sandbox_built_is_nobody_elses(user: User, source: Repository) -> None:
    text = recipe(source)
    assert user.types("try", "-", "--yes", stdin=text).status == 1
    assert (user.state / "environments-sandbox").exists()
    assert not list((user.state / "environments" / "layers").glob("*"))
    assert user.types("clean", "--all", "--yes").status == 0
    assert not list((user.state / "environments-sandbox" / "layers").glob("*"))


def test_a_fault_that_quotes_a_recipe_draws_nothing(user: User, source: Repository) -> None:
    answer = user.types("check", "-", stdin=recipe(source, good=json.dumps("v1\u202e\u0085")))
    assert answer.status == 2
    harmless(answer.err)
