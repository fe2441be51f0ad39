"""What the machine lacks or holds against us: the file, what is wrong with it, and the way out.

Each test has a golden file; how to write them anew stands in conftest.py.
"""

from __future__ import annotations

import signal
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.mistakes.conftest import User

RUN = "bisector run recipe.yaml"
PYTHONS = {
    "no such python": "'3.4'",
    "a python that is none": "three",
    "no python at the path": "/nowhere/bin/python3",
    "a python that is no python": "/bin/true",
}


@pytest.mark.parametrize("name", PYTHONS)
def test_a_python_that_is_not_there(name: str, user: User) -> None:
    user.writes("recipe.yaml", {"python": PYTHONS[name]})
    user.gets(RUN, 2, name)


def test_a_file_for_a_state_directory(user: User) -> None:
    user.writes("recipe.yaml", {})
    user.state.write_text("not a folder")
    user.gets(RUN, 5, "a file for a state directory")


def test_a_state_directory_below_a_file(user: User) -> None:
    user.writes("recipe.yaml", {})
    user.gets(f"{RUN} --state recipe.yaml/state", 5, "a state directory below a file")


def test_a_state_directory_that_nobody_may_write_to(user: User) -> None:
    user.writes("recipe.yaml", {})
    user.gets(f"{RUN} --state /proc/bisector", 5, "a state directory that nobody may write to")


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_size_of_the_cache_that_is_none(command: str, user: User) -> None:
    user.writes("recipe.yaml", {})
    named = f"a size of the cache that is none at {command}"
    user.gets(f"bisector {command} recipe.yaml", 2, named, BISECTOR_CACHE="lots")


@pytest.mark.parametrize(("command", "status"), [("bisector status", 0), ("bisector report 12345678", 2)])
def test_records_that_are_damaged(command: str, status: int, user: User) -> None:
    user.state.mkdir()
    (user.state / "records.sqlite3").write_bytes(b"no database at all" * 1000)
    user.gets(command, status, f"damaged records at {command.split()[1]}")


def test_records_of_a_newer_bisector(user: User) -> None:
    user.writes("recipe.yaml", {})
    user.begins("bisector check recipe.yaml").communicate()
    with closing(sqlite3.connect(user.state / "records.sqlite3")) as database:
        database.execute("PRAGMA user_version = 99")
    user.gets(RUN, 5, "records of a newer bisector")


def test_no_git(user: User) -> None:
    user.writes("recipe.yaml", {})
    user.gets(RUN, 5, "no git", PATH=str(user.folder / "home"))


def test_a_report_into_a_file(user: User) -> None:
    user.writes("recipe.yaml", {})
    user.gets(f"{RUN} --report recipe.yaml", 2, "a report into a file")


def test_a_full_disk(user: User) -> None:
    """A page of memory takes the state directory's place."""
    user.writes("recipe.yaml", {})
    user.state.mkdir()
    disk = ("--size", "4096", "--tmpfs", str(user.state))
    user.gets(RUN, 5, "a full disk", inside=("bwrap", "--die-with-parent", "--dev-bind", "/", "/", *disk))


def test_a_full_disk_elsewhere(user: User) -> None:
    """The command to free space is told where the space is."""
    user.writes("recipe.yaml", {})
    user.state.mkdir()
    disk = ("--size", "4096", "--tmpfs", str(user.state))
    inside = ("bwrap", "--die-with-parent", "--dev-bind", "/", "/", *disk)
    user.gets(f"{RUN} --state ../state", 5, "a full disk elsewhere", inside=inside)


def test_a_full_disk_behind_standard_output(user: User) -> None:
    with open("/dev/full", "w") as full:
        user.gets("bisector schema", 5, "a full disk behind standard output", stdout=full)


def test_a_hunt_that_runs_already(user: User) -> None:
    """The first one waits in its repro until the second one has been sent away."""
    waiting = user.here / "waiting"
    user.writes("recipe.yaml", {"repro": f"touch {waiting}; sleep 60"})
    first = user.begins(RUN)
    until = time.monotonic() + 60
    while not waiting.exists():
        assert first.poll() is None, first.communicate()
        assert time.monotonic() < until, "the first hunt does not begin"
        time.sleep(0.05)
    user.gets(RUN, 5, "a hunt that runs already")
    first.send_signal(signal.SIGINT)
    first.communicate()
    assert first.returncode == 130
