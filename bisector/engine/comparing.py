"""The files that runs saved, each compared once with the working end's, in a process that can be ended."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from bisector import process
from bisector.model import Ran, Run, Trial
from bisector.oracles.compare import from_json
from bisector.oracles.finding import Comparison, Incomparable, IsTheReference
from bisector.recipe.schema import Compare

PATIENCE = 300.0
"""Seconds that one comparison may take."""
MEMORY = 4 << 30
"""Bytes; what is only mapped does not count."""


@dataclass
class Comparer:
    """Knows which file is the reference once the working end's trial was seen."""

    compare: Compare | None
    working: str | None = None
    """The working end's commit: its first file is the reference."""
    reference: str | None = None
    _known: dict[tuple[str, str, float, float], Comparison] = field(default_factory=dict)

    def learn(self, trial: Trial) -> None:
        """The first file of the first trial at the working end."""
        if self.reference is None and trial.commit == self.working and isinstance(trial.outcome, Ran):
            saved = (run.saved for run in trial.outcome.runs if run.exit_status == 0)
            self.reference = next((path for path in saved if path is not None), None)

    def comparisons(self, ran: Ran) -> tuple[Comparison, ...]:
        """In the order of the runs; none where nothing is to be compared."""
        if self.compare is None or self.reference is None:
            return ()
        return tuple(self._one(run, self.compare, self.reference) for run in ran.runs)

    def _one(self, run: Run, how: Compare, reference: str) -> Comparison:
        if run.saved is None:
            return Incomparable(run.unsaved or f"{how.file} was not kept")
        if run.saved == reference:
            return IsTheReference()
        key = (run.saved, reference, how.rtol, how.atol)
        if key not in self._known:
            self._known[key] = compared(run.saved, reference, how)
        return self._known[key]


def compared(file: str, reference: str, how: Compare, memory: int = MEMORY) -> Comparison:
    ended = process.run(
        [
            *(sys.executable, "-I", "-m", "bisector.oracles.compare", file, reference),
            *("--rtol", repr(how.rtol), "--atol", repr(how.atol), "--memory", str(memory)),
        ],
        cwd=Path("/"),
        env={},
        timeout=PATIENCE,
    )
    if isinstance(ended, process.ProgramMissing):
        return Incomparable(f"{how.file} could not be compared: Python is gone")
    if ended.timed_out:
        return Incomparable(f"{how.file} was not compared within {PATIENCE:g}s")
    if not ended.ok:
        last = ended.stderr.strip().splitlines()[-1:] or [f"status {ended.exit_status}"]
        return Incomparable(f"{how.file} could not be compared: {last[0]}")
    return from_json(ended.stdout)
