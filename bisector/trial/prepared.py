"""What lies ready before anybody has asked for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bisector.environments import Place, Ready
from bisector.model import Untestable
from bisector.trial.workbench import Step, Workbench


@dataclass(frozen=True, slots=True)
class Prepared:
    """A commit laid out for a run that may be asked for: its tree, its environment, and what they took."""

    bench: Workbench
    ready: Ready
    place: Place
    spent: Mapping[Step, float]
    has_bytecode: bool


@dataclass(frozen=True, slots=True)
class Unfit:
    """A commit in whose tree a cherry-pick or revert conflicts: git alone says so, and would say it again."""

    bench: Workbench
    reason: Untestable
    spent: Mapping[Step, float]


Laid = Prepared | Unfit
