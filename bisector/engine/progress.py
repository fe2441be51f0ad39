"""What the engine says while it works, to whoever draws it. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bisector.hunt import Phase
from bisector.model import Account, Commit, JudgedTrial, Purpose, Terms
from bisector.trial import Step


@dataclass(frozen=True, slots=True)
class Note:
    """One line worth reading: fetching, reusing, a doubt."""

    text: str


@dataclass(frozen=True, slots=True)
class Began:
    """The ends are commits now: how much there is to do."""

    hunt: str
    name: str
    terms: Terms
    commits: int
    expected: int


@dataclass(frozen=True, slots=True)
class PhaseBegan:
    phase: Phase


@dataclass(frozen=True, slots=True)
class TrialBegan:
    worker: int
    commit: Commit
    purpose: Purpose
    label: str


@dataclass(frozen=True, slots=True)
class StepBegan:
    """Within a trial: checkout, install, repro."""

    worker: int
    step: Step


@dataclass(frozen=True, slots=True)
class TrialEnded:
    worker: int
    judged: JudgedTrial
    commit: Commit
    label: str
    expected_left: int | None
    pending: bool = False
    """Its figures are what the verdict will be made of: it has none yet."""


@dataclass(frozen=True, slots=True)
class Ended:
    account: Account


Progress = Note | Began | PhaseBegan | TrialBegan | StepBegan | TrialEnded | Ended


class Listener(Protocol):
    """Hears everything, from any thread, and never raises."""

    def hear(self, progress: Progress) -> None: ...
