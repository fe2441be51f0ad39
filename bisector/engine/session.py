"""Everything a hunt needs while it runs, opened together and let go together."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from bisector.caps import Behind, Cage
from bisector.engine.ahead import MOST, Ahead, Wish
from bisector.engine.hunter import Hunter
from bisector.engine.patience import patient_search
from bisector.engine.progress import Listener, StepBegan, TrialBegan
from bisector.engine.workers import Job, Workers, recorded
from bisector.environments import Between, Environments, Place, Treecode, open_treecode
from bisector.errors import MachineFault
from bisector.folders import empty
from bisector.git import slots
from bisector.git.content import have_little_in_common
from bisector.git.mirror import Mirror
from bisector.git.tree import Tree
from bisector.hunt import Phase
from bisector.locks import try_lock
from bisector.model import Purpose, Trial, Trouble, Untestable
from bisector.plan import TrialRequest
from bisector.recipe.schema import Recipe
from bisector.state import State
from bisector.store import HuntRow, Store
from bisector.trial import Laid, Step, Workbench, perform, prepare
from bisector.trial.runner import CagedRunner


@dataclass(frozen=True)
class Tools:
    """What hunts share."""

    state: State
    store: Store
    environments: Environments
    cages: Callable[[int], Cage]
    """A cage for each worker: some caps tell workers apart."""
    listener: Listener
    stop: threading.Event
    machine: Mapping[str, str] = field(repr=False)
    jobs: int = 1
    sandbox: bool = False

    def heard_by(self, listener: Listener) -> Tools:
        return replace(self, listener=listener)


@dataclass(frozen=True, slots=True)
class HuntLocks:
    """The hunt's recorded versions, as the environments room wants them."""

    store: Store
    hunt: str

    def get(self, fingerprint: str) -> tuple[str, ...] | None:
        return self.store.versions(self.hunt, fingerprint)

    def put(self, fingerprint: str, lines: tuple[str, ...]) -> None:
        self.store.keep_versions(self.hunt, fingerprint, lines)


@contextmanager
def session(tools: Tools, row: HuntRow, recipe: Recipe, mirror: Mirror, *, fresh: bool) -> Iterator[Hunter]:
    """A hunt that this process alone runs, with its workers alive."""
    lock = try_lock(tools.state.hunt_lock(row.id))
    if lock is None:
        raise MachineFault(
            f"hunt {row.id} is under way in another process",
            f"`bisector status {row.id} --watch` shows it",
        )
    folder = tools.state.hunt(row.id)
    try:
        (folder / "logs").mkdir(parents=True, exist_ok=True)
        tools.store.catch_up(row.id)
        crew = _Crew(tools, row, mirror, folder, recipe)
        perform = recorded(crew.perform, lambda trial: tools.store.add_trial(row.id, trial))
        with Workers(tools.jobs, perform, crew.close, tools.stop) as workers:
            yield Hunter(
                row=row,
                recipe=recipe,
                mirror=mirror,
                store=tools.store,
                workers=workers,
                listener=tools.listener,
                stop=tools.stop,
                fresh=fresh,
                phase=_phase(row),
                folder=folder,
                look=patient_search,
                ahead=crew.ahead,
                releases=crew.releases,
            )
    finally:
        tools.state.now(row.id).unlink(missing_ok=True)
        os.close(lock)


def _phase(row: HuntRow) -> Phase:
    """Who goes on with a finished hunt does so because its account is missing: all of it is walked again."""
    return Phase.PREPARE if row.finished else row.phase


def _treecode(environments: Environments, recipe: Recipe, mirror: Mirror) -> Treecode | None:
    """None: a run could write to what others are given, or is measured and must compile as the others do."""
    if not environments.shelf.guarded or recipe.verdict.metric is not None:
        return None
    return open_treecode(environments.shelf, mirror.source.key)


def _has_idle_processor(tools: Tools, recipe: Recipe) -> bool:
    """Beside all workers; a run that is measured is left alone."""
    return len(os.sched_getaffinity(0)) > tools.jobs and recipe.verdict.metric is None


class _Crew:
    """What the workers of one hunt work with: a slot and a scratch directory each."""

    def __init__(self, tools: Tools, row: HuntRow, mirror: Mirror, folder: Path, recipe: Recipe) -> None:
        self._tools = tools
        self._row = row
        self._mirror = mirror
        self._folder = folder
        self._treecode = _treecode(tools.environments, recipe, mirror)
        self._benches: dict[str, Workbench] = {}
        self._last: dict[int, Workbench] = {}
        """Where each worker made its last trial."""
        self._made = len(list((folder / "logs").glob("*.log")))
        self._lock = threading.Lock()
        self.ahead: Ahead | None = None
        self._has_idle_processor = _has_idle_processor(tools, recipe)
        if self._has_idle_processor and tools.jobs == 1:
            behind = Behind()
            self.ahead = Ahead(
                lambda bench, wish, *way: prepare(bench, wish.request, wish.purpose, *way),
                lambda number, commit: self._bench(number, f"ahead-{number}", commit, behind),
                lambda: not tools.environments.is_bound,
                partial(have_little_in_common, mirror.git),
                behind.stand_back,
            )

    def perform(self, worker: int, job: Job) -> Trial:
        listener, request = self._tools.listener, job.request
        listener.hear(TrialBegan(worker, job.commit, job.purpose, job.label))
        asked = time.monotonic()
        prepared = self._prepared(worker, job)
        waited = time.monotonic() - asked if prepared is None else 0.0
        bench = self._own(worker, request.commit)
        if request.turns is not None:
            other = request.turns.beside.commit
            bench = replace(bench, beside=self._bench(worker, f"{worker}-beside", other))

        def say(step: Step) -> None:
            listener.hear(StepBegan(worker, step))
            if self.ahead is not None:
                self.ahead.a_step_began(step)

        log = self._log(request.commit, job.purpose)
        trial = perform(bench, request, job.purpose, log, say, job.cancelled, prepared)
        if self.ahead is not None:
            self.ahead.a_trial_ended(trial)
        # For what was being made ready, in vain.
        return replace(trial, seconds=trial.seconds + waited, install_seconds=trial.install_seconds + waited)

    def _prepared(self, worker: int, job: Job) -> Laid | None:
        """What lies ready for this trial; its workbench becomes the worker's."""
        if self.ahead is None:
            return None
        prepared = self.ahead.take(Wish(job.request, job.purpose), job.cancelled)
        if prepared is not None:
            own = self._own(worker, job.request.commit)
            self._last[worker] = replace(prepared.bench, cage=own.cage)
            self.ahead.leave(replace(own, cage=prepared.bench.cage))
        return prepared

    def _own(self, worker: int, commit: str) -> Workbench:
        """Where it made its last trial; its first one is at this commit."""
        if worker not in self._last:
            self._last[worker] = self._bench(worker, str(worker), commit)
        return self._last[worker]

    def _bench(self, worker: int, name: str, commit: str, behind: Behind | None = None) -> Workbench:
        """Kept as long as the hunt: what is measured beside every commit stays checked out."""
        if name not in self._benches:
            tools = self._tools
            self._benches[name] = Workbench(
                slot=slots.acquire(self._mirror, commit),
                scratch=self._folder / "scratch" / name,
                environments=tools.environments,
                cage=replace(tools.cages(worker), behind=behind),
                locks=HuntLocks(tools.store, self._row.id),
                machine=tools.machine,
                sandbox=tools.sandbox,
                treecode=self._treecode,
                look=patient_search,
                has_idle_processor=self._has_idle_processor,
                closed=(tools.state.hunts,),
            )
        return self._benches[name]

    def releases(self, between: Between, asked: TrialRequest) -> tuple[str, ...] | Untestable | Trouble:
        """Asked between two trials, beside the first worker's."""
        own = self._own(0, asked.commit)
        bench = replace(own, scratch=self._folder / "scratch" / "releases")
        bench.scratch.mkdir(parents=True, exist_ok=True)
        place = Place(
            tree=bench.slot.tree,
            scratch=bench.scratch,
            facts=Tree(bench.slot.git),
            locks=bench.locks,
            log=self._folder / "logs" / "releases.txt",
            runner=CagedRunner(bench, asked, self._tools.stop),
            cancelled=self._tools.stop,
        )
        try:
            return bench.environments.releases(between, asked.environment, place)
        finally:
            empty(bench.scratch)

    def _log(self, sha: str, purpose: Purpose) -> Path:
        with self._lock:
            self._made += 1
            return self._folder / "logs" / f"{self._made:04}-{sha[:12]}-{purpose.value}.log"

    def close(self, worker: int) -> None:
        """The worker's last act: nothing of its trials stays but their logs."""
        ahead = [f"ahead-{number + 1}" for number in range(MOST)] if self.ahead is not None else []
        if self.ahead is not None:
            self.ahead.close()
        for name in (str(worker), f"{worker}-beside", *ahead):
            bench = self._benches.pop(name, None)
            if bench is not None:
                empty(bench.scratch)
                bench.slot.release()
