"""Hunts that run the repro several times a trial: it fails at some of the runs only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.engine_numbers.conftest import Laboratory

FOUND, ENDPOINTS = 0, 4
TAPE = """
import pathlib, lib
place = pathlib.Path("run")
run = int(place.read_text()) if place.exists() else 0
place.write_text(str(run + 1))
step = lib.TAPE[run % len(lib.TAPE)]
if step == "F": raise ValueError("the one that is hunted")
if step == "O": raise KeyError("another one")
"""
"""What a run does is written in the commit: works (.), fails (F), fails otherwise (O)."""


def tapes(*tape: str) -> list[str]:
    return [f"TAPE = {one!r}\n" for one in tape]


def test_a_failure_at_every_third_run(laboratory: Laboratory) -> None:
    sources = tapes("...", "...", "...", "..F", "..F")
    hunted = laboratory.hunt(laboratory.project(5, lambda number: sources[number - 1]), TAPE, "runs: 3")
    assert (hunted.status, hunted.culprit) == (FOUND, 4)
    assert hunted.said(3) == "good: works 3 of 3: exit 0"
    assert hunted.said(4).startswith("bad: fails 1 of 3: ")


def test_runs_end_with_the_failure_that_decides(laboratory: Laboratory) -> None:
    sources = tapes("." * 9, "F" + "." * 8, "F" + "." * 8, ".F.F.....", ".F.F.....")
    project = laboratory.project(5, lambda number: sources[number - 1])
    hunted = laboratory.hunt(project, TAPE, "runs: {max: 8, bad_after: 2}")
    assert (hunted.status, hunted.culprit) == (FOUND, 4)
    assert hunted.said(4).startswith("bad: fails 2 of 4: ")
    assert hunted.said(3) == "good: fails 1 of 8, fewer than 2"


def test_another_failure_does_not_end_the_runs(laboratory: Laboratory) -> None:
    sources = tapes("....", "....", "OO.F", "FFFF")
    project = laboratory.project(4, lambda number: sources[number - 1])
    hunted = laboratory.hunt(project, TAPE, "runs: {max: 4, bad_after: 1}")
    assert (hunted.status, hunted.culprit) == (FOUND, 3)
    assert hunted.said(3).startswith("bad: fails 1 of 4: ")


def test_too_few_failures_at_the_failing_end(laboratory: Laboratory) -> None:
    sources = tapes("....", "....", "F...")
    project = laboratory.project(3, lambda number: sources[number - 1])
    hunted = laboratory.hunt(project, TAPE, "runs: {max: 4, bad_after: 2}")
    assert hunted.status == ENDPOINTS
    assert "does not fail as said: fails 1 of 4, fewer than 2" in hunted.words
