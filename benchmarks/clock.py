"""Runs commands and says how long they took. Ratios only mean something within one run of the benchmark."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PYTHON = sys.executable
REST = 60.0
BISECTOR = str(Path(sys.executable).parent / "bisector")


def environment() -> dict[str, str]:
    """The machine's, without this virtualenv and without variables that would lead git elsewhere."""
    own = str(Path(sys.executable).parent)
    path = ":".join(part for part in os.environ["PATH"].split(":") if part != own)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "VIRTUAL_ENV"))}
    return {**kept, "PATH": path, "LC_ALL": "C"}


def run(argv: Sequence[str], cwd: Path, extra: Mapping[str, str] | None = None) -> str:
    """Standard output; a command that fails ends the benchmark with what it said."""
    ended = subprocess.run(
        argv, cwd=cwd, env={**environment(), **(extra or {})}, stdin=subprocess.DEVNULL, capture_output=True
    )
    if ended.returncode != 0:
        said = (ended.stdout + ended.stderr).decode(errors="replace")
        raise SystemExit(f"benchmark: {argv[0]} ended with {ended.returncode}:\n{said[-2000:]}")
    return ended.stdout.decode(errors="replace")


def rest() -> None:
    """What the measured one before has left to be written, or has just deleted, is not the next one's to wait for.

    ext4 without a journal looks through what was deleted in the last minute for each file that is created.
    """
    os.sync()
    time.sleep(REST)


def seconds(argv: Sequence[str], cwd: Path, extra: Mapping[str, str] | None = None) -> float:
    began = time.perf_counter()
    run(argv, cwd, extra)
    return time.perf_counter() - began


def interleaved(commands: Sequence[Sequence[str]], cwd: Path, rounds: int) -> list[float]:
    """The median seconds of each; taken in turns, so that a busy moment of the machine meets them all."""
    taken: list[list[float]] = [[] for _ in commands]
    for _ in range(rounds):
        for own, argv in zip(taken, commands, strict=True):
            own.append(seconds(argv, cwd))
    return [statistics.median(own) for own in taken]
