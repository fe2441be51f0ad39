"""The state directory has no room, cannot be written or vanishes: words and status 5, and later the same culprit."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.faults.conftest import Scene

SIZE = 64 << 20
STEP = 120
"""KiB; a hunt takes some seven of these."""
SCRIPT = """
fallocate -l $(($(df --output=avail -k "$BISECTOR_STATE" | tail -1) - $1))KiB "$BISECTOR_STATE/ballast"
"$2" -m bisector run recipe.yaml --json >first.out 2>first.err; echo $? >first.status
rm "$BISECTOR_STATE/ballast"
"$2" -m bisector run recipe.yaml --json >second.out 2>second.err; echo $? >second.status
cp -r "$BISECTOR_STATE" kept
"""


def _in_little_room(scene: Scene, room: int) -> None:
    """Two runs on a file system of their own: with so many KiB free, and with enough."""
    fence = ["bwrap", "--dev-bind", "/", "/", "--size", str(SIZE), "--tmpfs", str(scene.state)]
    command = [*fence, "sh", "-c", SCRIPT, "sh", str(room), sys.executable]
    scene.state.mkdir()
    subprocess.run(command, cwd=scene.folder, env=scene.machine, check=True, timeout=180)
    scene.state.rmdir()
    (scene.folder / "kept").rename(scene.state)


@pytest.mark.parametrize("number", range(5))
def test_a_full_disk(number: int, scene: Scene) -> None:
    room = random.Random(number).randrange(number * STEP, (number + 1) * STEP)
    _in_little_room(scene, room)
    first, second = scene.told("first"), scene.told("second")
    assert "defect" not in first.err + second.err
    assert first.status == 5, first.err
    assert "bisector: " in first.err, "not a word"
    scene.is_right(second)
    scene.is_clean()


def test_a_state_directory_that_vanishes(scene: Scene) -> None:
    """In the middle of a trial, all of it: nothing is claimed, and the same command begins anew."""
    begun = scene.begins()
    scene.waits_for_trials(begun, 2)
    scene.state.rename(scene.folder / "taken")
    ended = scene.ends(begun)
    assert ended.status == 5, ended.err
    assert "bisector: " in ended.err
    assert "defect" not in ended.err
    scene.is_right(scene.runs())
    scene.is_clean()
