"""kill -9 at every state change and at random instants: the same command goes on to the same culprit."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.faults.conftest import Identity, Scene

THOROUGH = os.environ.get("BISECTOR_FAULTS", "")
"""A number of random instants, or empty for as many as CI has time for."""
INSTANTS = int(THOROUGH or 24)
HUNTS = 4
"""Different hunts that the instants are spread over."""


def _with_dependency(scene: Scene) -> None:
    wheels = scene.puts_wheel()
    scene.writes(
        dependencies=f"{{requirements: [helping], index: [{{find-links: '{wheels}'}}]}}",
        repro="{run: 'python -c \"import tool, helping\" && grep -q good state', cwd: tree}",
    )


@pytest.mark.parametrize("number", range(HUNTS))
def test_killed_at_random_instants(number: int, scene: Scene) -> None:
    """Killed again and again; what was on record before a life is on record after it, in the same order.

    A hunt that comes to its end is looked at and forgotten; the instants that are left are those of another.
    """
    dice = random.Random(number)
    if number % 2:
        _with_dependency(scene)
    options = ("--jobs", "2") if number == HUNTS - 1 else ()
    known: list[Identity] = []
    killed = 0
    while killed < INSTANTS // HUNTS:
        # At first a life is over before the imports are, later in the middle of anything.
        if scene.is_killed_after(dice.uniform(0.2, 2.5), *options):
            killed += 1
            scene.is_alone()
            now = scene.made()
            assert now[: len(known)] == known, "a record was lost"
            known = now
        else:
            scene.is_right(scene.runs(*options))
            scene.is_clean()
            scene.forgets()
            known = []
    scene.is_right(scene.runs(*options))
    scene.is_clean()


@pytest.mark.parametrize("kinds", ["PhaseBegan TrialEnded Ended"])
def test_killed_at_every_state_change(kinds: str, scene: Scene) -> None:
    """Each life ends at the first change that no life before it has seen: a trial is on record, git not told."""
    if THOROUGH:
        kinds = f"{kinds} Note Began TrialBegan StepBegan"
    lives = 0
    while scene.dies_at(kinds):
        lives += 1
        scene.is_alone()
    assert lives == len(scene.seen.read_text().splitlines()) >= 12
    scene.is_right(scene.runs())
    scene.is_clean()


def test_killed_between_the_last_event_and_the_account(scene: Scene) -> None:
    scene.is_right(scene.runs())
    trials = scene.made()
    with closing(sqlite3.connect(scene.records)) as database, database:
        database.execute("UPDATE hunts SET account = NULL")
    scene.is_right(scene.runs())
    assert scene.made() == trials
