"""Mistakes on the command line itself: exit status 2, what was meant, and where to read on.

Each row has a golden file of its name; how to write them anew stands in conftest.py.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.mistakes.conftest import User

LINES = {
    "no such command": "bisector rnu recipe.yaml",
    "no command at all": "bisector recipe.yaml",
    "no such option": "bisector run recipe.yaml --job 2",
    "no recipe": "bisector run",
    "an argument too many": "bisector run recipe.yaml other.yaml",
    "no jobs at all": "bisector run recipe.yaml --jobs 0",
    "jobs in words": "bisector run recipe.yaml --jobs many",
    "jobs forgotten": "bisector run recipe.yaml --jobs",
    "an executor that is not there yet": "bisector run recipe.yaml --executor dask:127.0.0.1:8786",
    "an executor that is none": "bisector run recipe.yaml --executor docker",
    "a report of an unknown hunt": "bisector report 12345678",
    "the status of an unknown hunt": "bisector status 12345678",
    "a report in an unknown format": "bisector report 12345678 --format pdf",
    "a report of a try": "bisector try recipe.yaml --report out",
    "a completion for an unknown shell": "bisector completion tcsh",
    "new without a question asked": "bisector new --repo SOURCE --good v1.0",
    "new over a recipe": "bisector new --repo SOURCE --good v1.0 --bad main -- true",
    "a scheme that brings no recipe": "bisector run ftp://127.0.0.1/recipe.yaml",
}


@pytest.mark.parametrize("name", LINES)
def test_a_command_line_that_cannot_be(name: str, user: User) -> None:
    user.writes("recipe.yaml", {})
    user.gets(LINES[name], 2, name)


def test_the_help_for_who_asks_nothing(user: User) -> None:
    asked = user.begins("bisector")
    said, told = asked.communicate()
    assert (asked.returncode, said) == (2, "")
    assert "bisector demo" in told


def test_a_recipe_from_standard_input_is_run_only_with_yes(user: User) -> None:
    user.writes("recipe.yaml", {})
    text = (user.here / "recipe.yaml").read_text()
    user.gets("bisector run -", 2, "a recipe from standard input without yes", stdin=text)


def test_nothing_on_standard_input(user: User) -> None:
    user.gets("bisector run -", 2, "nothing on standard input")


def test_the_beginning_of_two_ids(user: User) -> None:
    """Two hunts that end at once, given ids to mix up."""
    user.writes("recipe.yaml", {"good": "v2.0"})
    for _ in range(2):
        user.begins("bisector run recipe.yaml --fresh").communicate()
    with closing(sqlite3.connect(user.state / "records.sqlite3")) as database, database:
        database.execute("UPDATE hunts SET id = 'abcd000' || rowid")
    user.gets("bisector report abcd", 2, "the beginning of two ids")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """A test's standard error is for tests."""


@pytest.fixture
def address(user: User) -> Iterator[str]:
    """Where the user's folder is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=user.here))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_recipe_from_a_url_is_run_only_with_yes(user: User, address: str) -> None:
    user.writes("recipe.yaml", {"repo": "https://127.0.0.1:9/project.git"})
    user.gets(f"bisector run {address}/recipe.yaml", 2, "a recipe from a URL without yes")


def test_a_recipe_from_a_url_may_name_no_folder_here(user: User, address: str) -> None:
    user.writes("recipe.yaml", {})
    user.gets(f"bisector run {address}/recipe.yaml --yes", 2, "a folder of mine in a recipe from a URL")


def test_no_recipe_at_the_url(user: User, address: str) -> None:
    user.gets(f"bisector run {address}/recipe.yaml", 2, "no recipe at the URL")


def test_nobody_at_the_url(user: User) -> None:
    user.gets("bisector run https://127.0.0.1:9/recipe.yaml", 5, "nobody at the URL")
