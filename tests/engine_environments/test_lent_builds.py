"""Builds that read what nobody hears: the wrong commit's may be lent, and no commit may be blamed for that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from .conftest import FOUND, SUSPECTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conftest import Repository
    from tests.engine_environments.conftest import Land

CULPRIT, TURN = 6, 8
"""The commit that breaks it, and one that only makes the project be built anew."""
EDITABLE = "install: {mode: editable, build_requirements: [setuptools], module: proj}"
SETUP = """\
import os, shutil, subprocess, sys
from setuptools import findall, setup
points, version = [], "1.0"
{body}
setup(name="proj", version=version, packages=["proj"], entry_points={{"proj.plugins": points}})
"""
POINTS = """\
repro:
  python: |
    from importlib.metadata import distribution
    names = [one.name for one in distribution("proj").entry_points]
    assert "broken" not in names, "a broken entry point"
"""
VERSION = """\
repro:
  python: |
    from importlib.metadata import version
    assert version("proj") == "1.0", "the wrong version"
"""


@dataclass(frozen=True)
class Way:
    """How a build comes to know what nobody sees it read."""

    body: str
    before: Mapping[str, str]
    culprit: Mapping[str, str]
    repro: str = VERSION
    more: Mapping[str, str] = field(default_factory=dict)


SAYS_ONE, SAYS_TWO = {"ver.py": "print('1.0')\n"}, {"ver.py": "print('2.0')\n"}
WAYS = {
    "a child without an environment": Way(
        "version = subprocess.check_output([sys.executable, 'ver.py'], env={}).decode().strip()",
        SAYS_ONE,
        SAYS_TWO,
    ),
    "a file that is moved": Way(
        "if os.path.exists('ver.in'): shutil.move('ver.in', 'proj/_ver.py')",
        {"ver.in": "v = 1\n"},
        {"ver.in": "v = 2\n"},
        "repro: {python: 'import proj._ver; assert proj._ver.v == 1'}",
    ),
    "names that setuptools lists": Way(
        "points = [os.path.basename(path).split('.')[0] + ' = proj' for path in findall('plugins')]",
        {"plugins/one.txt": ""},
        {"plugins/broken.txt": ""},
        POINTS,
    ),
    "a module that may be there": Way(
        "sys.path.insert(0, 'tools')\ntry: from said import version\nexcept ImportError: pass",
        {"tools/unused.py": ""},
        {"tools/said.py": "version = '2.0'\n"},
    ),
}


def history(land: Land, way: Way, turn: str) -> Repository:
    """Ten commits, each of which changes the package in a way that does not matter."""
    setup = SETUP.format(body=way.body)
    steps = {number: {"proj/__init__.py": f"number = {number}\n"} for number in range(1, 11)}
    steps[1] |= {"setup.py": setup, **way.before}
    steps[CULPRIT] |= way.culprit
    steps[TURN] |= {"setup.py": setup + turn}
    return land.project("1..10", steps)


@pytest.mark.parametrize("turn", ["", "# harmless\n"], ids=["one build", "two builds"])
@pytest.mark.parametrize("name", WAYS)
def test_nobody_is_blamed_for_what_another_commits_build_has_left(land: Land, name: str, turn: str) -> None:
    project = history(land, WAYS[name], turn)
    hunted = land.hunt(project, EDITABLE, WAYS[name].repro)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert "each commit is built for itself" in hunted.words
    assert hunted.report["confirmation"]["parents"] == {project[CULPRIT - 1]: "good"}
    again = land.hunt(project, EDITABLE, WAYS[name].repro, "name: from its records")
    assert (again.status, again.culprit) == (FOUND, CULPRIT), again.words


def test_a_build_that_fails_is_not_hidden_by_one_that_was_lent(land: Land) -> None:
    """From the fourth to the seventh commit nothing can be built; the eighth mends that, and breaks the repro."""
    body = "if sum(one.stat().st_size for one in os.scandir('data')) > 9: sys.exit('cannot be built')"
    setup = SETUP.format(body=body)
    steps = {
        number: {"proj/__init__.py": f"number = {number}\nbroken = {number > 7}\n"} for number in range(1, 11)
    }
    steps[1] |= {"setup.py": setup, "data/some": "few"}
    steps[4] |= {"data/some": "far more than a few"}
    steps[8] |= {"data/some": "few"}
    project = land.project("1..10", steps)
    hunted = land.hunt(project, EDITABLE, "repro: {python: 'import proj; assert not proj.broken'}")
    assert hunted.status == SUSPECTS, hunted.words
    assert hunted.suspects == {4, 5, 6, 7, 8}


def test_the_proof_builds_for_itself(land: Land) -> None:
    """Where nothing is hidden, two builds more are all that it costs; the next hunt finds them there."""
    steps = {
        number: {"proj/__init__.py": f"broken = {number >= CULPRIT}  # {number}\n"} for number in range(1, 11)
    }
    steps[1] |= {"setup.py": SETUP.format(body="open('builds', 'a').write('.')")}
    project = land.project("1..10", steps)
    lines = (EDITABLE, "repro: {python: 'import proj; assert not proj.broken'}")
    for name in ("first", "second"):
        hunted = land.hunt(project, *lines, f"name: {name}")
        assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
        built = {path.read_text() for path in land.state.glob("environments/layers/project-*/.built-for")}
        assert len(built) == 3, "for the failing end, the culprit and its parent"
