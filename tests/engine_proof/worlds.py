"""Worlds in which it is known what a commit does in which environment; everything but the trial is real."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from bisector.engine.hunter import Hunter
from bisector.engine.workers import Job
from bisector.environments import Between
from bisector.model import (
    EnvironmentFacts,
    Judgement,
    Outcome,
    Purpose,
    Ran,
    Stage,
    Trial,
    Trouble,
    Untestable,
)
from bisector.plan import TrialRequest
from bisector.store import HuntRow

from ..engine.conftest import BEGAN, Planted, run_of

Packages = dict[str, str]
TURN = 5
"""The commit where everything changes; its parent is the one before."""


@dataclass(frozen=True)
class World:
    """`shows`: what a commit does with these packages, python among them: NEW is a failure, whatever is hunted.

    None: it cannot be installed. `has`: the packages that a commit gets by itself. `offers`: the releases of
    each package, oldest first.
    """

    has: Callable[[int], Packages]
    shows: Callable[[int, Packages], Judgement | None]
    offers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    needed: Packages = field(default_factory=dict)
    """What an installer that is asked to resolve adds."""


@dataclass
class Crossed(Planted):
    """Hunts in a world."""

    world: World = field(kw_only=True)
    number_of: Callable[[str], int] = field(kw_only=True)
    tried: list[tuple[int, Packages]] = field(default_factory=list)

    def perform(self, worker: int, job: Job) -> Trial:
        asked, number = job.request, self.number_of(job.request.commit)
        packages = self._packages(job)
        self.performed.append((job.purpose, asked.commit))
        if job.purpose is Purpose.CROSS:
            self.tried.append((number, packages))
        shown = self.world.shows(number, packages)
        outcome: Outcome = Untestable(Stage.INSTALL, "planted: cannot be installed")
        if job.purpose is Purpose.REVERT:
            shown = Judgement.OLD
        if shown is not None:
            outcome = Ran((run_of(shown),) * asked.runs)
        lines = tuple(f"{name}=={version}" for name, version in packages.items() if name != "python")
        facts = EnvironmentFacts(packages.get("python", "3.11.7"), lines, "uv") if shown else None
        log = str(self.folder / "log")
        # Two trials of one commit are told apart by when they began.
        began = BEGAN + timedelta(seconds=len(self.performed))
        return Trial(asked.commit, asked.key, job.purpose, began, outcome, facts, 0.1, 0, 0, 0.1, log)

    def _packages(self, job: Job) -> Packages:
        if job.purpose is not Purpose.CROSS:
            return self.world.has(self.number_of(job.request.commit))
        named = _named(job.request)
        return named if job.request.environment.exact else {**named, **self.world.needed}

    def releases(self, between: Between, asked: TrialRequest) -> tuple[str, ...] | Untestable | Trouble:
        line = list(self.world.offers.get(between.name, (between.one, between.other)))
        low, high = sorted((line.index(between.one), line.index(between.other)))
        return tuple(reversed(line[low + 1 : high]))

    @contextmanager
    def hunter(self, row: HuntRow, *, jobs: int = 1, fresh: bool = False) -> Iterator[Hunter]:
        with super().hunter(row, jobs=jobs, fresh=fresh) as hunter:
            hunter.releases = self.releases
            yield hunter


def _named(asked: TrialRequest) -> Packages:
    named = dict(line.split("==") for line in asked.environment.requirements)
    return {**named, "python": str(asked.environment.python)}


def switching(before: Packages, after: Packages) -> Callable[[int], Packages]:
    """Other packages from TURN on."""
    base = {"python": "3.11.7"}
    return lambda number: {**base, **(after if number >= TURN else before)}


def new_if(holds: bool) -> Judgement:
    return Judgement.NEW if holds else Judgement.OLD
