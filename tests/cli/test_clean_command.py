"""`bisector clean`: what nobody uses goes; a hunt under way loses nothing."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.conftest import Typing
    from tests.conftest import Repository


def folders(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir() if path.is_dir()) if place.is_dir() else []


def bytes_below(place: Path) -> int:
    return sum(path.lstat().st_size for path in place.rglob("*") if path.is_file())


@contextmanager
def waiting(bisector: Typing, recipe: str, hint: Path) -> Iterator[subprocess.Popen[str]]:
    """A hunt that waits in its first trial."""
    running = bisector.begin("run", recipe)
    give_up = time.monotonic() + 60
    try:
        while not hint.exists():
            assert time.monotonic() < give_up
            assert running.poll() is None, running.communicate()
            time.sleep(0.1)
        yield running
    finally:
        running.kill()
        running.communicate()


def test_what_is_not_in_use_goes_and_results_stay(bisector: Typing, source: Repository, plain: str) -> None:
    recipe = bisector.recipe(plain)
    assert bisector("run", "-q", recipe).status == 0
    [mirror] = folders(bisector.state / "mirrors")
    slot = bisector.state / "mirrors" / mirror / "slots" / "0"
    assert (slot / "tree" / "state").exists()
    assert folders(bisector.state / "environments" / "layers")
    count = len(folders(slot.parent))
    answer = bisector("clean")
    assert answer.status == 0
    assert answer.out.startswith("freed ")
    assert f", {count} worktree{'s' if count > 1 else ''}\n" in answer.out
    assert not slot.exists()
    assert not folders(bisector.state / "environments" / "layers")
    assert folders(bisector.state / "mirrors") == [mirror]
    again = bisector("run", "--json", recipe)
    assert again.status == 0
    assert "is finished" in again.err
    assert bisector("run", "-q", "--fresh", recipe).status == 0


def test_all_gives_back_what_the_records_took(bisector: Typing, plain: str) -> None:
    assert bisector("run", "-q", bisector.recipe(plain)).status == 0
    path = bisector.state / "records.sqlite3"
    with closing(sqlite3.connect(path)) as database, database:
        (hunt,) = database.execute("SELECT id FROM hunts").fetchone()
        for _ in range(500):
            row = (hunt, "0", "0", "search", "x" * 10_000)
            database.execute(
                "INSERT INTO trials (hunt, commit_sha, key, purpose, facts) VALUES (?, ?, ?, ?, ?)", row
            )
    before = path.stat().st_size
    assert "unused space" in bisector("clean", "--all", "--yes").err
    assert path.stat().st_size < before / 10


def test_all_takes_finished_hunts_and_mirrors_too(bisector: Typing, plain: str) -> None:
    assert bisector("run", "-q", bisector.recipe(plain)).status == 0
    before = bytes_below(bisector.state)
    answer = bisector("clean", "--all", "--yes")
    assert answer.status == 0
    assert "1 hunt" in answer.out
    assert "1 mirror" in answer.out
    assert bisector("status", "--json").json["hunts"] == []
    assert not folders(bisector.state / "mirrors")
    assert not folders(bisector.state / "hunts")
    assert bytes_below(bisector.state) < before / 2


def test_all_asks_and_without_a_terminal_wants_yes(bisector: Typing, plain: str) -> None:
    assert bisector("run", "-q", bisector.recipe(plain)).status == 0
    answer = bisector("clean", "--all")
    assert answer.status == 2
    assert "--yes" in answer.err
    assert folders(bisector.state / "mirrors")


def test_a_hunt_under_way_loses_nothing(
    bisector: Typing, source: Repository, plain: str, recipe_of: Callable[..., str], tmp_path: Path
) -> None:
    go, hint = tmp_path / "go", tmp_path / "hint"
    repro = f"'touch {hint}; while ! test -e {go}; do sleep 0.1; done; grep -q good state'"
    slow = bisector.recipe(recipe_of(repro=f"{{run: {repro}, cwd: tree}}"))
    assert bisector("run", "-q", bisector.recipe(plain, "other.yaml")).status == 0
    with waiting(bisector, slow, hint) as running:
        answer = bisector("clean", "--all", "--yes")
        assert answer.status == 0
        assert "1 hunt" in answer.out
        assert "mirror" not in answer.out
        go.touch()
        out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert source[7] in out


def test_an_interrupted_hunt_can_go_on_after_clean_but_not_after_all(
    bisector: Typing, recipe_of: Callable[..., str], tmp_path: Path
) -> None:
    hint = tmp_path / "hint"
    recipe = bisector.recipe(recipe_of(repro=f"touch {hint}; sleep 300", limits="{timeout: 5m}"))
    with waiting(bisector, recipe, hint) as running:
        running.send_signal(signal.SIGKILL)
        running.wait(timeout=30)
    assert bisector("clean").status == 0
    hunts = bisector("status", "--json").json["hunts"]
    assert isinstance(hunts, list)
    assert len(hunts) == 1
    assert bisector("clean", "--all", "--yes").status == 0
    assert bisector("status", "--json").json["hunts"] == []


def test_what_a_killed_try_left_goes(bisector: Typing, plain: str) -> None:
    left = bisector.state / "tries" / "0123abcd" / "scratch"
    left.mkdir(parents=True)
    (left / "file").write_text("x" * 10_000)
    assert bisector("clean").status == 0
    assert not folders(bisector.state / "tries")


def test_nothing_to_free(bisector: Typing) -> None:
    answer = bisector("clean")
    assert (answer.status, answer.out) == (0, "freed 0 B\n")
