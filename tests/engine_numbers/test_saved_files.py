"""What a run saved: kept beside the log, compared once, in a process that is bounded."""

from __future__ import annotations

import json
import os
from datetime import datetime, timezone
from pathlib import Path

import pytest

from bisector.engine.comparing import Comparer, compared
from bisector.model import Purpose, Ran, Run, Trial
from bisector.oracles.finding import Alike, Apart, Incomparable, IsTheReference
from bisector.recipe.schema import Compare
from bisector.trial.saving import LARGEST, save

RAN = Run(0, None, None, 0.1, 0.1, None, "", 0)
HOW = Compare("out.json", rtol=0.0, atol=0.1)


def saved(path: Path, value: object) -> Run:
    path.write_text(json.dumps(value))
    return Run(0, None, None, 0.1, 0.1, None, "", 0, saved=str(path))


def test_a_file_is_moved_away_before_the_next_run(tmp_path: Path) -> None:
    (tmp_path / "run" / "deep").mkdir(parents=True)
    (tmp_path / "run" / "deep" / "out.json").write_text("1")
    kept = save(RAN, "deep/out.json", tmp_path / "run", tmp_path / "0001-abc-end-0")
    assert kept.saved == str(tmp_path / "0001-abc-end-0.json")
    assert Path(kept.saved).read_text() == "1"
    again = save(RAN, "deep/out.json", tmp_path / "run", tmp_path / "0001-abc-end-1")
    assert (again.saved, again.unsaved) == (None, "deep/out.json was not saved")


@pytest.mark.parametrize("kind", ["a link", "a folder that is a link", "a pipe", "a folder", "too large"])
def test_what_is_no_plain_file_is_not_kept(tmp_path: Path, kind: str) -> None:
    cwd, outside = tmp_path / "run", tmp_path / "outside"
    for folder in (cwd, outside):
        folder.mkdir()
    (outside / "out.json").write_text("secret")
    name = "out.json"
    match kind:
        case "a link":
            (cwd / name).symlink_to(outside / "out.json")
        case "a folder that is a link":
            (cwd / "deep").symlink_to(outside)
            name = "deep/out.json"
        case "a pipe":
            os.mkfifo(cwd / name)
        case "a folder":
            (cwd / name).mkdir()
        case _:
            (cwd / name).touch()
            os.truncate(cwd / name, LARGEST + 1)
    kept = save(RAN, name, cwd, tmp_path / "kept")
    assert kept.saved is None
    assert kept.unsaved
    assert (outside / "out.json").read_text() == "secret"


def test_the_working_ends_first_file_is_the_reference(tmp_path: Path) -> None:
    comparer = Comparer(HOW, working="w")
    first, second, other = (
        saved(tmp_path / f"{name}.json", value) for name, value in (("a", 1.0), ("b", 1.05), ("c", 2.0))
    )
    assert comparer.comparisons(Ran((other,))) == ()
    began = datetime(2024, 1, 1, tzinfo=timezone.utc)
    end = Ran((first, second))
    comparer.learn(Trial("w", "key", Purpose.END, began, end, None, 0, 0, 0, 0, "log"))
    reference, alike = comparer.comparisons(end)
    assert isinstance(reference, IsTheReference) and isinstance(alike, Alike)
    (apart,) = comparer.comparisons(Ran((other,)))
    assert isinstance(apart, Apart) and "error 1" in apart.reason
    assert comparer.comparisons(Ran((RAN,))) == (Incomparable("out.json was not kept"),)


def test_a_comparison_is_made_once(tmp_path: Path) -> None:
    comparer = Comparer(HOW, reference=str(tmp_path / "a.json"))
    saved(tmp_path / "a.json", 1.0)
    ran = Ran((saved(tmp_path / "b.json", 1.05),))
    once = comparer.comparisons(ran)
    (tmp_path / "b.json").write_text("[9]")
    assert comparer.comparisons(ran) == once
    assert isinstance(once[0], Alike)


def test_what_cannot_be_read_says_so(tmp_path: Path) -> None:
    saved(tmp_path / "a.json", 1.0)
    (tmp_path / "b.json").write_text("{" * 10)
    said = compared(str(tmp_path / "b.json"), str(tmp_path / "a.json"), HOW)
    assert isinstance(said, Incomparable) and "not JSON" in said.reason
    gone = compared(str(tmp_path / "gone.json"), str(tmp_path / "a.json"), HOW)
    assert isinstance(gone, Incomparable)


def test_a_comparison_that_wants_too_much_memory_ends(tmp_path: Path) -> None:
    saved(tmp_path / "a.json", [1.0] * 2_000_000)
    said = compared(str(tmp_path / "a.json"), str(tmp_path / "a.json"), HOW, memory=64 << 20)
    assert isinstance(said, Incomparable) and "could not be compared" in said.reason
