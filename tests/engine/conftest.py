"""Hunts with everything real but the trial: what a commit shows is known beforehand."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from bisector.engine import which
from bisector.engine.hunter import Hunter
from bisector.engine.progress import Progress
from bisector.engine.run import Result, hunt
from bisector.engine.workers import Job, Perform, Workers, recorded
from bisector.git.mirror import Mirror
from bisector.git.source import locate
from bisector.model import Judgement, Outcome, Purpose, Ran, Run, Stage, Trial, Untestable
from bisector.oracles.patterns import search
from bisector.recipe.load import load
from bisector.recipe.source import RecipeText
from bisector.store import HuntRow, Store, open_store

BEGAN = datetime(2024, 1, 1, tzinfo=timezone.utc)
Plant = Callable[[str], Judgement]


def run_of(judgement: Judgement) -> Run:
    status = {Judgement.OLD: 0, Judgement.NEW: 1}[judgement]
    return Run(status, None, None, 0.1, 0.1, None, "", 0)


def observed(job: Job, judgement: Judgement) -> Outcome:
    if job.purpose is Purpose.REVERT:
        return Ran((run_of(Judgement.OLD),))
    if judgement is Judgement.SKIP:
        return Untestable(Stage.INSTALL, "planted: cannot be installed")
    return Ran((run_of(judgement),) * job.request.runs)


class Deaf:
    def hear(self, progress: Progress) -> None:
        return


@dataclass
class Planted:
    """Hunts in one mirror, whose trials answer from `plant`."""

    folder: Path
    mirror: Mirror
    store: Store
    plant: Plant
    performed: list[tuple[Purpose, str]] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    performing: Perform | None = None
    """What is done instead of `perform`, where a test has something happen meanwhile."""

    def resume(self) -> None:
        """Nobody stops it any more."""
        self.stop, self.performing = threading.Event(), None

    def perform(self, worker: int, job: Job) -> Trial:
        request = job.request
        self.performed.append((job.purpose, request.commit))
        outcome = observed(job, self.plant(request.commit))
        log = str(self.folder / "log")
        # Two trials of one commit are told apart by when they began.
        began = BEGAN + timedelta(seconds=len(self.performed))
        return Trial(request.commit, request.key, job.purpose, began, outcome, None, 0.1, 0, 0, 0.1, log)

    def row(self, text: str) -> HuntRow:
        recipe = load(text, "recipe.yaml", (), self.folder)
        written = RecipeText(text, "recipe.yaml", str(self.folder), ())
        return which.create(self.store, recipe, written, self.mirror.source.shown)

    @contextmanager
    def hunter(self, row: HuntRow, *, jobs: int = 1, fresh: bool = False) -> Iterator[Hunter]:
        folder = self.folder / "hunts" / row.id
        folder.mkdir(parents=True, exist_ok=True)
        recipe = load(row.recipe, "recipe.yaml", (), self.folder)
        perform = recorded(self.performing or self.perform, lambda trial: self.store.add_trial(row.id, trial))
        with Workers(jobs, perform, lambda worker: None, self.stop) as workers:
            yield Hunter(
                row=row,
                recipe=recipe,
                mirror=self.mirror,
                store=self.store,
                workers=workers,
                listener=Deaf(),
                stop=self.stop,
                fresh=fresh,
                phase=row.phase,
                folder=folder,
                look=search,
            )

    def hunt(self, row: HuntRow, *, jobs: int = 1, fresh: bool = False) -> Result:
        with self.hunter(row, jobs=jobs, fresh=fresh) as hunter:
            return hunt(hunter, {})


Planting = Callable[..., Planted]


@pytest.fixture
def planted(tmp_path: Path) -> Iterator[Planting]:
    opened: list[Store] = []

    def make(repository: Path, plant: Plant, url: str | None = None) -> Planted:
        """`url`: what the recipe calls the repository; the user's git knows that it lies here."""
        if url is not None:
            instead = f'[url "{repository}"]\n\tinsteadOf = {url}\n'
            (tmp_path / ".gitconfig").write_text(instead)
        source = locate(url or str(repository), None)
        machine: Mapping[str, str] = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        mirror = Mirror(tmp_path / "mirrors" / source.key, source, machine)
        mirror.ensure(lambda text: None)
        store = open_store(tmp_path / "records")
        opened.append(store)
        return Planted(tmp_path, mirror, store, plant)

    yield make
    for store in opened:
        store.close()
