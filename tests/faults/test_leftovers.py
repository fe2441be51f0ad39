"""Repros and builds that leave all they can behind: nothing of it is there after the hunt, nor after a kill."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.faults.conftest import Scene

LITTER = """
import os, signal, subprocess, sys, tempfile
subprocess.Popen(["sleep", "300"], start_new_session=True)
stopped = subprocess.Popen(["sleep", "301"], start_new_session=True)
os.kill(stopped.pid, signal.SIGSTOP)
subprocess.Popen(["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /mnt && exec sleep 302"])
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(303)"
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", deaf])
    os._exit(0)
for place in (tempfile.gettempdir(), os.environ["HOME"], os.getcwd()):
    folder = tempfile.mkdtemp(dir=place)
    open(os.path.join(folder, "litter"), "w").write("x" * 100000)
    os.chmod(folder, 0)
"""


def litters(scene: Scene) -> None:
    script = textwrap.indent(LITTER, "    ")
    run = 'python \\"$HOME/../run/litter.py\\"; grep -q good state'
    scene.writes(
        repro=f'\n  run: "{run}"\n  cwd: tree\n  files:\n    litter.py: |\n{textwrap.indent(script, "  ")}'
    )


def test_what_repros_leave_is_gone_after_the_hunt(scene: Scene) -> None:
    litters(scene)
    scene.is_right(scene.runs())
    scene.is_clean()


def test_what_builds_leave_is_gone_after_the_hunt(scene: Scene) -> None:
    (scene.folder / "litter.py").write_text(LITTER)
    scene.writes(
        install=f"{{mode: pythonpath, path: src, build: ['{sys.executable} {scene.folder}/litter.py']}}"
    )
    scene.is_right(scene.runs())
    scene.is_clean()


@pytest.mark.parametrize("trials", [1, 4])
def test_what_repros_leave_is_gone_after_a_kill_and_the_next_start(trials: int, scene: Scene) -> None:
    litters(scene)
    begun = scene.begins()
    scene.waits_for_trials(begun, trials)
    begun.kill()
    begun.communicate()
    scene.is_alone()
    scene.is_right(scene.runs())
    scene.is_clean()
