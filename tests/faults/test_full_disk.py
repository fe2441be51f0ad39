"""The state directory has no room, cannot be written or vanishes: words and status 5, and later the same culprit."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.faults.conftest import Scene

SIZE = 64 << 20
MOST = 600
"""KiB; a hunt takes some half more."""
ROOMS = int(os.environ.get("BISECTOR_FAULTS") or 5)
"""How many amounts of room are tried between nothing and that: each is filled up at another instant."""
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


@pytest.mark.parametrize("number", range(ROOMS))
def test_a_full_disk(number: int, scene: Scene) -> None:
    room = (number + random.Random(number).random()) * MOST / ROOMS
    _in_little_room(scene, int(room))
    first, second = scene.told("first"), scene.told("second")
    assert "defect" not in first.err + second.err
    assert first.status == 5, first.err
    assert "bisector: " in first.err, "not a word"
    scene.is_right(second)
    scene.is_clean()


def test_a_state_directory_that_cannot_be_written_any_more(scene: Scene) -> None:
    """Read-only from one life to the next, as the kernel makes it after an error of the disk: nothing is lost."""
    begun = scene.begins()
    scene.waits_for_trials(begun, 2)
    begun.kill()
    scene.ends(begun)
    scene.is_alone()
    trials = scene.made()
    sealed = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(scene.state), str(scene.state)]
    ended = scene.ends(scene.begins(before=sealed))
    assert ended.status == 5, ended.err
    assert f"bisector: cannot write to the state directory {scene.state}: Read-only" in ended.err
    assert "defect" not in ended.err
    assert scene.made() == trials
    scene.goes_on()


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
