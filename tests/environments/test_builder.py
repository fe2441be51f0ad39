"""A build's interpreter that starts before its tree is there: what it makes is what another one would have made."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from bisector.beside import Follower
from bisector.caps import choose, survey
from bisector.environments import Builder, Place, Ready
from bisector.model import InstallMode, Limits, Trouble, Untestable
from bisector.process import Finished

from .conftest import PROJECT, Lab
from .test_caged import Caged

SETUP = """
import os, sys
from setuptools import setup
folder = os.getcwd()
setup(
    name="proj", version=open("VERSION").read(), packages=["proj"],
    description=sys.orig_argv[-1].rpartition("/")[2] + (" here" if os.environ.get("PWD") == folder else ""),
    keywords=["fed" if sys.stdin.read() else "silent"],
)
"""
FILES = {"setup.py": SETUP, "VERSION": "1", "proj/__init__.py": "value = 1\n"}
TOLD = (
    "import importlib.metadata as m; said = m.metadata('proj'); "
    "print(said['Version'], said['Summary'], said['Keywords'])"
)
PATIENCE = 60
EXPECTED, ALONE = "setuptools.build_meta here silent", "answer.json here silent"
"""Which of the two built it, where, and whether anything was left to read."""


def piped(
    argv: Sequence[str | Path],
    cwd: Path,
    env: Mapping[str, str],
    timeout: float | None,
    writable: tuple[Path, ...],
    readable: tuple[Path, ...],
    stdin: int | None = None,
) -> Finished:
    """Started at once, whatever there is to read."""
    said, is_over = b"", False
    with subprocess.Popen(
        list(map(str, argv)),
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as child:
        try:
            said, _ = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            is_over = True
            child.kill()
    status = child.returncode
    return Finished(
        exit_status=status if status >= 0 else None,
        signal=-status if status < 0 else None,
        timed_out=is_over,
        cancelled=False,
        seconds=0.0,
        stdout_bytes=said,
    )


@contextmanager
def expecting(lab: Lab, place: Place | None = None) -> Iterator[Builder | None]:
    """As a trial does, with a `cancelled` of its own."""
    place = place or replace(lab.place(), runner=piped)
    with lab.current.expecting(replace(place, cancelled=Follower(place.cancelled))) as builder:
        yield builder


def waiting() -> list[psutil.Process]:
    """Those that have imported what they could."""
    return [one for one in psutil.Process().children(recursive=True) if _waits(one)]


def _waits(one: psutil.Process) -> bool:
    # Children come and go.
    with suppress(psutil.NoSuchProcess):
        return one.name() == "python" and one.cmdline()[-1:] == ["setuptools.build_meta"]
    return False


def until_it_waits() -> psutil.Process:
    limit = time.monotonic() + PATIENCE
    while not (found := waiting()) or found[0].status() != psutil.STATUS_SLEEPING:
        assert time.monotonic() < limit
        time.sleep(0.01)
    return found[0]


def built(lab: Lab, commit: str, builder: Builder | None, **more: object) -> Ready | Untestable | Trouble:
    lab.repo.checkout(commit)
    place = replace(lab.place(), builder=builder, runner=piped)
    return lab.current.prepare(lab.request(commit, **more), place)  # type: ignore[arg-type]


def two(lab: Lab) -> tuple[str, str]:
    """The first one is built: another build is to be expected."""
    first, second = lab.repo.commit(FILES), lab.repo.commit({"VERSION": "2"})
    assert lab.say(lab.ready(first), TOLD) == f"1 {ALONE}"
    return first, second


def test_it_builds_the_tree_that_is_laid_out_after_it_has_started(lab: Lab) -> None:
    _, second = two(lab)
    with expecting(lab) as builder:
        until_it_waits()
        made = built(lab, second, builder)
    assert isinstance(made, Ready)
    assert lab.say(made, TOLD) == f"2 {EXPECTED}"


def test_what_it_has_read_is_what_another_one_reads(lab: Lab, tmp_path: Path) -> None:
    """By that the install is found again: for this commit, and for none that reads otherwise."""
    _, second = two(lab)
    with expecting(lab) as builder:
        until_it_waits()
        made = built(lab, second, builder)
    assert isinstance(made, Ready)
    other = Lab(lab.root, lab.repo, lab.environ, lab.wheels)
    other.root = tmp_path / "other"
    alone = other.ready(second)
    assert other.say(alone, TOLD) == f"2 {ALONE}"
    assert [path.name for path in alone.readable] == [path.name for path in made.readable]
    for opened in other.environments:
        opened.close()


def test_without_a_job_it_ends_and_leaves_nothing(lab: Lab) -> None:
    two(lab)
    place = replace(lab.place(), runner=piped)
    with expecting(lab, place) as builder:
        assert builder is not None
        until_it_waits()
        builder.let_go()
    assert not waiting()
    assert not [*place.scratch.iterdir()]


def test_nobody_is_expected_where_the_last_install_was_found_again(lab: Lab) -> None:
    first, _ = two(lab)
    lab.ready(first)
    with expecting(lab) as builder:
        assert builder is None


@pytest.mark.parametrize(
    ("files", "more"),
    [(PROJECT, {}), (FILES, {"build": ("true",)})],
    ids=["a backend that may read as it is imported", "a step may change what it would import"],
)
def test_nobody_is_expected_where_it_might_see_too_little(
    lab: Lab, files: Mapping[str, str], more: Mapping[str, object]
) -> None:
    lab.ready(lab.repo.commit(files), **more)  # type: ignore[arg-type]
    with expecting(lab) as builder:
        assert builder is None


@pytest.mark.parametrize("mode", [InstallMode.EDITABLE, InstallMode.WHEEL])
def test_it_does_no_build_but_the_kind_it_was_made_for(lab: Lab, mode: InstallMode) -> None:
    _, second = two(lab)
    with expecting(lab) as builder:
        until_it_waits()
        lab.repo.checkout(second)
        place = replace(lab.place(), builder=builder, runner=piped)
        made = lab.current.prepare(lab.request(second, mode), place)
    assert isinstance(made, Ready)
    assert lab.say(made, TOLD) == f"2 {EXPECTED if mode is InstallMode.EDITABLE else ALONE}"


def test_one_that_has_died_is_not_missed(lab: Lab) -> None:
    _, second = two(lab)
    with expecting(lab) as builder:
        until_it_waits().send_signal(signal.SIGKILL)
        while waiting():
            time.sleep(0.01)
        made = built(lab, second, builder)
    assert isinstance(made, Ready)
    assert lab.say(made, TOLD) == f"2 {ALONE}"


DIES = """
import os, sys
if sys.orig_argv[-1] == "setuptools.build_meta":
    os.kill(os.getpid(), 9)
"""


def test_what_it_fails_at_is_tried_by_one_that_starts_then(lab: Lab) -> None:
    two(lab)
    third = lab.repo.commit({"VERSION": "3", "setup.py": DIES + SETUP})
    with expecting(lab) as builder:
        made = built(lab, third, builder)
    assert isinstance(made, Ready)
    assert lab.say(made, TOLD) == f"3 {ALONE}"


def test_who_hangs_would_hang_again(lab: Lab) -> None:
    first = lab.repo.commit(FILES)
    second = lab.repo.commit({"setup.py": "import time\ntime.sleep(600)\n"})
    lab.repo.checkout(first)
    assert isinstance(lab.prepare(first, timeout=8.0), Ready)
    with expecting(lab) as builder:
        made = built(lab, second, builder, timeout=8.0)
        assert builder is not None
        assert builder.was_told
    assert isinstance(made, Untestable)
    assert made.reason == "build failed: its build took longer than install_timeout"
    assert (lab.root / "log").read_text().count("hook.py") == 2


def test_a_build_that_fails_alone_as_well_has_failed(lab: Lab) -> None:
    two(lab)
    third = lab.repo.commit({"setup.py": "raise SystemExit('not today')\n"})
    with expecting(lab) as builder:
        made = built(lab, third, builder)
    assert isinstance(made, Untestable)
    assert "not today" in made.reason
    with expecting(lab) as builder:
        assert builder is None


def test_a_failure_that_it_had_no_part_in_is_believed_at_once(lab: Lab) -> None:
    two(lab)
    third = lab.repo.commit({"setup.py": "raise SystemExit('not today')\n"})

    def attempts(builder: Builder | None) -> int:
        lab.repo.checkout(third)
        before = (lab.root / "log").read_text()
        place = replace(lab.place(), builder=builder, beside=None, runner=piped)
        made = lab.current.prepare(lab.request(third, InstallMode.WHEEL), place)
        assert isinstance(made, Untestable)
        return (lab.root / "log").read_text().removeprefix(before).count("hook.py")

    with expecting(lab) as builder:
        until_it_waits()
        with_one = attempts(builder)
    lab.open()
    assert with_one == attempts(None)


def test_one_that_sees_another_folder_builds_nothing(lab: Lab) -> None:
    """A cage shows what lay there when it was made, whatever took its place."""
    _, second = two(lab)
    cage = choose(survey(os.environ["PATH"]), Limits(), sandbox=True, best_effort=True)
    place = replace(lab.place(), runner=Caged(cage, lab.root / "caged.log"))
    with expecting(lab, place) as builder:
        until_it_waits()
        lab.repo.tree.rename(lab.repo.tree.with_name("old"))
        subprocess.run(["cp", "-a", lab.repo.tree.with_name("old"), lab.repo.tree], check=True)
        made = built(lab, second, builder)
    assert isinstance(made, Ready)
    assert "is another folder now" in (lab.root / "log").read_text()
    assert lab.say(made, TOLD) == f"2 {ALONE}"
