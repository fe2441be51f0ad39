"""Where one worker makes its trials, and what it has there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from bisector.caps import Cage
from bisector.environments import Environments, Locks
from bisector.git.slots import Slot


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
