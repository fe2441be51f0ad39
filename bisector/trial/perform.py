"""One TrialRequest -> one Trial: a clean tree, an environment, the repro in its cage. Facts, no opinion."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from bisector.caps import Confinement
from bisector.environments import Place, Ready
from bisector.git.door import GitFailed
from bisector.git.tree import Tree
from bisector.git.worktrees import empty
from bisector.model import (
    EnvironmentFacts,
    Outcome,
    Places,
    Purpose,
    Ran,
    Run,
    Stage,
    Stopped,
    Trial,
    Trouble,
    Untestable,
)
from bisector.plan import TrialRequest
from bisector.trial.alter import alter
from bisector.trial.room import Room
from bisector.trial.runner import CagedRunner
from bisector.trial.workbench import Step, Workbench

LASTING = {errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO}
"""Errors of the system that the next trial would meet as well."""


@dataclass
class _Clock:
    """Seconds by step."""

    began: float = field(default_factory=time.monotonic)
    spent: dict[Step, float] = field(default_factory=dict)

    @contextmanager
    def measure(self, step: Step, say: Callable[[Step], None]) -> Iterator[None]:
        say(step)
        start = time.monotonic()
        try:
            yield
        finally:
            self.spent[step] = time.monotonic() - start


def perform(
    bench: Workbench,
    request: TrialRequest,
    purpose: Purpose,
    log: Path,
    say: Callable[[Step], None],
    cancelled: threading.Event,
) -> Trial:
    """Make the trial. Only a defect of bisector itself raises; everything else is in the outcome."""
    clock, started = _Clock(), datetime.now(timezone.utc)
    facts: EnvironmentFacts | None = None
    outcome: Outcome
    try:
        empty(bench.scratch)
        bench.scratch.mkdir(parents=True)
        with clock.measure(Step.CHECKOUT, say):
            bench.slot.checkout(request.commit)
            unfit = alter(bench.slot, request)
        if unfit is not None:
            outcome = unfit
        else:
            facts, outcome = _in_environment(bench, request, log, clock, say, cancelled)
    except GitFailed as fault:
        outcome = Trouble(fault.message, lasting=True)
    except OSError as error:
        outcome = Trouble(
            f"{error.filename or 'the system'}: {error.strerror}", lasting=error.errno in LASTING
        )
    return Trial(
        commit=request.commit,
        key=request.key,
        purpose=purpose,
        started=started,
        outcome=outcome,
        environment=facts,
        seconds=time.monotonic() - clock.began,
        checkout_seconds=clock.spent.get(Step.CHECKOUT, 0.0),
        install_seconds=clock.spent.get(Step.INSTALL, 0.0),
        repro_seconds=clock.spent.get(Step.REPRO, 0.0),
        log=str(log),
    )


def _in_environment(
    bench: Workbench,
    request: TrialRequest,
    log: Path,
    clock: _Clock,
    say: Callable[[Step], None],
    cancelled: threading.Event,
) -> tuple[EnvironmentFacts | None, Outcome]:
    with clock.measure(Step.INSTALL, say):
        made = _environment(bench, request, log, cancelled)
    if not isinstance(made, Ready):
        return None, made
    with clock.measure(Step.REPRO, say):
        return made.facts, _repro(bench, request, made, log, cancelled)


def _environment(
    bench: Workbench, request: TrialRequest, log: Path, cancelled: threading.Event
) -> Ready | Untestable | Trouble:
    """Installed, and the module under test found to come from this commit's tree."""
    (bench.scratch / "environment").mkdir()
    place = Place(
        tree=bench.slot.tree,
        scratch=bench.scratch / "environment",
        facts=Tree(bench.slot.git),
        locks=bench.locks,
        log=log,
        runner=CagedRunner(bench, request, cancelled),
        cancelled=cancelled,
    )
    made = bench.environments.prepare(request.environment, place)
    if not isinstance(made, Ready):
        return made
    doubt = bench.environments.prove(made, place)
    return made if doubt is None else doubt


def _repro(
    bench: Workbench, request: TrialRequest, ready: Ready, log: Path, cancelled: threading.Event
) -> Outcome:
    """The runs asked for, each from a reset state; a run that was cut short ends the trial."""
    room = Room(bench.scratch, request.repro, bench.slot.tree)
    room.furnish()
    env = ready.environment(room.variables(bench.machine))
    runs: list[Run] = []
    for _ in range(request.runs):
        fault = _reset(bench, request, room, env, ready, log, cancelled)
        if fault is not None:
            return fault
        runs.append(bench.cage.run(_confined(bench, request, room, env, ready, log), cancelled))
        if runs[-1].stopped is Stopped.CANCELLED:
            break
    places = Places(str(bench.slot.tree), str(bench.scratch), str(ready.venv))
    return Ran(tuple(runs), places)


def _reset(
    bench: Workbench,
    request: TrialRequest,
    room: Room,
    env: Mapping[str, str],
    ready: Ready,
    log: Path,
    cancelled: threading.Event,
) -> Untestable | None:
    command = request.repro.reset
    if command is None:
        return None
    confined = _confined(bench, request, room, env, ready, log)
    ended = bench.cage.run(replace(confined, argv=("/bin/sh", "-c", command)), cancelled)
    if ended.exit_status == 0 or ended.stopped is Stopped.CANCELLED:
        return None
    last = ended.output.strip().splitlines()[-1:] or [f"status {ended.exit_status}"]
    return Untestable(Stage.RESET, f"`reset` failed: {last[0]}")


def _confined(
    bench: Workbench, request: TrialRequest, room: Room, env: Mapping[str, str], ready: Ready, log: Path
) -> Confinement:
    return Confinement(
        argv=room.argv(ready.python),
        cwd=room.cwd,
        env=env,
        log=log,
        timeout=request.limits.timeout,
        limits=request.limits,
        writable=(bench.scratch, bench.slot.tree),
        readable=ready.readable,
        sandbox=bench.sandbox,
    )
