"""`bisector status`: hunts finished, under way and killed, told alike to people and programs."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Typing
    from tests.conftest import Repository

Hunt = dict[str, object]


def hunts(bisector: Typing) -> list[Hunt]:
    return cast("list[Hunt]", bisector("status", "--json").json["hunts"])


@contextmanager
def hunting(bisector: Typing, recipe: str) -> Iterator[subprocess.Popen[str]]:
    """A hunt whose first trial is under way."""
    running = bisector.begin("run", recipe)
    try:
        _until(lambda: running.poll() is not None or any(one["running"] for one in hunts(bisector)))
        assert running.poll() is None
        yield running
    finally:
        running.kill()
        running.communicate()


def _until(holds: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.1)


def test_nothing_on_record(bisector: Typing) -> None:
    answer = bisector("status")
    assert (answer.status, answer.out) == (0, "")
    assert "no hunt is on record" in answer.err


@pytest.mark.parametrize("words", [["status"], ["report", "12345678"], ["doctor"]])
def test_who_only_looks_makes_nothing(bisector: Typing, words: list[str]) -> None:
    bisector(*words)
    assert not bisector.state.exists()
    bisector.state.mkdir()
    bisector(*words)
    assert list(bisector.state.iterdir()) == []


def test_a_finished_hunt(bisector: Typing, source: Repository, plain: str) -> None:
    assert bisector("run", "-q", bisector.recipe(plain)).status == 0
    [hunt] = hunts(bisector)
    assert (hunt["standing"], hunt["outcome"], hunt["culprit"]) == ("finished", "found", source[7])
    table = bisector("status")
    assert [row.split()[:3] for row in table.out.splitlines()] == [
        ["hunt", "state", "culprit"],
        [hunt["hunt"], "found", source[7][:10]],
    ]
    assert "kept: " in table.err
    name = str(hunt["hunt"])
    details = bisector("status", name[:4])
    assert f"v1.0 = {source[1][:10]}" in details.out
    assert details.out.endswith(f"bisector report {name}\n")
    watched = bisector("status", "--watch", name)
    assert watched.status == 0
    assert "recipe: found" in watched.out


def test_a_hunt_under_way_then_killed(bisector: Typing, recipe_of: Callable[..., str]) -> None:
    recipe = bisector.recipe(recipe_of(repro="sleep 300", limits="{timeout: 5m}"))
    with hunting(bisector, recipe) as running:
        _until(lambda: any(int(cast("int", one["memory"] or 0)) > 0 for one in hunts(bisector)))
        [hunt] = hunts(bisector)
        assert (hunt["standing"], hunt["phase"], hunt["pid"]) == ("running", "ends", running.pid)
        assert hunt["commits_left"] == 11
        shown = bisector("status", str(hunt["hunt"])).out
        assert "proving both ends, 11 commits left" in shown
        assert "bad end: commit 12" in shown
    [hunt] = hunts(bisector)
    assert (hunt["standing"], hunt["pid"]) == ("killed", None)
    after = bisector("status", str(hunt["hunt"])).out
    assert "its process is gone" in after
    assert f"to go on: bisector run {recipe}" in after


def test_watching_ends_with_the_hunt(bisector: Typing, recipe_of: Callable[..., str]) -> None:
    recipe = bisector.recipe(recipe_of(repro="sleep 300", limits="{timeout: 5m}"))
    with hunting(bisector, recipe) as running:
        watching = bisector.begin("status", "--watch")
        assert watching.stdout is not None
        assert "proving both ends" in watching.stdout.readline()
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 130
        out, _ = watching.communicate(timeout=30)
    assert watching.returncode == 0
    assert "recipe: interrupted" in out
    assert f"to go on: bisector run {recipe}" in out


def test_a_later_process_with_the_same_number_is_not_the_hunt(
    bisector: Typing, recipe_of: Callable[..., str]
) -> None:
    with hunting(bisector, bisector.recipe(recipe_of(repro="sleep 300", limits="{timeout: 5m}"))):
        [hunt] = hunts(bisector)
    now = bisector.state / "hunts" / str(hunt["hunt"]) / "now.json"
    now.write_text(now.read_text().replace(f'"pid": {hunt["pid"]}', f'"pid": {os.getpid()}'))
    os.utime(now, (1, 1))
    assert hunts(bisector)[0]["standing"] == "killed"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nosuch",), "no hunt 'nosuch' is on record"),
        (("--watch", "--json"), "--watch draws for people"),
        (("--watch", "nosuch"), "no hunt 'nosuch' is on record"),
    ],
)
def test_what_cannot_be_shown(bisector: Typing, words: tuple[str, ...], said: str) -> None:
    answer = bisector("status", *words)
    assert answer.status == 2
    assert said in answer.err


def test_watching_nothing(bisector: Typing) -> None:
    answer = bisector("status", "--watch")
    assert (answer.status, answer.out) == (0, "")
    assert "no hunt is under way" in answer.err
