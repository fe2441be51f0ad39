"""Histories with a planted culprit, and what a trial of their commits would come to: the dice instead of a process.

What the dice say is put as a trial's facts and judged by the real verdict code.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum
from functools import lru_cache

from bisector.history import History, build
from bisector.model import Judgement, Outcome, Purpose, Ran, Run, Stage, Trial, Untestable
from bisector.oracles.finding import Standard
from bisector.recipe.schema import Policy
from bisector.search.belief import Observation
from bisector.verdict import failure_at_end, judge

OLD_END = "f" * 40


class Shape(Enum):
    LINEAR = "linear"
    MERGED = "merged"


class Mode(Enum):
    """Deterministic until the first contradiction, as by default; or a confidence asked for from the start."""

    DEFAULT = "default"
    CONFIDENCE = "confidence"


class Trouble(Enum):
    """What else happens to commits than to fail and to pass."""

    NONE = "-"
    OTHER_TENTH = "other failures in 10%"
    OTHER_QUARTER = "other failures in 25%"
    OTHER_FOUR_TENTHS = "other failures in 40%"
    STRETCH = "an eighth cannot be installed"


SHARES = {Trouble.OTHER_TENTH: 0.1, Trouble.OTHER_QUARTER: 0.25, Trouble.OTHER_FOUR_TENTHS: 0.4}


@dataclass(frozen=True)
class Cell:
    """What is simulated. `new` and `old` are the rates of failure; equal ones mean that nothing changed."""

    new: float
    old: float
    commits: int = 1024
    shape: Shape = Shape.LINEAR
    trouble: Trouble = Trouble.NONE
    mode: Mode = Mode.CONFIDENCE
    target: int | None = None
    """At most so many runs in the median."""

    def __str__(self) -> str:
        words = [f"{self.new:g}/{self.old:g}", f"{self.commits} {self.shape.value}", self.mode.value]
        return ", ".join(words if self.trouble is Trouble.NONE else [*words, self.trouble.value])


def _ran(status: int, output: str) -> Outcome:
    return Ran((Run(status, None, None, 1.0, 1.0, None, output, len(output)),))


def _raising(error: str) -> Outcome:
    frame = '  File "/slot/shop/core.py", line 7, in pick\n    code\n'
    return _ran(1, f"Traceback (most recent call last):\n{frame}{error}\n")


FAILS = _raising("IndexError: axis 3 out of bounds")
WORKS = _ran(0, "")
FAILS_OTHERWISE = _raising("TypeError: unfinished work")
NOT_INSTALLED = Untestable(Stage.INSTALL, "error: no matching distribution")
_ALONE = Standard(Policy())
STANDARD = Standard(
    Policy(), signature=failure_at_end([ran for ran in (FAILS, FAILS) if isinstance(ran, Ran)], _ALONE)
)
_BEGAN = datetime(2026, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class World:
    """The truth of one hunt, and the dice."""

    history: History
    cell: Cell
    culprit: int
    news: bytearray
    troubled: frozenset[int]
    dice: random.Random
    seen: list[Observation] = field(default_factory=list)

    @property
    def tip(self) -> str:
        return self.history.sha(len(self.history) - 1)

    def run(self, commit: str) -> Judgement:
        outcome = self._outcome(self.history.place(commit))
        trial = Trial(commit, commit, Purpose.SEARCH, _BEGAN, outcome, None, 1.0, 0.0, 0.0, 1.0, "")
        judgement = judge(trial, STANDARD).judgement
        self.seen.append(Observation(commit, judgement))
        return judgement

    def _outcome(self, place: int | None) -> Outcome:
        if place is not None and place in self.troubled:
            return NOT_INSTALLED if self.cell.trouble is Trouble.STRETCH else FAILS_OTHERWISE
        rate = self.cell.new if place is not None and self.news[place] else self.cell.old
        return FAILS if self.dice.random() < rate else WORKS


@lru_cache(maxsize=1)
def linear(commits: int) -> History:
    return build((_sha(number), [_sha(number - 1)] if number else []) for number in range(commits))


def merged(commits: int, dice: random.Random) -> History:
    """Side branches of one to eight commits off a trunk, at times off each other, merged after a while."""
    graph: list[tuple[int, ...]] = [()]
    trunk = 0
    open_branches: list[int] = []
    while len(graph) < commits - 1:
        if open_branches and dice.random() < 0.3:
            parents: tuple[int, ...] = (trunk, open_branches.pop(dice.randrange(len(open_branches))))
            trunk = len(graph)
        elif open_branches and dice.random() < 0.7:
            which = dice.randrange(len(open_branches))
            parents, open_branches[which] = (open_branches[which],), len(graph)
        elif len(open_branches) < 4 and dice.random() < 0.3:
            parents = (trunk,)
            open_branches.append(len(graph))
        else:
            parents, trunk = (trunk,), len(graph)
        graph.append(parents)
    graph.append((trunk, *open_branches))
    return build((_sha(number), [_sha(parent) for parent in parents]) for number, parents in enumerate(graph))


def _sha(number: int) -> str:
    return f"{number + 1:040x}"


def make(cell: Cell, dice: random.Random) -> World:
    history = linear(cell.commits) if cell.shape is Shape.LINEAR else merged(cell.commits, dice)
    culprit = dice.randrange(len(history))
    troubled = frozenset(_troubled(cell, culprit, dice)) - {len(history) - 1}
    return World(history, cell, culprit, _containing(history, culprit), troubled, dice)


def _containing(history: History, culprit: int) -> bytearray:
    news = bytearray(len(history))
    news[culprit] = 1
    for place, parents in enumerate(history.parents):
        if any(news[parent] for parent in parents):
            news[place] = 1
    return news


def _troubled(cell: Cell, culprit: int, dice: random.Random) -> Collection[int]:
    if cell.trouble is Trouble.STRETCH:
        length = cell.commits // 8
        start = max(culprit - dice.randrange(2 * length), 0)
        return range(start, min(start + length, cell.commits))
    share = SHARES.get(cell.trouble, 0.0)
    return [place for place in range(cell.commits) if dice.random() < share]
