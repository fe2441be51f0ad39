"""`bisector doctor`: what is here, what is missing and how to get it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tests.cli.conftest import Typing

Finding = dict[str, str]


def findings(told: dict[str, object]) -> dict[str, Finding]:
    return {one["name"]: one for one in cast("list[Finding]", told["findings"])}


def test_a_machine_that_runs_these_tests_can_hunt(bisector: Typing) -> None:
    answer = bisector("doctor", "--json")
    assert answer.status == 0
    assert answer.json["ready"] is True
    found = findings(answer.json)
    assert found["git"]["state"] == "ok"
    assert found["uv"]["state"] == "ok"
    version = ".".join(map(str, sys.version_info[:3]))
    assert found[version]["detail"].endswith("served by uv, pip")
    assert found["directory"]["detail"] == str(bisector.state)


def test_plain_lines_without_a_terminal(bisector: Typing) -> None:
    answer = bisector("doctor")
    assert "\x1b" not in answer.out
    heading, *rows = answer.out.splitlines()
    assert heading.split() == ["part", "what", "found"]
    assert rows[0].split()[:3] == ["git", "git", "ok"]
    assert [row for row in rows if "bubblewrap" in row and "nothing of a process tree survives" in row]


def test_no_git_is_the_end_of_it(bisector: Typing) -> None:
    answer = bisector("doctor", "--json", PATH="/nonexistent")
    assert answer.status == 5
    assert findings(answer.json)["git"]["remedy"] == "install git 2.30 or newer"
    assert "no hunt can run here: git missing" in answer.err


def test_a_state_directory_that_cannot_be_written(bisector: Typing) -> None:
    (bisector.folder / "file").write_text("")
    answer = bisector("doctor", "--state", "file/below")
    assert answer.status == 5
    assert "cannot write to the state directory" in answer.out


def test_no_secret_of_the_environment_is_shown(bisector: Typing) -> None:
    answer = bisector("doctor", HTTPS_PROXY="http://user:s3cret@proxy.example.org:1")
    assert "set by HTTPS_PROXY" in answer.out
    assert "s3cret" not in answer.out
