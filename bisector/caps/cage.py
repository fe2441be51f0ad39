"""A cage: a fence around the tree and control groups on it. Runs one confinement and tells what was observed.

Decides nothing about the commit. When `run` returns, nothing of the tree lives and no group is left.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from bisector.caps.attend import Attendant
from bisector.caps.behind import Behind
from bisector.caps.cgroups import Cgroups
from bisector.caps.confinement import Confinement, Fence
from bisector.caps.enclosed import enclose
from bisector.caps.group import Control, Group
from bisector.caps.log import Log
from bisector.caps.watch import Watch, written
from bisector.model import Cap, Run


@dataclass(frozen=True, slots=True)
class Cage:
    fence: Fence
    cgroups: Cgroups
    py_spy: Path | None = None
    prefix: tuple[str, ...] = ()
    """A command that runs the fence: `taskset`, where no group limits the processors."""
    means: Mapping[Cap, str] = field(default_factory=dict)
    """What enforces each cap that was asked for, in words."""
    unenforced: frozenset[Cap] = frozenset()
    """Asked for, not to be had here, and gone without (best effort)."""
    behind: Behind | None = None
    """What runs in it stands behind other cages' runs."""

    def run(
        self,
        confinement: Confinement,
        cancelled: threading.Event,
        on_memory: Callable[[int], None] | None = None,
    ) -> Run:
        """The calling thread waits for the end of it. `cancelled` ends it, in hundredths of a second.

        `on_memory` hears, some ten times a second, how many bytes the tree holds; it must return at once.
        """
        if confinement.stack_dump and self.py_spy is None:
            confinement = replace(confinement, env={"PYTHONFAULTHANDLER": "1", **confinement.env})
        if Cap.NETWORK in self.unenforced:
            confinement = replace(confinement, limits=replace(confinement.limits, network=True))
        limits = confinement.limits
        before = 0 if limits.disk is None else written(confinement.writable)
        group = self.cgroups.open()
        try:
            self._set_limits(group, confinement)
            with (
                nullcontext() if self.behind is None else self.behind.keeps(group),
                Log(confinement.log, limits.output) as log,
                enclose(self.fence, self.prefix, group, confinement) as enclosed,
            ):
                growth = partial(_growth, confinement.writable, before)
                watch = Watch(limits, group, enclosed.tree, self.fence.overhead, growth, on_memory)
                return Attendant(enclosed, confinement, log, watch).attend(cancelled, self.py_spy)
        finally:
            group.close()

    def _set_limits(self, group: Group, confinement: Confinement) -> None:
        limits = confinement.limits
        if limits.memory is not None and group.has(Control.MEMORY):
            group.limit_memory(limits.memory)
        if limits.processes is not None and group.has(Control.PIDS):
            group.limit_processes(limits.processes + self.fence.overhead)
        if limits.cpus is not None and group.has(Control.CPU):
            group.limit_cpus(limits.cpus)


def _growth(places: tuple[Path, ...], before: int) -> int:
    return written(places) - before
