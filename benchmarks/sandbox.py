"""What every cap and the sandbox cost a run, beside the same run with nothing around it."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.clock import PYTHON, environment
from benchmarks.table import Row, at_most, shown
from bisector import process
from bisector.caps import Cage, Confinement, choose, survey
from bisector.model import Limits

ROUNDS = 60
MOST = 15
"""Milliseconds a trial."""
GIB = 1 << 30
CAPS = Limits(memory=4 * GIB, processes=256, cpus=1, disk=2 * GIB, gpu_memory=3 * GIB, network=False)


def rows(folder: Path) -> Sequence[Row]:
    scratch, log = folder / "scratch", folder / "log"
    scratch.mkdir()
    machine = survey(os.environ["PATH"])
    argv, env = (PYTHON, "-I", "-c", "pass"), environment()
    caged = choose(machine, CAPS, sandbox=True, best_effort=True)
    fenced = choose(machine, Limits(), sandbox=False, best_effort=True)

    def bare() -> None:
        process.run(argv, cwd=scratch, env=env, timeout=60, log=log)

    def inside(cage: Cage, limits: Limits, sandbox: bool) -> None:
        prefix = (Path(PYTHON).parents[1], Path(PYTHON).resolve().parents[1])
        confinement = Confinement(
            argv, scratch, env, log, 60, limits, (scratch,), prefix, sandbox=sandbox, stack_dump=False
        )
        ended = cage.run(confinement, threading.Event())
        if ended.exit_status != 0:
            raise SystemExit(f"benchmark: python in the cage ended otherwise: {ended}")

    plain, held, whole = interleaved(
        (bare, lambda: inside(fenced, Limits(), False), lambda: inside(caged, CAPS, True)), ROUNDS
    )
    note = f"median of {ROUNDS}: {whole:.1f} beside {plain:.1f} ms"
    return [
        at_most("every cap and the sandbox, a run", whole - plain, MOST, "ms", note),
        shown("the fence alone, a run", held - plain, "ms", f"{held:.1f} beside {plain:.1f} ms"),
    ]


def interleaved(calls: Sequence[Callable[[], None]], rounds: int) -> list[float]:
    """The median milliseconds of each; taken in turns, so that a busy moment of the machine meets them all."""
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for own, call in zip(taken, calls, strict=True):
            began = time.perf_counter()
            call()
            own.append(1000 * (time.perf_counter() - began))
    return [statistics.median(own) for own in taken]
