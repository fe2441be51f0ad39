"""Bytecode of the commit's own modules for the runs of one trial, where it was learnt that it is worth it."""

from __future__ import annotations

from dataclasses import dataclass

from bisector.environments import Place, Ready, Treecode
from bisector.model import Purpose, Untestable
from bisector.plan import TrialRequest
from bisector.process import leftovers
from bisector.trial.hooks import READER, WITNESS, hook
from bisector.trial.repeat import SO_FEW, Repeated, Stand, repeat
from bisector.trial.workbench import Workbench


@dataclass(frozen=True)
class Showing:
    bench: Workbench
    request: TrialRequest
    purpose: Purpose

    @property
    def treecode(self) -> Treecode | None:
        """None: the runs compile for themselves, as the proof's do."""
        return None if self.purpose is Purpose.CONFIRM else self.bench.treecode

    def show(self, ready: Ready, place: Place) -> bool:
        """Whether anything is known that is worth it."""
        treecode = self._serving(ready)
        reader = None if treecode is None else treecode.reader(ready, place)
        if reader is not None:
            hook(ready, self.bench.scratch, READER, reader)
        return reader is not None

    def runs(self, stand: Stand, ready: Ready, place: Place) -> Repeated | Untestable:
        treecode = self._serving(ready)
        if treecode is None:
            return repeat(stand)
        if self.purpose is not Purpose.END and not treecode.knows_nothing:
            return repeat(stand)
        told = stand.room.scratch / "imported"
        hook(ready, self.bench.scratch, WITNESS, treecode.witness(place, told))

        def learn() -> None:
            said = (leftovers.read(told, place.scratch.parent) or "").splitlines()
            treecode.learn(place, said)
            self.bench.environments.prefer(said)

        def between() -> None:
            learn()
            if self.request.runs > SO_FEW:
                self.show(ready, place)

        made = repeat(stand, between)
        learn()
        return made

    def _serving(self, ready: Ready) -> Treecode | None:
        treecode = self.treecode
        return treecode if treecode is not None and treecode.serves(ready.interpreter) else None
