"""One TrialRequest -> one Trial: a clean tree, an environment, the repro in its cage. Facts, no opinion."""

from __future__ import annotations

import errno
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path

from bisector.caps import Cage, Confinement
from bisector.environments import Environments, Locks, Place, Ready
from bisector.git.door import GitFailed
from bisector.git.slots import Slot
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
from bisector.process import Finished, ProgramMissing
from bisector.recipe.schema import Cwd, PythonScript, Repro

LASTING = {errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO}
"""Errors of the system that the next trial would meet as well."""
SCRIPT = "bisector_repro.py"
"""How a repro given as Python is called in its directory."""


class Step(Enum):
    """What a trial does at a moment."""

    CHECKOUT = "checking out"
    INSTALL = "installing"
    REPRO = "running"


@dataclass(frozen=True)
class Workbench:
    """Where one worker makes its trials."""

    slot: Slot
    scratch: Path
    environments: Environments
    cage: Cage
    locks: Locks
    machine: Mapping[str, str] = field(repr=False)
    sandbox: bool = False


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
    ready: Ready | None = None
    outcome: Outcome | None
    try:
        empty(bench.scratch)
        bench.scratch.mkdir(parents=True)
        with clock.measure(Step.CHECKOUT, say):
            bench.slot.checkout(request.commit)
        with clock.measure(Step.INSTALL, say):
            made = _environment(bench, request, log, cancelled)
        if isinstance(made, Ready):
            ready, facts = made, made.facts
            with clock.measure(Step.REPRO, say):
                outcome = _repro(bench, request, ready, log, cancelled)
        else:
            outcome = made
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


@dataclass(frozen=True)
class Room:
    """The fresh directory of one trial: where the repro runs, its private home and temporary files."""

    scratch: Path
    repro: Repro
    tree: Path

    @property
    def folder(self) -> Path:
        return self.scratch / "run"

    @property
    def cwd(self) -> Path:
        return self.tree if self.repro.cwd is Cwd.TREE else self.folder

    def furnish(self) -> None:
        for place in (self.folder, self.scratch / "home", self.scratch / "tmp"):
            place.mkdir()
        for name, text in self.repro.files:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        if isinstance(self.repro.action, PythonScript):
            (self.folder / SCRIPT).write_text(self.repro.action.text)

    def argv(self, python: Path) -> tuple[str, ...]:
        action = self.repro.action
        if isinstance(action, PythonScript):
            return (str(python), str(self.folder / SCRIPT))
        return ("/bin/sh", "-c", action.text)

    def variables(self, machine: Mapping[str, str]) -> dict[str, str]:
        """Chosen, not inherited: no token and no setting of the user reaches the repro."""
        return {
            "PATH": foreign_path(machine),
            "HOME": str(self.scratch / "home"),
            "TMPDIR": str(self.scratch / "tmp"),
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            **dict(self.repro.env),
        }


def foreign_path(machine: Mapping[str, str]) -> str:
    """The machine's PATH without bisector's own environment: its python is not the one under test."""
    own = Path(sys.prefix, "bin")
    parts = machine.get("PATH", "/usr/local/bin:/usr/bin:/bin").split(":")
    return ":".join(part for part in parts if part and Path(part) != own)


@dataclass(frozen=True)
class CagedRunner:
    """Runs the project's build code for the installers, in the same cage as its repro."""

    bench: Workbench
    request: TrialRequest
    cancelled: threading.Event

    def __call__(
        self,
        argv: Sequence[str | Path],
        cwd: Path,
        env: Mapping[str, str],
        timeout: float | None,
        writable: tuple[Path, ...],
        readable: tuple[Path, ...],
    ) -> Finished | ProgramMissing:
        log = self.bench.scratch / "build.log"
        log.unlink(missing_ok=True)
        limits = replace(self.request.limits, network=True, disk=None)
        confined = Confinement(
            argv=tuple(map(str, argv)),
            cwd=cwd,
            env=env,
            log=log,
            timeout=timeout or self.request.limits.install_timeout,
            limits=limits,
            writable=writable,
            readable=readable,
            sandbox=self.bench.sandbox,
            stack_dump=False,
        )
        run = self.bench.cage.run(confined, self.cancelled)
        return Finished(
            exit_status=run.exit_status,
            signal=run.signal,
            timed_out=run.stopped is Stopped.TIMEOUT,
            cancelled=run.stopped is Stopped.CANCELLED,
            seconds=run.seconds,
            stdout_bytes=run.output.encode(),
            stderr_bytes=b"",
        )
