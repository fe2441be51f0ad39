"""Mistakes about the repository and what is in it: nearest names, which end, where in the recipe.

Each row has a golden file of its name; how to write them anew stands in conftest.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.mistakes.conftest import User


@dataclass(frozen=True)
class Row:
    status: int
    changed: Mapping[str, str | None]


REVISIONS = {
    "no such ref": Row(2, {"bad": "mian"}),
    "neither ref is known": Row(2, {"good": "v0.9", "bad": "develop"}),
    "no such sha": Row(2, {"good": "0123456789abcdef0123456789abcdef01234567"}),
    "no such version": Row(2, {"good": "==9.9"}),
    "a version of two projects": Row(2, {"good": "3.0"}),
    "a date before the first commit": Row(2, {"good": "1999-12-31"}),
    "a date that is none": Row(2, {"good": "2021-02-31"}),
    "an option for a ref": Row(2, {"good": "--all"}),
    "too far back": Row(2, {"good": "HEAD~200"}),
    "a skip that names nothing": Row(2, {"skip": "[v1.5..v1.7]"}),
    "a pin since a ref that is none": Row(2, {"pins": "[{since: v7, requirements: [six]}]"}),
    "paths that nothing touches": Row(2, {"paths": "[scr/tool]"}),
    "a folder that is at neither end": Row(2, {"install": "{mode: pythonpath, path: tols}"}),
    "the same commit twice": Row(4, {"good": "v2.0"}),
    "the ends reversed": Row(4, {"good": "main", "bad": "v1.0"}),
    "the ends of a fix reversed": Row(
        4, {"find": "fix", "good": None, "bad": None, "broken": "main", "fixed": "v1.0"}
    ),
    "no common history": Row(4, {"good": "elsewhere"}),
}

REPOSITORIES = {
    "no such folder": Row(2, {"repo": "../projects/tool"}),
    "no such folder and no such python": Row(2, {"repo": "../projects/tool", "python": "'3.4'"}),
    "a folder without a repository": Row(2, {"repo": "FOLDER"}),
    "an empty repository": Row(2, {"repo": "EMPTY"}),
    "the network is gone": Row(5, {"repo": "https://127.0.0.1:9/project.git"}),
    "a password in an unreachable address": Row(5, {"repo": "https://me:secret@127.0.0.1:9/project.git"}),
    "an address that runs a command": Row(2, {"repo": "ext::sh -c ls"}),
    "a repository that looks like an option": Row(2, {"repo": "--upload-pack=ls"}),
    "an unknown scheme": Row(2, {"repo": "htps://127.0.0.1/project.git"}),
}


@pytest.mark.parametrize("name", REVISIONS)
def test_a_revision_that_cannot_be(name: str, user: User) -> None:
    user.writes("recipe.yaml", REVISIONS[name].changed)
    user.gets("bisector run recipe.yaml", REVISIONS[name].status, name)


@pytest.mark.parametrize("name", REPOSITORIES)
def test_a_repository_that_cannot_be(name: str, user: User) -> None:
    user.writes("recipe.yaml", REPOSITORIES[name].changed)
    user.gets("bisector run recipe.yaml", REPOSITORIES[name].status, name)


def test_a_try_at_a_revision_that_is_none(user: User) -> None:
    user.writes("recipe.yaml", {})
    user.gets("bisector try recipe.yaml v1.2", 2, "a try at a revision that is none")
