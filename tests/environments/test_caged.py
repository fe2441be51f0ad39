"""Builds of strangers in the strongest cage of this machine: what they need can be seen there."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bisector.caps import Cage, Confinement, choose, survey
from bisector.environments import Place, Ready
from bisector.model import InstallMode, Limits, Stopped
from bisector.process import Finished, ProgramMissing

from .conftest import PROJECT, Lab
from .test_resolution import make_sdist


@dataclass(frozen=True)
class Caged:
    """A runner as a trial's."""

    cage: Cage
    log: Path

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
        self.log.unlink(missing_ok=True)
        run = self.cage.run(
            Confinement(
                argv=tuple(map(str, argv)),
                cwd=cwd,
                env=env,
                log=self.log,
                timeout=timeout or 60.0,
                limits=Limits(),
                writable=writable,
                readable=readable,
                sandbox=True,
                stdin=stdin,
                stack_dump=False,
            ),
            threading.Event(),
        )
        return Finished(
            exit_status=run.exit_status,
            signal=run.signal,
            timed_out=run.stopped is Stopped.TIMEOUT,
            cancelled=run.stopped is Stopped.CANCELLED,
            seconds=run.seconds,
            stdout_bytes=run.output.encode(),
        )


@pytest.fixture
def place(lab: Lab) -> Callable[[], Place]:
    cage = choose(survey(os.environ["PATH"]), Limits(), sandbox=True, best_effort=True)
    runner = Caged(cage, lab.root / "caged.log")
    return lambda: replace(lab.place(), runner=runner)


@pytest.mark.parametrize("mode", InstallMode)
def test_every_mode_works_in_a_sandbox(lab: Lab, place: Callable[[], Place], mode: InstallMode) -> None:
    make_sdist(lab.wheels, "source-only", "3")
    # The backend counts its builds outside: not in here.
    backend = PROJECT["backend.py"].replace("/../../../builds", "/builds")
    commit = lab.repo.commit({**PROJECT, "backend.py": backend})
    lab.repo.checkout(commit)
    for _ in range(2):
        here = place()
        request = lab.request(commit, mode, requirements=("source-only",))
        ready = lab.current.prepare(request, here)
        assert isinstance(ready, Ready), ready
        assert lab.current.prove(ready, here) is None
        assert lab.say(ready, "import source_only; print(source_only.version)") == "3"
