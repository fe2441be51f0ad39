"""What a hunt does at this moment, in a small file for `status` in another terminal."""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bisector.engine.progress import Began, PhaseBegan, Progress, StepBegan, TrialBegan, TrialEnded
from bisector.store import Shape


@dataclass
class RunningTrial:
    worker: int
    commit: str
    subject: str
    label: str
    began: float
    step: str = ""


@dataclass
class Now:
    """`pid` may be dead: then the hunt was killed and goes on with the same command."""

    pid: int
    phase: str = "prepare"
    left: int | None = None
    expected: int | None = None
    trials: int = 0
    trial_seconds: float = 0.0
    running: dict[int, RunningTrial] = field(default_factory=dict)


_NOW = Shape(Now)


class NowFile:
    """Keeps the file up to date; a reader never sees half of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._now = Now(os.getpid())
        self._lock = threading.Lock()

    def hear(self, progress: Progress) -> None:
        with self._lock:
            match progress:
                case Began():
                    self._now.left, self._now.expected = progress.commits, progress.expected
                case PhaseBegan():
                    self._now.phase = progress.phase.value
                case TrialBegan():
                    commit = progress.commit
                    self._now.running[progress.worker] = RunningTrial(
                        progress.worker, commit.sha, commit.subject, progress.label, time.time()
                    )
                case StepBegan() if progress.worker in self._now.running:
                    self._now.running[progress.worker].step = progress.step.value
                case TrialEnded():
                    self._ended(progress)
                case _:
                    return
            self._write()

    def _ended(self, ended: TrialEnded) -> None:
        self._now.running.pop(ended.worker, None)
        if not ended.judged.reused:
            self._now.trials += 1
            self._now.trial_seconds += ended.judged.trial.seconds
        if ended.judged.left is not None:
            self._now.left, self._now.expected = ended.judged.left, ended.expected_left

    def _write(self) -> None:
        aside = self._path.with_suffix(".new")
        try:
            aside.write_text(json.dumps(asdict(self._now)))
            aside.replace(self._path)
        except OSError:
            # Only a convenience: a hunt does not end because nobody can watch it.
            return


def read(path: Path) -> Now | None:
    try:
        return _NOW.load(path.read_text())
    except (OSError, ValueError):
        return None
