"""How a trial's repro is run again: each time from a reset state, until there are runs enough."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from bisector.caps import Confinement
from bisector.model import Run, Stage, Stopped, Trouble, Untestable
from bisector.oracles.paired import Pair, measured
from bisector.oracles.patterns import Search
from bisector.plan import TrialRequest, Turns
from bisector.trial.room import Room
from bisector.trial.saving import save
from bisector.trial.workbench import Workbench

SO_FEW = 2
"""Runs of which the second compiles what it imports as fast as somebody would for it."""


@dataclass(frozen=True)
class Stand:
    """One commit's repro, ready to run: the tree, the environment and the room are made."""

    bench: Workbench
    request: TrialRequest
    room: Room
    confined: Confinement
    cancelled: threading.Event

    def run(self, number: int) -> Run | Untestable:
        fault = self._reset()
        if fault is not None:
            return fault
        run = self.bench.cage.run(self.confined, self.cancelled)
        if self.request.keep is None:
            return run
        log = self.confined.log
        return save(run, self.request.keep, self.room.cwd, log.with_name(f"{log.stem}-{number}"))

    def _reset(self) -> Untestable | None:
        command = self.request.repro.reset
        if command is None:
            return None
        confined = replace(self.confined, argv=("/bin/sh", "-c", command))
        ended = self.bench.cage.run(confined, self.cancelled)
        if ended.exit_status == 0 or ended.stopped is Stopped.CANCELLED:
            return None
        last = ended.output.strip().splitlines()[-1:] or [f"status {ended.exit_status}"]
        return Untestable(Stage.RESET, f"`reset` failed: {last[0]}")


@dataclass(frozen=True, slots=True)
class Repeated:
    runs: tuple[Run, ...]
    beside: tuple[Run, ...] = ()


def repeat(stand: Stand, after_first: Callable[[], None] | None = None) -> Repeated | Untestable:
    """The runs asked for; fewer where one was cut short, or where enough have not exited 0."""
    runs: list[Run] = []
    for number in range(stand.request.runs):
        if number == 1 and after_first is not None:
            after_first()
        made = stand.run(number)
        if isinstance(made, Untestable):
            return made
        runs.append(made)
        failures = sum(run.exit_status != 0 for run in runs)
        if made.stopped is Stopped.CANCELLED or failures == stand.request.stop_after:
            break
    return Repeated(tuple(runs))


def take_turns(stand: Stand, beside: Stand, turns: Turns, look: Search) -> Repeated | Untestable | Trouble:
    """This commit and the other, one right after the other, each time another one first."""
    runs: list[Run] = []
    others: list[Run] = []
    pairs: list[Pair] = []
    for number in range(turns.most):
        order = [(stand, runs), (beside, others)]
        for one, made in order if number % 2 == 0 else reversed(order):
            run = one.run(number)
            if isinstance(run, Untestable):
                return run if one is stand else Trouble(f"beside it: {run.reason}")
            made.append(run)
        pair = measured(runs[-1], others[-1], turns.gauge.metric, look)
        if pair is None:
            # A run that gave no number, or was cut short: more of them would tell no more.
            break
        pairs.append(pair)
        if turns.gauge.has_enough(pairs):
            break
    return Repeated(tuple(runs), tuple(others))
