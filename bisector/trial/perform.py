"""One TrialRequest -> one Trial: a clean tree, an environment, the repro in its cage. Facts, no opinion."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

from bisector.beside import beside
from bisector.caps import Confinement, gpu_memory_hook
from bisector.environments import Builder, Place, Ready
from bisector.folders import empty
from bisector.git.door import GitFailed, SubmoduleUnavailable
from bisector.installers.words import is_out_of_time
from bisector.model import (
    EnvironmentFacts,
    EnvironmentRequest,
    Outcome,
    Places,
    Purpose,
    Ran,
    Trial,
    Trouble,
    Untestable,
)
from bisector.plan import TrialRequest
from bisector.trial.alter import alter
from bisector.trial.below import BELOW, NOT_IMPORTED, smells_of_import
from bisector.trial.clock import Clock
from bisector.trial.grounds import Grounds
from bisector.trial.hooks import HOOK, hook
from bisector.trial.prepared import Laid, Leave, Prepared, Unfit
from bisector.trial.repeat import Repeated, Stand, take_turns
from bisector.trial.room import Room
from bisector.trial.showing import Showing
from bisector.trial.workbench import Step, Workbench

LASTING = {errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO}
"""Errors of the system that the next trial would meet as well."""
PREPARED = "prepared.log"
MOST = 0.9
"""Of the time that a build may take: so much of it alone is as good as all."""


def prepare(
    bench: Workbench,
    request: TrialRequest,
    purpose: Purpose,
    cancelled: threading.Event,
    leave: Leave,
) -> Laid | None:
    """All of a trial but its runs. None: whoever needs the trial will meet in words what stood in the way."""
    log = bench.scratch / PREPARED
    return _Making(bench, request, purpose, log, Clock(lambda step: None), cancelled).prepare(leave)


def perform(
    bench: Workbench,
    request: TrialRequest,
    purpose: Purpose,
    log: Path,
    say: Callable[[Step], None],
    cancelled: threading.Event,
    prepared: Laid | None = None,
) -> Trial:
    """Make the trial. Only a defect of bisector itself raises; everything else is in the outcome."""
    clock, started = Clock(say), datetime.now(timezone.utc)
    if prepared is not None:
        clock.add(prepared.spent)
    making = _Making(bench, request, purpose, log, clock, cancelled, prepared)
    try:
        facts, outcome = making.run()
    except SubmoduleUnavailable as fault:
        facts, outcome = None, Trouble(fault.message)
    except GitFailed as fault:
        facts, outcome = None, Trouble(fault.message, lasting=True)
    except OSError as error:
        lasting = error.errno in LASTING
        facts, outcome = None, Trouble(f"{error.filename or 'the system'}: {error.strerror}", lasting)
    return Trial(
        commit=request.commit,
        key=request.key,
        purpose=purpose,
        started=started,
        outcome=outcome,
        environment=facts,
        seconds=clock.seconds,
        checkout_seconds=clock.spent[Step.CHECKOUT],
        install_seconds=clock.spent[Step.PACKAGES] + clock.spent[Step.INSTALL],
        repro_seconds=clock.spent[Step.REPRO],
        log=str(log),
    )


@dataclass(frozen=True)
class _Making:
    """One trial under way."""

    bench: Workbench
    request: TrialRequest
    purpose: Purpose
    log: Path
    clock: Clock
    cancelled: threading.Event
    prepared: Laid | None = None

    def run(self) -> tuple[EnvironmentFacts | None, Outcome]:
        if isinstance(self.prepared, Unfit):
            self._grounds.keep(self.prepared.bench.scratch / PREPARED)
            return None, self.prepared.reason
        if self.prepared is not None:
            return self._in_environment(self.prepared.ready, self._grounds.taken_over(self.prepared.place))
        self._clear()
        place, early = self._grounds.double("environment"), self._grounds.single("early")
        with self._expecting_a_build() as builder:
            unfit = self._beside_packages(early)
            made = unfit or self._environment(self.request.environment, place, builder)
            return self._in_environment(made, place) if isinstance(made, Ready) else (None, made)

    def prepare(self, leave: Leave) -> Laid | None:
        self._clear()
        with self._expecting_a_build() as builder:
            return self._prepared(leave, builder)

    def _prepared(self, leave: Leave, builder: Builder | None) -> Laid | None:
        unfit = self._laid_out()
        if unfit is not None:
            # Only a conflict is git's word for sure, whatever went on beside it.
            conflicts = self.bench.slot.git.lines("ls-files", "--unmerged")
            return Unfit(self.bench, unfit, dict(self.clock.spent)) if conflicts else None
        if not leave.may_install():
            return None
        # Beside a run a build may fail that would not alone.
        place = replace(self._grounds.double("environment"), keeps_failures=False)
        made = self._environment(self.request.environment, place, builder)
        if not isinstance(made, Ready):
            had_all = leave.seconds_alone() >= MOST * self.request.limits.install_timeout
            if isinstance(made, Untestable) and is_out_of_time(made) and had_all:
                return Unfit(self.bench, made, dict(self.clock.spent))
            return None
        has_bytecode = self._showing.show(made, place)
        return Prepared(self.bench, made, place, dict(self.clock.spent), has_bytecode)

    def _clear(self) -> None:
        """What the last trial left goes while the tree is laid out: some thousand files."""
        empty(self._away)
        with suppress(FileNotFoundError):
            self.bench.scratch.rename(self._away)
        self.bench.scratch.mkdir(parents=True)

    @property
    def _away(self) -> Path:
        return self.bench.scratch.with_name(f"{self.bench.scratch.name}.away")

    def _expecting_a_build(self) -> AbstractContextManager[Builder | None]:
        if not self.bench.has_idle_processor:
            return nullcontext()
        return self.bench.environments.expecting(self._grounds.single("expecting"))

    def _beside_packages(self, place: Place) -> Untestable | None:
        """The tree is laid out beside what of the environment needs none; why it cannot be."""
        work = self.bench.environments.early(self.request.environment, place)
        if work is None:
            return self._laid_out()
        with ExitStack() as packages:
            packages.enter_context(beside(work, place.cancelled.set))
            unfit = self._laid_out()
            if unfit is not None:
                place.cancelled.set()
                return unfit
            with self.clock.measure(Step.PACKAGES):
                packages.close()
        return None

    def _laid_out(self) -> Untestable | None:
        """The commit's tree; why a fixup or overlay does not fit."""
        with self.clock.measure(Step.CHECKOUT), beside(partial(empty, self._away)):
            return self._lay_tree()

    def _lay_tree(self) -> Untestable | None:
        self.bench.slot.checkout(self.request.commit)
        return alter(self.bench.slot, self.request)

    def _in_environment(self, made: Ready, place: Place) -> tuple[EnvironmentFacts, Outcome]:
        """As the recipe has it; where the module cannot be imported so, with the next rung's releases."""
        outcome = self._repro(made, place)
        if not ((self.request.ladder or self.purpose is Purpose.END) and smells_of_import(outcome)):
            return made.facts, outcome
        below = self.bench.environments.fallback(made) if self.request.ladder else None
        needs = self.bench.environments.needs(made, place)
        if below is None and not needs:
            return made.facts, outcome
        here = self.bench.environments.imports(made, place)
        if here is None:
            return made.facts, outcome
        facts = replace(made.facts, needs=needs)
        if below is None or isinstance(here, Trouble):
            return facts, here if isinstance(here, Trouble) else outcome
        return self._lower(below, facts, outcome)

    def _lower(
        self, below: EnvironmentRequest, facts: EnvironmentFacts, outcome: Outcome
    ) -> tuple[EnvironmentFacts, Outcome]:
        """The repro's word in the environment below, where the module can be imported there."""
        second = self._grounds.double("environment-2")
        made = self._environment(below, second)
        failed = self.bench.environments.imports(made, second) if isinstance(made, Ready) else made
        if isinstance(made, Ready) and failed is None:
            return replace(made.facts, rungs=(NOT_IMPORTED, f"{BELOW}: imported")), self._repro(made, second)
        if isinstance(failed, Untestable):
            return replace(facts, in_vain=(NOT_IMPORTED, f"{BELOW}: {failed.headline}")), outcome
        # Nobody knows what it would have been.
        return facts, failed or outcome

    @property
    def _grounds(self) -> Grounds:
        return Grounds(self.bench, self.request, self.log, self.cancelled, self._lay_tree)

    @property
    def _showing(self) -> Showing:
        return Showing(self.bench, self.request, self.purpose)

    def _environment(
        self, asked: EnvironmentRequest, place: Place, builder: Builder | None = None
    ) -> Ready | Untestable | Trouble:
        """Installed, and the module under test found to come from this commit's tree."""
        treecode = self._showing.treecode
        meanwhile = nullcontext() if treecode is None else beside(partial(treecode.expect, place))
        with self.clock.measure(Step.INSTALL), meanwhile:
            made = self.bench.environments.prepare(asked, replace(place, builder=builder))
            if builder is not None:
                builder.let_go()
            if not isinstance(made, Ready):
                return made
            if self.purpose is not Purpose.END:
                # Beside an end's run the other end is made ready.
                self.bench.environments.begin_what_was_put_off(self._grounds.lasting)
            return self.bench.environments.prove(made, place) or made

    def _repro(self, ready: Ready, place: Place) -> Outcome:
        """The runs asked for, in turns with another commit's where the request says so."""
        turns, beside = self.request.turns, self._beside()
        if isinstance(beside, Untestable | Trouble):
            return Trouble(f"what it is measured beside cannot be tested now: {beside.reason}")
        stand = self._stand(ready)
        if not (isinstance(self.prepared, Prepared) and self.prepared.has_bytecode):
            with self.clock.measure(Step.INSTALL):
                self._showing.show(ready, place)
        with self.clock.measure(Step.REPRO):
            if turns is None or beside is None:
                made: Repeated | Untestable | Trouble = self._showing.runs(stand, ready, place)
            else:
                made = take_turns(stand, beside, turns, self.bench.look)
        if not isinstance(made, Repeated):
            return made
        places = Places(str(self.bench.slot.tree), str(stand.room.scratch), str(ready.venv))
        return Ran(made.runs, places, made.beside)

    def _stand(self, ready: Ready) -> Stand:
        room = Room(self.bench.scratch / "repro", self.request.repro, self.bench.slot.tree)
        room.furnish()
        if self.request.limits.gpu_memory is not None:
            hook(ready, self.bench.scratch, HOOK, gpu_memory_hook(self.request.limits.gpu_memory))
        return Stand(self.bench, self.request, room, self._confined(room, ready), self.cancelled)

    def _beside(self) -> Stand | Untestable | Trouble | None:
        """The other commit's repro, in a slot and an environment of its own."""
        turns, bench = self.request.turns, self.bench.beside
        if turns is None or bench is None:
            return None
        log = self.log.with_suffix(".beside")
        return _Making(bench, turns.beside, self.purpose, log, self.clock, self.cancelled).stand()

    def stand(self) -> Stand | Untestable | Trouble:
        """Everything but the runs, as the recipe has it."""
        self._clear()
        unfit = self._laid_out()
        if unfit is not None:
            return unfit
        made = self._environment(self.request.environment, self._grounds.double("environment"))
        return self._stand(made) if isinstance(made, Ready) else made

    def _confined(self, room: Room, ready: Ready) -> Confinement:
        return Confinement(
            argv=room.argv(ready.python),
            cwd=room.cwd,
            env=ready.environment(room.variables(self.bench.machine)),
            log=self.log,
            timeout=self.request.limits.timeout,
            limits=self.request.limits,
            writable=(self.bench.scratch, self.bench.slot.tree),
            readable=(*ready.readable, *self.bench.shared, *self.bench.history),
            sandbox=self.bench.sandbox,
        )
