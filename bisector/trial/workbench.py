"""Where one worker makes its trials, and what it has there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from bisector.caps import SHARED_MEMORY, Cage
from bisector.environments import Environments, Locks, Treecode
from bisector.git.slots import Slot
from bisector.oracles.patterns import Search, search


class Step(Enum):
    """What a trial does at a moment."""

    CHECKOUT = "checking out"
    PACKAGES = "getting packages"
    """What of them is under way beside the checkout, and not through with it."""
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
    treecode: Treecode | None = None
    """None: each run compiles what it imports."""
    look: Search = search
    """Finds the number of a metric in an output, to know when there are pairs enough."""
    has_idle_processor: bool = False
    """For what can be done beside; never where a run is measured."""
    closed: tuple[Path, ...] = ()
    """Where other trials are under way, or lie ready."""
    beside: Workbench | None = None
    """A second place, for the commit that a measured one takes turns with."""

    @property
    def shared(self) -> tuple[Path, ...]:
        """What nothing that runs may write to, beside its layers; in the sandbox the rest is not even there."""
        shown = () if self.treecode is None else (self.treecode.folder,)
        closed = shown if self.sandbox else (self.environments.shelf.root, *self.closed)
        return tuple(path for path in closed if path.is_dir())

    @property
    def history(self) -> tuple[Path, ...]:
        """What a run must be shown, read-only, where it does not see everything: builds ask git for their version."""
        git_dir = self.slot.mirror.git_dir
        return (git_dir,) if self.sandbox or git_dir.is_relative_to(SHARED_MEMORY) else ()
