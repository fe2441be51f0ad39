"""Whoever wants bisector to end has it end in order; whoever only holds it has it go on."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from typing import TYPE_CHECKING

import psutil
import pytest

if TYPE_CHECKING:
    from tests.faults.conftest import Scene

SLOW = "{run: 'python -c \"import tool\" && sleep 0.4 && grep -q good state', cwd: tree}"
"""A repro that is likely to be caught in the middle."""


@pytest.mark.parametrize(("number", "times"), [(signal.SIGTERM, 1), (signal.SIGHUP, 1), (signal.SIGINT, 2)])
def test_a_signal_ends_the_hunt_and_the_same_command_goes_on(
    number: signal.Signals, times: int, scene: Scene
) -> None:
    scene.writes(repro=SLOW)
    begun = scene.begins()
    scene.waits_for_trials(begun, 2)
    for _ in range(times):
        begun.send_signal(number)
    ended = scene.ends(begun)
    assert ended.status == 130, ended.err
    assert "Traceback" not in ended.err
    scene.goes_on()


def test_a_terminal_that_is_closed(scene: Scene) -> None:
    """Nobody can be told any more: writing fails, and the kernel sends SIGHUP to whom the terminal belongs."""
    scene.writes(repro=SLOW)
    ours, theirs = pty.openpty()
    begun = scene.begins(stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    scene.waits_for_trials(begun, 1)
    os.close(ours)
    begun.send_signal(signal.SIGHUP)
    begun.wait(90)
    scene.goes_on()


def test_under_nohup_a_terminal_may_close(scene: Scene) -> None:
    scene.writes(repro=SLOW)
    begun = scene.begins(before=["nohup"])
    scene.waits_for_trials(begun, 1)
    begun.send_signal(signal.SIGHUP)
    scene.is_right(scene.ends(begun))
    scene.is_clean()


def test_bisector_that_is_stopped_and_continued(scene: Scene) -> None:
    scene.writes(repro=SLOW)
    begun = scene.begins()
    scene.waits_for_trials(begun, 1)
    begun.send_signal(signal.SIGSTOP)
    with pytest.raises(subprocess.TimeoutExpired):
        begun.wait(2)
    assert psutil.Process(begun.pid).status() == psutil.STATUS_STOPPED
    begun.send_signal(signal.SIGCONT)
    scene.is_right(scene.ends(begun))
    scene.is_clean()
