"""A password in a URL: it opens the door, and is seen nowhere."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.git import slots
from bisector.git.credentials import address, without_credentials
from bisector.git.door import GitFailed
from bisector.git.mirror import Mirror
from bisector.git.refs import resolve

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

USER, PASSWORD = "robot", "s3cret:/@ word"
WRITTEN = "robot:s3cret%3A%2F%40%20word"
SECRETS = (b"s3cret", base64.b64encode(f"{USER}:{PASSWORD}".encode()))


@dataclass
class Guarded:
    """A server on this machine that gives a repository to who knows the password, over plain files."""

    folder: Path
    seen_in_processes: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    logins: set[str] = field(default_factory=set)
    port: int = 0

    def url(self, login: str = WRITTEN) -> str:
        return f"http://{login}@127.0.0.1:{self.port}/source/.git"

    def look_at_processes(self) -> None:
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes()
            except OSError:
                continue
            if any(secret in words for secret in SECRETS):
                self.seen_in_processes.add(words.replace(b"\0", b" ").decode(errors="replace"))


class Handler(SimpleHTTPRequestHandler):
    def __init__(self, guarded: Guarded, *arguments: object) -> None:
        self.guarded = guarded
        super().__init__(*arguments, directory=str(guarded.folder))  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.guarded.asked.append(self.path)
        self.guarded.look_at_processes()
        said = self.headers.get("Authorization", "")
        login = base64.b64decode(said.removeprefix("Basic ")).decode()
        self.guarded.logins.add(login)
        if login == f"{USER}:{PASSWORD}":
            super().do_GET()
            return
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="here"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        return


@pytest.fixture
def project(making: Making) -> Repository:
    made = making.repository("1..5")
    made.git("update-server-info")
    return made


@pytest.fixture
def guarded(project: Repository) -> Iterator[Guarded]:
    kept = Guarded(project.path.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, kept)) as server:
        kept.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield kept
        server.shutdown()
        thread.join()


def holders(folder: Path) -> list[Path]:
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and any(secret in path.read_bytes() for secret in SECRETS)
    ]


def test_it_opens_the_door_and_is_in_no_process_list_and_no_file(
    guarded: Guarded, project: Repository, mirror_of: Callable[[str], Mirror], said: list[str]
) -> None:
    mirror = mirror_of(guarded.url())
    assert resolve(mirror, "main", said.append) == project[5]
    mirror.fetch(said.append)
    assert mirror.remote_refs("refs/heads/*") == [("refs/heads/main", project[5])]
    slot = slots.acquire(mirror)
    slot.checkout(project[2])
    slot.release()
    assert guarded.asked
    assert f"{USER}:{PASSWORD}" in guarded.logins
    assert not guarded.seen_in_processes
    assert not holders(mirror.folder)
    assert said
    assert "s3cret" not in " ".join([*said, repr(mirror), repr(mirror.remote), mirror.source.key])


def test_a_wrong_one_is_not_in_the_complaint(guarded: Guarded, mirror_of: Callable[[str], Mirror]) -> None:
    with pytest.raises(GitFailed, match="cannot fetch http://127") as raised:
        mirror_of(guarded.url("robot:wr0ng"))
    assert "robot:wr0ng" in guarded.logins
    assert "wr0ng" not in f"{raised.value.message}{raised.value.hint}{raised.value.__cause__}"


def test_a_user_without_password_gets_it_from_the_users_own_helper(
    guarded: Guarded, project: Repository, mirror_of: Callable[[str], Mirror], machine: Mapping[str, str]
) -> None:
    Path(machine["HOME"], ".gitconfig").write_text("[credential]\n\thelper = store\n")
    store = Path(machine["HOME"], ".git-credentials")
    store.write_text(f"http://{WRITTEN}@127.0.0.1%3a{guarded.port}\n")
    assert resolve(mirror_of(guarded.url(USER)), "main", print) == project[5]


def test_the_users_helper_is_not_told_a_password_from_a_recipe(
    guarded: Guarded, mirror_of: Callable[[str], Mirror], machine: Mapping[str, str]
) -> None:
    Path(machine["HOME"], ".gitconfig").write_text("[credential]\n\thelper = store\n")
    mirror_of(guarded.url())
    assert not holders(Path(machine["HOME"]))


@pytest.mark.parametrize(
    ("url", "without"),
    [
        ("https://u:p@forge.example/a/b.git", "https://forge.example/a/b.git"),
        ("https://token@forge.example:8443/a", "https://forge.example:8443/a"),
        ("https://u:p%40ss@forge.example/a", "https://forge.example/a"),
        ("https://u:p@ss@forge.example/a", "https://forge.example/a"),
        ("http://[::1]:80/a", "http://[::1]:80/a"),
        ("ssh://git@forge.example/a", "ssh://git@forge.example/a"),
        ("ssh://git:p@forge.example/a", "ssh://git@forge.example/a"),
        ("file:///a@b/c", "file:///a@b/c"),
    ],
)
def test_git_is_given_the_address_without_them(url: str, without: str) -> None:
    assert address(url).url == without


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("fatal: https://u:p@forge.example/a: 403", "fatal: https://forge.example/a: 403"),
        ("https://u:p@ss@forge.example/a", "https://forge.example/a"),
        ("two: http://a:b@c/d and https://e:f@g/h", "two: http://c/d and https://g/h"),
        ("nothing: https://forge.example/@me", "nothing: https://forge.example/@me"),
        ("ssh://git@forge.example/a", "ssh://git@forge.example/a"),
        ("ssh://git:p@forge.example/a", "ssh://git@forge.example/a"),
        ("mail to somebody@example.org", "mail to somebody@example.org"),
    ],
)
def test_words_for_people_lose_them(text: str, shown: str) -> None:
    assert without_credentials(text) == shown
