"""Ends that do not differ as said (exit status 4), and repros and environments that cannot tell (5).

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


def repro(command: str) -> dict[str, str]:
    return {"repro": f"{{run: {command!r}, cwd: tree}}"}


def module(name: str) -> dict[str, str]:
    return {"install": f"{{mode: pythonpath, module: {name}}}", **repro("grep -q good state")}


ENDS = {
    "the good end fails": Row(4, repro("false")),
    "the bad end works": Row(4, repro("true")),
    "the ends are swapped": Row(4, repro("grep -q bad state")),
    "a fix is hunted the wrong way": Row(
        4, {"find": "fix", "good": None, "bad": None, "old": "v1.0", "new": "main"}
    ),
    "the bad end is skipped": Row(4, repro("grep -q good state || exit 125")),
    "the good end runs out of time": Row(
        4, {"limits": "{timeout: 3s}", **repro("grep -q good state || exit 1; sleep 60")}
    ),
    "the repro is not found": Row(4, repro("pytset tests")),
    "the repro cannot be executed": Row(4, repro("./state")),
    "the data lie beside the recipe": Row(4, {"repro": "grep -q good data.txt"}),
    "a syntax error in the repro": Row(4, {"repro": "{python: 'return 1'}"}),
    "no such module": Row(5, module("tol")),
    "the module comes from elsewhere": Row(5, module("json")),
    "the project cannot be built": Row(5, {"install": "{mode: editable}"}),
    "a build command fails": Row(5, {"install": "{mode: none, build: ['false']}", **repro("true")}),
}


@pytest.mark.parametrize("name", ENDS)
def test_ends_that_tell_nothing(name: str, user: User) -> None:
    user.writes("recipe.yaml", ENDS[name].changed)
    user.gets("bisector run recipe.yaml", ENDS[name].status, name)
