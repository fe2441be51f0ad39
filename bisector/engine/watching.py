"""Hunts seen from outside: which are under way, which were killed, and what they do at this moment."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import psutil

from bisector.engine import now
from bisector.engine.forecast import seconds_left
from bisector.engine.now import Now
from bisector.hunt import Phase
from bisector.model import Account, Ending
from bisector.state import State
from bisector.store import HuntRow, Store

CLOCK_SLACK = 2.0
"""Seconds by which a file's time and a process's start may disagree."""


class Standing(Enum):
    """Where a hunt stands."""

    RUNNING = "running"
    KILLED = "killed"
    """Its process is gone without a word; it can go on."""
    STOPPED = "stopped"
    """It was interrupted or failed; it can go on."""
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Sight:
    """One hunt as it stands. `now` is what its process says, while there is one or after it was killed."""

    row: HuntRow
    standing: Standing
    now: Now | None
    trials: int
    culprit: str | None
    """The subject's commit, where one is known."""

    @property
    def age(self) -> float:
        return time.time() - self.row.created.timestamp()

    @property
    def seconds_left(self) -> float | None:
        if self.now is None or not self.now.trials or self.now.expected is None:
            return None
        each = self.now.trial_seconds / self.now.trials
        return seconds_left([each], self.now.expected, confirmed=self.now.phase == Phase.CONFIRM.value)


def sights(state: State, store: Store) -> list[Sight]:
    """Every hunt on record, the newest first."""
    return [look(state, store, row) for row in store.hunts()]


def look(state: State, store: Store, row: HuntRow) -> Sight:
    said = now.read(state.now(row.id))
    account = store.account(row.id) if row.ending is Ending.FOUND or row.finished else None
    return Sight(
        row=row,
        standing=_standing(state.now(row.id), row, said),
        now=said,
        trials=store.trial_count(row.id),
        culprit=_culprit(account),
    )


def _culprit(account: Account | None) -> str | None:
    return account.culprit.commit.sha if account is not None and account.culprit is not None else None


def _standing(path: Path, row: HuntRow, said: Now | None) -> Standing:
    if row.finished:
        return Standing.FINISHED
    if said is None:
        return Standing.STOPPED
    return Standing.RUNNING if is_alive(said.pid, path) else Standing.KILLED


def is_alive(pid: int, written: Path) -> bool:
    """Whether the process that wrote a file still lives; a later one with its number does not count."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return process.create_time() <= written.stat().st_mtime + CLOCK_SLACK
    except (psutil.Error, OSError):
        return False


def memory_of_trials(pid: int) -> int:
    """What everything below a hunt's process holds in memory, pages that are shared counted each time."""
    try:
        return sum(map(_resident, psutil.Process(pid).children(recursive=True)))
    except psutil.Error:
        return 0


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        # It ended in between.
        return 0
