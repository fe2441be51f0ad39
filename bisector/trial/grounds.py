"""Where a trial's environments are made: folders of its own scratch, and what git knows of its tree."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bisector.beside import Follower
from bisector.caps import Behind
from bisector.environments import Desk, Place
from bisector.git.tree import Tree
from bisector.plan import TrialRequest
from bisector.trial.runner import CagedRunner
from bisector.trial.workbench import Workbench

AMPLE = 30.0
"""Seconds of a run: in less it might be over in vain where it compiles a large package for itself."""


@dataclass(frozen=True)
class Grounds:
    """Those of one trial. `restore` lays its tree out anew."""

    bench: Workbench
    request: TrialRequest
    log: Path
    cancelled: threading.Event
    restore: Callable[[], object]

    def double(self, name: str) -> Place:
        """With another one beside it, for what can be done while a build goes on; it believes no failure.

        The build goes before: it is longer on its way, and what both wait for ends sooner.
        """
        beside, behind = replace(self.single(f"{name}-beside"), keeps_failures=False), Behind()
        if self.bench.cage.behind is None:
            behind.stand_back(True)
            bench = replace(self.bench, cage=replace(self.bench.cage, behind=behind))
            runner = CagedRunner(bench, self.request, beside.cancelled)
            beside = replace(beside, runner=runner, hurry=partial(behind.stand_back, False))
        return replace(self._place(name, self.cancelled), beside=beside)

    def single(self, name: str) -> Place:
        """With a `cancelled` of its own, which follows the trial's."""
        return self._place(name, Follower(self.cancelled))

    def lasting(self, scratch: Path, cancelled: threading.Event) -> Desk:
        """Behind all runs, until `cancelled`: what goes on there outlives the trial."""
        behind = Behind()
        behind.stand_back(True)
        bench = replace(self.bench, scratch=scratch, cage=replace(self.bench.cage, behind=behind))
        runner = CagedRunner(bench, self.request, cancelled)
        return Desk(scratch, scratch / "log", runner, cancelled)

    def _place(self, name: str, cancelled: threading.Event) -> Place:
        scratch = self.bench.scratch / name
        scratch.mkdir()
        return Place(
            tree=self.bench.slot.tree,
            scratch=scratch,
            facts=Tree(self.bench.slot.git),
            locks=self.bench.locks,
            log=self.log,
            runner=CagedRunner(self.bench, self.request, cancelled),
            cancelled=cancelled,
            restore=self.restore,
            may_defer=self._may_defer,
        )

    @property
    def _may_defer(self) -> bool:
        has_time = self.request.limits.timeout >= AMPLE
        return has_time and self.bench.has_idle_processor and self.bench.environments.shelf.guarded

    def keep(self, log: Path) -> None:
        """What was said while the trial was made ready, if anything was."""
        if log.exists():
            shutil.copyfile(log, self.log)

    def taken_over(self, place: Place) -> Place:
        """What was prepared belongs to this trial from now on, what its builds said included."""
        self.keep(place.log)
        runner = CagedRunner(self.bench, self.request, self.cancelled)
        own = replace(place, log=self.log, runner=runner, cancelled=self.cancelled, beside=None)
        return replace(own, keeps_failures=True, restore=self.restore)
