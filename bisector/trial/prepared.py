"""What lies ready before anybody has asked for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    """A commit that cannot be made ready, and would not be a second time.

    A cherry-pick or revert conflicts in its tree, of which git alone says so; or its build took all its time, with
    nothing else going on.
    """

    bench: Workbench
    reason: Untestable
    spent: Mapping[Step, float]


Laid = Prepared | Unfit


@dataclass(frozen=True, slots=True)
class Leave:
    """What who makes something ready ahead must know of those for whom it stands back."""

    may_install: Callable[[], bool]
    """Asked before anything is installed; takes its time. False: it is called off."""
    seconds_alone: Callable[[], float]
    """For how long nothing else has been going on."""
