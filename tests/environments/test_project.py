"""What a tree says of its project, and what becomes of requirement lines: tables."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest

from bisector.environments import project, scripts
from bisector.environments.fingerprint import fingerprint
from bisector.environments.ladder import helps, rungs, summed_up
from bisector.environments.requirements import (
    Metadata,
    declared,
    merge,
    parse,
    specifiers,
    with_requires,
)
from bisector.model import AsOf, EnvironmentRequest, InstallMode, Stage, Untestable

PYTHONS = {
    "pyproject.toml": '[project]\nname = "a"\nrequires-python = ">=3.9"\n',
    "setup.cfg": "[metadata]\nname = a\n[options]\npython_requires = >=3.9\n",
    "setup.py": "from setuptools import setup\nsetup(name='a', python_requires='>=3.9')\n",
    "setup.py with a name": "NEEDS = '>=3.9'\nfrom setuptools import setup\nsetup(name='a', python_requires=NEEDS)\n",
}


@pytest.mark.parametrize("where", PYTHONS)
def test_the_python_it_needs_is_read_wherever_it_stands(tmp_path: Path, where: str) -> None:
    (tmp_path / where.partition(" ")[0]).write_text(PYTHONS[where])
    found = project.read(tmp_path)
    assert found.name == "a"
    assert found.requires_python is not None
    assert "3.9.1" in found.requires_python
    assert "3.8.20" not in found.requires_python


def test_classifiers_name_the_newest_python_of_their_day(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(
        "setup(classifiers=['Programming Language :: Python :: 3', 'Programming Language :: Python :: 3.9',\n"
        "  'Programming Language :: Python :: 3.10'])\n"
    )
    assert project.read(tmp_path).newest_python == (3, 10)


@pytest.mark.parametrize(
    ("text", "backend", "requires"),
    [
        ("", project.LEGACY_BACKEND, project.LEGACY_REQUIRES),
        ("[build-system]\nrequires = ['a']\n", project.LEGACY_BACKEND, ("a",)),
        (
            "[build-system]\nrequires = ['flit_core']\nbuild-backend = 'flit_core.buildapi'\n",
            "flit_core.buildapi",
            ("flit_core",),
        ),
    ],
    ids=["nothing", "no backend", "a backend"],
)
def test_who_builds_it(tmp_path: Path, text: str, backend: str, requires: tuple[str, ...]) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    system = project.read(tmp_path).build_system
    assert (system.backend, system.requires) == (backend, requires)


@pytest.mark.parametrize("field", ["dependencies", "optional-dependencies", "requires-python"])
def test_what_a_build_decides_is_not_written_down(tmp_path: Path, field: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "a"\ndynamic = ["{field}"]\n')
    assert project.read(tmp_path).metadata is None


def test_a_dynamic_version_leaves_the_rest_readable(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "a"\ndynamic = ["version"]\ndependencies = ["b"]\n'
    )
    metadata = project.read(tmp_path).metadata
    assert metadata is not None
    assert metadata.requires == ("b",)


TREES = {
    "by its name": (["my_proj/__init__.py", "other/__init__.py"], "My-Proj", ("my_proj",)),
    "the only package": (
        ["sklearn/__init__.py", "setup.py", "tests/__init__.py"],
        "scikit-learn",
        ("sklearn",),
    ),
    "the only file": (["six.py", "setup.py", "test_six.py"], None, ("six",)),
    "packages before files": (["one/__init__.py", "tool.py"], None, ("one",)),
    "nothing": (["README"], "a", ()),
}


@pytest.mark.parametrize(("files", "name", "expected"), TREES.values(), ids=TREES.keys())
def test_the_module_is_found_out(
    tmp_path: Path, files: list[str], name: str | None, expected: tuple[str, ...]
) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    assert project.modules((tmp_path,), name) == expected


def test_a_later_line_replaces_an_earlier_for_the_same_package() -> None:
    assert merge(["numpy>=1", "Scipy", "a @ file:///x"], ["NumPy<2", "b"]) == (
        "Scipy",
        "a @ file:///x",
        "NumPy<2",
        "b",
    )
    assert merge(["a", "a"], []) == ("a",)


REQUIRES = (
    "always",
    'old; python_version < "3.9"',
    'new; python_version >= "3.9"',
    'tests; extra == "test"',
    'proj[test,docs]; extra == "all"',
    'sphinx>=4; extra == "docs" and python_version >= "3.8"',
    "!!! not a requirement",
)
EXTRAS = {
    "none": ((), "3.8.1", {"always", "old"}),
    "a newer python": ((), "3.12.0", {"always", "new"}),
    "one": (("test",), "3.12.0", {"always", "new", "tests"}),
    "its own extras": (("all",), "3.12.0", {"always", "new", "tests", "sphinx>=4"}),
    "unknown": (("nope",), "3.12.0", {"always", "new"}),
}


@pytest.mark.parametrize(("extras", "python", "expected"), EXTRAS.values(), ids=EXTRAS.keys())
def test_what_is_declared(extras: tuple[str, ...], python: str, expected: set[str]) -> None:
    assert set(declared(Metadata("proj", "1", REQUIRES, None), extras, python)) == expected


def test_metadata_as_it_is_written() -> None:
    said = parse(
        "Metadata-Version: 2.1\nName: a\nVersion: 1\nRequires-Python: >=3.8\nRequires-Dist: b\nRequires-Dist: c\n\n"
    )
    assert (said.name, said.version, said.requires) == ("a", "1", ("b", "c"))
    assert specifiers(">=3.8, what?") is None


def request(as_of: AsOf | datetime) -> EnvironmentRequest:
    moment = datetime(2024, 6, 1, 10, tzinfo=timezone.utc)
    return EnvironmentRequest("c", moment, None, InstallMode.EDITABLE, as_of=as_of)


def test_what_an_egg_info_lists_beside_its_metadata() -> None:
    listed = """\
six>=1.5
dep @ https://x.example/dep.tar.gz

[:python_version < "3.5"]
typing

[test]
mock

[test:python_version >= "3" or sys_platform == "win32"]
mypy
"""
    made = parse(with_requires("Metadata-Version: 1.2\nName: proj\nVersion: 1\n\nSaid at length.\n", listed))
    assert (made.name, made.version) == ("proj", "1")
    assert declared(made, (), "3.8.1") == ("six>=1.5", "dep @ https://x.example/dep.tar.gz")
    assert set(declared(made, ("test",), "3.4.1")) >= {"typing", "mock", "mypy"}
    assert "mypy" not in declared(made, ("test",), "2.7.1")


def test_metadata_that_lists_what_is_required_is_left_as_it_is() -> None:
    whole = "Metadata-Version: 2.1\nName: proj\nRequires-Dist: six\n"
    assert with_requires(whole, "dep\n") == whole


def test_the_rungs_of_the_ladder() -> None:
    given = datetime(2020, 1, 1, tzinfo=timezone.utc)
    end_of_day = datetime(2024, 6, 1, 23, 59, 59, tzinfo=timezone.utc)
    of_commit, of_given = [(end_of_day, False), (end_of_day, True)], [(given, False), (given, True)]
    stood = {
        as_of: [(rung.cutoff, rung.old_tools) for rung in rungs(request(as_of))]
        for as_of in (AsOf.LATEST, AsOf.COMMIT, given)
    }
    assert stood == {AsOf.LATEST: [(None, False), *of_commit], AsOf.COMMIT: of_commit, given: of_given}


@pytest.mark.parametrize(
    ("minor", "date", "tools"),
    [
        ((3, 8), "2017-05-16", "2020-03-01"),
        ((3, 10), "2021-05-16", "2021-05-16"),
        ((3, 11), "2017-05-16", "2022-10-24"),
        ((3, 13), "2017-05-16", "2024-10-07"),
        ((3, 99), "2017-05-16", "2025-10-07"),
    ],
)
def test_old_tools_are_those_of_the_date_that_serve_the_interpreter(
    minor: tuple[int, int], date: str, tools: str
) -> None:
    def midnight(day: str) -> datetime:
        return datetime.fromisoformat(day).replace(tzinfo=timezone.utc)

    plain, by_old_tools = rungs(request(midnight(date)))
    assert (plain.tools(minor), by_old_tools.tools(minor)) == (None, midnight(tools))


def test_old_tools_are_tried_where_a_build_has_failed() -> None:
    _, dated, by_old_tools = rungs(request(AsOf.LATEST))
    for reason, helped in (("markupsafe==1.0 cannot be built: no", True), ("no", False)):
        assert helps(by_old_tools, [(dated, Untestable(Stage.INSTALL, reason))]) is helped


def test_nothing_is_tried_where_the_project_s_build_hangs() -> None:
    plain, dated, by_old_tools = rungs(request(AsOf.LATEST))
    for reason, helped in (
        ("build failed: its build took longer than install_timeout", False),
        ("uv took longer than install_timeout", True),
    ):
        failed = [(plain, Untestable(Stage.INSTALL, reason))]
        assert helps(dated, failed) is helped
        assert helps(by_old_tools, failed) is False


def test_alike_reasons_are_said_once() -> None:
    first, second, _ = rungs(request(AsOf.LATEST))
    no, never = Untestable(Stage.INSTALL, "no"), Untestable(Stage.INSTALL, "never")
    assert summed_up([(first, no)]) == no
    assert summed_up([(first, no), (second, no)]).reason.splitlines()[0] == "no"
    both = summed_up([(first, no), (second, never)])
    assert both.headline == "no"
    assert "as the recipe says: no" in both.reason
    assert "releases of the commit's date: never" in both.reason


def test_reasons_that_differ_in_their_detail_alone_are_alike() -> None:
    """A build's detail names its temporary files."""
    first, second, _ = rungs(request(AsOf.LATEST))
    one, other = (Untestable(Stage.INSTALL, f"a.c:1:1: error: no\ngcc -o /tmp/{name}") for name in "ab")
    assert summed_up([(first, one), (second, other)]).reason.splitlines() == [
        "a.c:1:1: error: no",
        "gcc -o /tmp/a",
        "(tried: as the recipe says and releases of the commit's date)",
    ]


def test_words_are_kept_apart_in_a_fingerprint() -> None:
    names = {
        fingerprint("a", ["b", "c"]),
        fingerprint("a", ["bc"]),
        fingerprint("a", ["b"], ["c"]),
        fingerprint("ab", ["c"]),
    }
    assert len(names) == 4


HEADS = [
    "#!/build/venv/bin/python3\n",
    "#!/usr/bin/env python\n",
    "#!python\n",
    "#!/bin/sh\n'''exec' /a/python \"$0\" \"$@\"\n' '''\n",
]


@pytest.mark.parametrize("head", HEADS, ids=["absolute", "env", "bare", "long"])
def test_a_script_runs_with_the_python_beside_it(tmp_path: Path, head: str) -> None:
    layer, venv = tmp_path / "layer", tmp_path / "a venv with spaces"
    for folder in (layer, venv):
        folder.mkdir()
    (layer / "tool").write_text(f"{head}import sys\nprint('from', *sys.argv[1:])\n")
    (layer / "tool").chmod(0o755)
    (layer / "native").write_bytes(b"\x7fELF...")
    scripts.rewrite(layer)
    (venv / "python").symlink_to(sys.executable)
    (venv / "tool").symlink_to(layer / "tool")
    said = subprocess.run([venv / "tool", "here", "and there"], capture_output=True, text=True, check=True)
    assert said.stdout == "from here and there\n"
    assert (layer / "native").read_bytes() == b"\x7fELF..."
