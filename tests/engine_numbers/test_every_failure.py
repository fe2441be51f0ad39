"""Every bad end of a run, by real processes in whole hunts: hunted it is found, in between it is not blamed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Repository

    from .conftest import Laboratory

LAST, HUNTED = 8, 7
BETWEEN = (4, 5)
"""The commits that a search of eight begins with; on both sides of them it works."""
SCRIPT = "import lib\nlib.work()\n"
LIMITS = "limits: {timeout: 2s, memory: 128MiB}"
WORKS = "def work(): pass\n"
SHELF = "def elsewhere():\n    raise ValueError('what is hunted')\n"
FAILS = "def work():\n    raise ValueError('what is hunted')\n"

ENDINGS = {
    "a hang in C": ("import ctypes\ndef work(): ctypes.CDLL(None).pause()\n", "timed out after 2"),
    "a hang in a forked worker": (
        "import os, time\n"
        "def work():\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        while True: time.sleep(60)\n"
        "    os.waitpid(child, 0)\n",
        "timed out after 2",
    ),
    "a segmentation fault": ("import ctypes\ndef work(): ctypes.string_at(0)\n", "SIGSEGV"),
    "memory in a grandchild whose parent exits 0": (
        "import subprocess, sys\n"
        "GREEDY = 'import time; kept = []\\n'\n"
        "GREEDY += 'while True: kept.append(bytearray(b\"x\" * (1 << 22))); time.sleep(0.02)'\n"
        "def work(): subprocess.run([sys.executable, '-c', GREEDY])\n",
        "128 MiB",
    ),
    "an import error": ("def work():\n    import lost_for_now\n", "lost_for_now"),
    "the same exception from another place": (
        "from shelf import elsewhere as work\n",
        "ValueError: what is hunted",
    ),
    "a gigabyte of output": (
        "import sys\n"
        "def work():\n"
        "    for _ in range(1024): sys.stdout.buffer.write(b'x' * (1 << 20))\n"
        "    sys.exit(3)\n",
        "exit 3",
    ),
    "output that is no text": (
        "import sys\ndef work():\n    sys.stdout.buffer.write(b'\\xff\\xfe\\x00\\n')\n    sys.exit(4)\n",
        "exit 4",
    ),
    "exit 126": ("import os\ndef work(): os._exit(126)\n", "exit 126"),
    "exit 127": ("import os\ndef work(): os._exit(127)\n", "exit 127"),
    "exit 255": ("import os\ndef work(): os._exit(255)\n", "exit 255"),
}
each = pytest.mark.parametrize("lib, reason", ENDINGS.values(), ids=ENDINGS.keys())


def project_of(laboratory: Laboratory, lib: Callable[[int], str]) -> Repository:
    """A second module lies beside the first: the same function of one file would be the same place."""
    made = laboratory.making.empty()
    made.grow(f"1..{LAST}", lambda number: {"lib.py": lib(number), "shelf.py": SHELF, "note": str(number)})
    return made


@each
def test_it_is_hunted(lib: str, reason: str, laboratory: Laboratory) -> None:
    project = project_of(laboratory, lambda number: lib if number >= HUNTED else WORKS)
    hunted = laboratory.hunt(project, SCRIPT, "", LIMITS)
    assert hunted.culprit == HUNTED, hunted.words
    assert hunted.said(HUNTED).startswith("bad: same failure: ")
    assert reason in hunted.said(HUNTED)
    assert all(trial["verdict"] == "bad" for trial in hunted.trials(LAST)[:1]), (
        "also before it was recognised"
    )
    assert "unclear" not in hunted.words


@each
def test_it_is_not_blamed_for_another(lib: str, reason: str, laboratory: Laboratory) -> None:
    def source(number: int) -> str:
        return FAILS if number >= HUNTED else lib if number in BETWEEN else WORKS

    project = project_of(laboratory, source)
    hunted = laboratory.hunt(project, SCRIPT, "", LIMITS)
    assert hunted.culprit == HUNTED, hunted.words
    met = [number for number in BETWEEN if hunted.trials(number)]
    assert met
    for number in met:
        assert hunted.said(number).startswith("skip: ")
        assert reason in hunted.said(number)
