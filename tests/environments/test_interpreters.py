"""The Pythons of a machine: found by version, by path, by what a commit allows."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from bisector.environments import Interpreter, Interpreters, NoInterpreter
from bisector.model import InstallMode, Stage, Untestable

from .conftest import PROJECT, Lab

HERE = Interpreters(os.environ)
ALL = HERE.list_all()
THIS = Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))


def found(answer: Interpreter | NoInterpreter) -> Interpreter:
    assert isinstance(answer, Interpreter), answer
    return answer


def test_the_running_one_is_among_them_newest_first() -> None:
    assert THIS in [one.path for one in ALL]
    versions = [tuple(map(int, one.version.split("."))) for one in ALL]
    assert versions == sorted(versions, reverse=True)


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.version)
def test_each_is_found_by_version_and_by_path(one: Interpreter) -> None:
    assert found(HERE.find(one.version)).version == one.version
    assert found(HERE.find(".".join(one.version.split(".")[:2]))).minor == one.minor
    assert found(HERE.find(str(one.path))) == one


def test_a_virtualenvs_python_stands_for_its_base() -> None:
    assert found(HERE.find(sys.executable)).path == THIS


def test_a_version_that_is_not_there_says_what_is_and_how_to_get_it() -> None:
    answer = HERE.find("3.99")
    assert isinstance(answer, NoInterpreter)
    assert ALL[0].version in answer.reason
    assert "uv python install 3.99" in answer.hint


@pytest.mark.parametrize(
    ("asked", "is_too_old"), [("2.7.18", True), ("2", True), ("3.5", True), ("3.98", False)]
)
def test_nobody_is_told_to_get_what_would_not_do(asked: str, is_too_old: bool) -> None:
    answer = HERE.find(asked)
    assert isinstance(answer, NoInterpreter)
    assert ("no older one" in answer.hint) is is_too_old
    assert ("install" in answer.hint) is not is_too_old


@pytest.mark.parametrize("path", ["/nowhere/python", "/bin/sh"])
def test_a_path_that_is_no_python(path: str) -> None:
    assert isinstance(HERE.find(path), NoInterpreter)


def test_three_ten_is_not_three_one() -> None:
    assert isinstance(HERE.find("3.1"), NoInterpreter)


def test_pyenv_and_uv_are_looked_into_and_shims_are_not_started(tmp_path: Path) -> None:
    for folder in ("pyenv/versions/3.98.1/bin", "share/uv/python/cpython-3.98.2-linux/bin", "pyenv/shims"):
        (tmp_path / folder).mkdir(parents=True)
    says = '#!/bin/sh\necho {} >> {}\nexec "{}" "$@"\n'
    started = tmp_path / "started"
    for name, path in (("pyenv", "pyenv/versions/3.98.1/bin/python"), ("shim", "pyenv/shims/python3.98")):
        (tmp_path / path).write_text(says.format(name, started, THIS))
        (tmp_path / path).chmod(0o755)
    uv = tmp_path / "share/uv/python/cpython-3.98.2-linux/bin/python3"
    uv.write_text(says.format("uv", started, THIS))
    uv.chmod(0o755)
    environ = {
        "HOME": str(tmp_path),
        "PYENV_ROOT": str(tmp_path / "pyenv"),
        "XDG_DATA_HOME": str(tmp_path / "share"),
        "PATH": str(tmp_path / "pyenv/shims"),
    }
    # They say the version that they really are, and are not taken for another.
    assert isinstance(Interpreters(environ).find("3.98"), NoInterpreter)
    assert set(started.read_text().split()) == {"pyenv", "uv"}


def test_the_newest_that_is_allowed() -> None:
    assert found(HERE.newest(SpecifierSet(), None)) == ALL[0]
    oldest = ALL[-1]
    assert found(HERE.newest(SpecifierSet(f"<={oldest.version}"), None)) == oldest
    assert found(HERE.newest(SpecifierSet(), oldest.minor)).minor == oldest.minor
    assert found(HERE.newest(SpecifierSet(), (3, 0))).minor == oldest.minor, "the next above"
    assert isinstance(HERE.newest(SpecifierSet(">=4"), None), NoInterpreter)


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.version)
def test_a_history_that_changes_its_python(lab: Lab, one: Interpreter) -> None:
    """Each half gets the newest that it allows, for all that are on this machine; it works, metadata and all."""
    python = "==" + ".".join(one.version.split(".")[:2]) + ".*"
    said = f'[project]\nname = "proj"\nversion = "1"\nrequires-python = "{python}"\n'
    only_this = lab.repo.commit({**PROJECT, "pyproject.toml": PROJECT["pyproject.toml"] + said})
    none = lab.repo.commit({"pyproject.toml": PROJECT["pyproject.toml"] + said.replace(python, ">=99")})
    lab.environ |= {"PATH": os.environ["PATH"], "PYENV_ROOT": os.environ.get("PYENV_ROOT", "/nowhere")}
    ready = lab.ready(only_this, python=None, declared=False)
    assert ready.facts.python.split(".")[:2] == one.version.split(".")[:2]
    assert (
        lab.say(ready, "import proj, sys; print(proj.value, *sys.version_info[:2])")
        == f"1 {one.minor[0]} {one.minor[1]}"
    )
    assert lab.prove(ready) is None
    made = lab.prepare(none, InstallMode.PYTHONPATH, python=None, declared=False)
    assert isinstance(made, Untestable)
    assert made.stage is Stage.INTERPRETER


def test_a_missing_python_is_no_verdict(lab: Lab) -> None:
    made = lab.prepare(lab.repo.commit(PROJECT), python="3.99")
    assert isinstance(made, Untestable)
    assert made.stage is Stage.INTERPRETER
    assert "uv python install 3.99" in made.reason
