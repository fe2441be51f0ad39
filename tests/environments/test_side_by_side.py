"""A project is built while the packages that it needs are laid out, where they are known without the build."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bisector.model import Stage, Untestable

from .conftest import PROJECT, Lab

WAITS = """
import glob, time
for _ in range(200):
    if glob.glob({layers!r} + "/*/lib/python*/site-packages/dep/__init__.py"):
        break
    time.sleep(0.1)
else:
    raise SystemExit("nothing was laid out meanwhile")
"""
STATIC = '\n[project]\nname = "proj"\nversion = "1"\ndependencies = ["dep"]\n'
DYNAMIC = '\n[project]\nname = "proj"\nversion = "1"\ndynamic = ["dependencies"]\n'


def waiting(lab: Lab, table: str = "") -> dict[str, str]:
    """A project whose build ends when the layer of its dependency is there, or fails."""
    waits = WAITS.format(layers=str(lab.root / "state" / "layers"))
    pyproject = PROJECT["pyproject.toml"] + table
    return {**PROJECT, "backend.py": PROJECT["backend.py"] + waits, "pyproject.toml": pyproject}


def test_what_the_recipe_names(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    ready = lab.ready(lab.repo.commit(waiting(lab)), declared=False, requirements=("dep",))
    assert lab.say(ready, "import dep, proj; print(dep.version, proj.value)") == "1 1"


def test_what_the_project_says_without_a_build(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    tree = {**waiting(lab, STATIC), "REQUIRES": "dep\n"}
    assert lab.say(lab.ready(lab.repo.commit(tree)), "import dep; print(dep.version)") == "1"


def test_what_only_the_build_says_is_laid_out_after_it(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    tree = {**PROJECT, "pyproject.toml": PROJECT["pyproject.toml"] + DYNAMIC, "REQUIRES": "dep\n"}
    assert lab.say(lab.ready(lab.repo.commit(tree)), "import dep; print(dep.version)") == "1"


@pytest.mark.parametrize("broken", [True, False])
def test_what_is_in_the_way_of_either_is_said_as_ever(lab: Lab, broken: bool) -> None:
    """Where both fail, the build's own word counts: it comes first."""
    commit = lab.repo.commit({**PROJECT, **({"BROKEN": ""} if broken else {})})
    for _ in range(2):
        failed = lab.prepare(commit, declared=False, requirements=("missing",))
        assert isinstance(failed, Untestable)
        assert failed.stage is Stage.INSTALL
        assert ("this tree is broken" in failed.reason) is broken
        assert ("missing" in failed.reason) is not broken
    assert not [*lab.root.glob("scratch*/trial/meanwhile")]
