"""Runs the project's build code for the installers, in the same cage as its repro."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bisector.caps import Confinement
from bisector.model import Stopped
from bisector.plan import TrialRequest
from bisector.process import Finished, ProgramMissing
from bisector.trial.tools import tools
from bisector.trial.workbench import Workbench


@dataclass(frozen=True)
class CagedRunner:
    """The `Runner` that installers are given."""

    bench: Workbench
    request: TrialRequest
    cancelled: threading.Event

    def __call__(
        self,
        argv: Sequence[str | Path],
        cwd: Path,
        env: Mapping[str, str],
        timeout: float | None,
        writable: tuple[Path, ...],
        readable: tuple[Path, ...],
        stdin: int | None = None,
    ) -> Finished | ProgramMissing:
        # Two at a time: a build, and the packages that are installed beside it.
        log = self.bench.scratch / f"build-{threading.get_ident()}.log"
        log.unlink(missing_ok=True)
        limits = replace(self.request.limits, network=True)
        if not self.bench.sandbox:
            # The caps may be there to make a leak show: a build that needs more is not what is hunted.
            limits = replace(limits, memory=None, disk=None, processes=None)
        more = tools(self.bench.machine, sandbox=self.bench.sandbox)
        confined = Confinement(
            argv=tuple(map(str, argv)),
            cwd=cwd,
            env=more.added_to(env),
            log=log,
            timeout=timeout or self.request.limits.install_timeout,
            limits=limits,
            writable=writable,
            readable=(*readable, *self.bench.shared, *self.bench.history, *more.readable),
            sandbox=self.bench.sandbox,
            stdin=stdin,
            stack_dump=False,
        )
        run = self.bench.cage.run(confined, self.cancelled)
        return Finished(
            exit_status=run.exit_status,
            signal=run.signal,
            timed_out=run.stopped is Stopped.TIMEOUT,
            cancelled=run.stopped is Stopped.CANCELLED,
            seconds=run.seconds,
            stdout_bytes=run.output.encode(),
            stderr_bytes=b"",
        )
