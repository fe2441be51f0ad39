"""When two trees look the same to a build: rows of what it read and what changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bisector.environments.inputs import Breadth, Inputs, from_json, from_record

TREE = {
    "setup.py": "s1",
    "proj/__init__.py": "i1",
    "proj/core.py": "c1",
    "proj/data/a.txt": "a1",
    "proj/fast.c": "f1",
    "docs/index.rst": "d1",
    "tools/run": "r1",
}
READ = Inputs(
    frozenset({"setup.py", "proj/data/a.txt", "VERSION"}),
    walked=frozenset({"proj", "proj/data"}),
    listed=frozenset({"tools"}),
    looked=frozenset({"proj/core.py", "docs", "cfg/x"}),
)

SAME = {
    "a module that was not read": {"proj/core.py": "c2"},
    "a new module": {"proj/more.py": "m1"},
    "a document": {"docs/index.rst": "d2", "docs/new.rst": "n1"},
    "a source of C": {"proj/fast.c": "f2"},
    "a file whose name was seen": {"tools/run": "r2"},
}
OTHER = {
    "a file that was read": {"setup.py": "s2"},
    "a file that was looked for and not there": {"VERSION": "v1"},
    "a new folder in one that was listed": {"proj/sub/__init__.py": "x"},
    "another file of a kind that was read there": {"proj/data/b.txt": "b1"},
    "a new kind of file": {"proj/data/b.json": "b1"},
    "a new name at the top": {"setup.cfg": "x"},
    "a file that went": {"proj/data/a.txt": None},
    "a package that is none any more": {"proj/__init__.py": None},
    "a name in a folder that was listed": {"tools/more": "m1"},
    "a file that was asked after": {"proj/core.py": None},
    "a folder that was asked after": {"docs/index.rst": None},
    "a folder that was asked after in vain": {"cfg/x/deep/y": "y"},
    "a file that was asked after in vain": {"cfg/x": "y"},
}


def changed(change: dict[str, str | None]) -> dict[str, str]:
    return {path: name for path, name in {**TREE, **change}.items() if name is not None}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME.keys())
def test_the_same_to_the_build(change: dict[str, str | None]) -> None:
    assert READ.digest(changed(change), "b") == READ.digest(TREE, "a")


@pytest.mark.parametrize("change", OTHER.values(), ids=OTHER.keys())
def test_another_to_the_build(change: dict[str, str | None]) -> None:
    assert READ.digest(changed(change), "a") != READ.digest(TREE, "a")


def test_a_compiler_reads_all_but_python() -> None:
    read = READ.at_least(Breadth.SOURCES)
    assert read.digest(changed({"proj/fast.c": "f2"}), "a") != read.digest(TREE, "a")
    assert read.digest(changed({"odd/place/limits.inc": "x"}), "a") != read.digest(TREE, "a")
    assert read.digest(changed({"proj/core.py": "c2"}), "a") == read.digest(TREE, "a")
    assert read.at_least(Breadth.NAMED).breadth is Breadth.SOURCES


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        (".cargo/config.toml", True),
        (".version", True),
        ("docs/index.rst", True),
        ("proj/.github/limits.yml", True),
        (".github/workflows/ci.yml", False),
        (".pre-commit-config.yaml", False),
    ],
)
def test_no_compiler_reads_what_is_a_forges_own(path: str, counts: bool) -> None:
    read = READ.at_least(Breadth.SOURCES)
    before, after = changed({path: "1"}), changed({path: "2"})
    assert (read.digest(before, "a") != read.digest(after, "a")) is counts
    named = read.with_files([path])
    assert named.digest(before, "a") != named.digest(after, "a")


def test_a_build_that_nobody_could_listen_to_has_read_everything(tmp_path: Path) -> None:
    read = from_record(tmp_path / "nothing", tmp_path, "")
    assert read.digest(changed({"docs/index.rst": "d2"}), "a") != read.digest(TREE, "a")


def test_who_asks_the_repository_gets_an_answer_for_each_commit(tmp_path: Path) -> None:
    record = tmp_path / "record"
    for event in (["start", "/usr/bin/git"], ["open", ".git"], ["open", ".git/HEAD"]):
        record.write_text(json.dumps(event) + "\n")
        read = from_record(record, tmp_path, "")
        assert read.digest(TREE, "a") != read.digest(TREE, "b")


PROGRAMS = {
    "gcc": Breadth.SOURCES,
    "/usr/bin/x86_64-linux-gnu-gcc-12": Breadth.SOURCES,
    "cargo": Breadth.SOURCES,
    "/env/bin/python3": Breadth.NAMED,
    "uname": Breadth.NAMED,
    "git": Breadth.NAMED,
    "/usr/bin/python3": Breadth.ALL,
    "tools/generate": Breadth.ALL,
    "/bin/sh": Breadth.ALL,
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_a_program_may_have_read(tmp_path: Path, program: str) -> None:
    record = tmp_path / "record"
    record.write_text(json.dumps(["start", program]) + "\n")
    assert from_record(record, Path("/env/bin"), "").breadth is PROGRAMS[program]


def test_random_names_of_the_builds_own_making_are_forgotten() -> None:
    read = Inputs(
        frozenset({"setup.py", "proj.egg-info/tmp8xy", "src/new/deep/tmp1", "VERSION"}),
        walked=frozenset({"build/lib"}),
        listed=frozenset({"build/tmp"}),
        looked=frozenset({"proj.egg-info/tmp8xz", "cfg"}),
    )
    settled = read.settled(TREE)
    assert settled.opened == {"setup.py", "VERSION"}
    assert settled.walked == {""}
    assert settled.listed == frozenset()
    assert settled.looked == {"cfg"}
    assert settled.digest(TREE, "a") != settled.digest(changed({"proj.egg-info/x": "x"}), "a")


def test_they_are_remembered_as_text() -> None:
    read = Inputs(
        frozenset({"a"}),
        frozenset({"", "b"}),
        frozenset({"l"}),
        frozenset({"c"}),
        Breadth.SOURCES,
        history=True,
        top="b",
    )
    assert from_json(read.to_json()) == read
    assert from_json("{") is None
    assert from_json('{"opened": []}') is None
