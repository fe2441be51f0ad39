"""The records are locked, damaged or gone, and the clock lies: the hunt goes on, or says why not."""

from __future__ import annotations

import re
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bisector.engine import which
from bisector.errors import ExitStatus, MachineFault
from bisector.recipe.load import load
from bisector.recipe.source import RecipeText
from bisector.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.conftest import Scene


def _overwrite(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def _break_the_middle(path: Path) -> None:
    """All of its tables are garbage, its head is not."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    content[200:] = bytes(number % 251 for number in range(len(content) - 200))
    path.write_bytes(content)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _lose(path: Path) -> None:
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()


DAMAGES = [_overwrite, _break_the_middle, _cut, _lose]


def test_records_of_the_first_format_are_gone_on_with(scene: Scene) -> None:
    """That knew no `fresh`. What is on record stays, in its order."""
    assert scene.dies_at("TrialEnded", 4)
    trials = scene.made()
    with closing(sqlite3.connect(scene.records)) as database, database:
        database.execute("ALTER TABLE hunts DROP COLUMN fresh")
        database.execute("PRAGMA user_version = 1")
    ended = scene.runs()
    scene.is_right(ended)
    assert scene.made()[:4] == trials
    assert "records" not in ended.err
    scene.is_clean()


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_records_are_set_aside_and_made_again(damage: Callable[[Path], None], scene: Scene) -> None:
    assert scene.dies_at("TrialEnded", 4)
    trials = scene.made()
    assert len(trials) == 4
    damage(scene.records)
    ended = scene.runs()
    scene.is_right(ended)
    assert scene.made()[:4] == trials
    assert re.search(r"records .* were (gone|damaged .*damaged-1); .*: 1$", ended.err, re.MULTILINE)
    assert scene.records.with_name("records.sqlite3.damaged-1").exists() is (damage is not _lose)


def test_a_finished_hunt_whose_records_are_damaged_is_finished_still(scene: Scene) -> None:
    first = scene.runs()
    scene.is_right(first)
    trials = scene.made()
    _overwrite(scene.records)
    second = scene.runs()
    assert (second.status, second.out) == (0, first.out)
    assert "is finished" in second.err
    assert scene.made() == trials


def test_a_trial_that_only_the_journal_has_is_not_made_again(scene: Scene) -> None:
    """As after a kill between the journal and the database; half a line behind it is no trial."""
    assert scene.dies_at("TrialEnded", 3)
    trials = scene.made()
    with closing(sqlite3.connect(scene.records)) as database, database:
        database.execute("DELETE FROM trials WHERE seq = (SELECT max(seq) FROM trials)")
    (journal,) = scene.state.glob("hunts/*/trials.jsonl")
    with journal.open("a") as file:
        file.write('{"commit": "half a')
    scene.is_right(scene.runs())
    assert scene.made()[:3] == trials
    lines = journal.read_text().splitlines()
    assert len(lines) == len(scene.made()) + 1


def test_who_holds_the_records_for_a_while_is_waited_for(scene: Scene) -> None:
    assert scene.dies_at("TrialEnded", 3)
    with closing(sqlite3.connect(scene.records, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        begun = scene.begins()
        with pytest.raises(subprocess.TimeoutExpired):
            begun.wait(4)
        other.execute("COMMIT")
    scene.is_right(scene.ends(begun))


def test_who_holds_the_records_for_too_long_is_named(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "records.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(MachineFault, match="locked by another process") as raised:
            open_store(tmp_path, patience=0.2)
    assert raised.value.status is ExitStatus.FAILED


def test_the_newest_hunt_is_the_last_one_begun_whatever_the_clock_said(scene: Scene, tmp_path: Path) -> None:
    """A clock that jumps back: the first hunt seems to be of tomorrow."""
    recipe = load(scene.recipe.read_text(), "recipe.yaml", (), tmp_path)
    written = RecipeText(scene.recipe.read_text(), "recipe.yaml", str(tmp_path), ())
    with closing(open_store(scene.state)) as store:
        which.create(store, recipe, written, "somewhere")
        with closing(sqlite3.connect(scene.records)) as database, database:
            database.execute("UPDATE hunts SET created = '2999-01-01T00:00:00+00:00'")
        second = which.create(store, recipe, written, "somewhere")
        assert which.find(store, recipe) == second
