"""One trial outside any hunt: nothing is recorded, nothing stays but what trials share."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bisector.engine import which
from bisector.engine.asking import Asking
from bisector.engine.patience import patient_search
from bisector.engine.session import Tools
from bisector.engine.workers import Job, Workers
from bisector.folders import empty
from bisector.git import slots
from bisector.git.mirror import Mirror
from bisector.git.refs import resolve
from bisector.locks import try_lock
from bisector.model import Judgement, Purpose, Ran, Trial
from bisector.oracles.finding import Standard
from bisector.oracles.metric import named_limit
from bisector.oracles.signatures import Signature
from bisector.recipe.schema import Recipe
from bisector.state import State
from bisector.store import Store
from bisector.trial import Step, Workbench, perform
from bisector.verdict import findings, shared_failure


@dataclass
class OwnLocks:
    """Resolved versions, for as long as the trial takes."""

    lines: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def get(self, fingerprint: str) -> tuple[str, ...] | None:
        return self.lines.get(fingerprint)

    def put(self, fingerprint: str, lines: tuple[str, ...]) -> None:
        self.lines[fingerprint] = lines


@contextmanager
def place(state: State) -> Iterator[Path]:
    """A folder for one trial; its lock tells `clean` that somebody is in it."""
    folder = state.tries / secrets.token_hex(4)
    lock = try_lock(folder.with_suffix(".lock"))
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        empty(folder)
        folder.with_suffix(".lock").unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def make_trial(
    tools: Tools, recipe: Recipe, mirror: Mirror, sha: str, folder: Path, say: Callable[[Step], None]
) -> Trial:
    """The trial at `sha`, in a thread of its own; its log is `log_of(folder)`."""
    ends = {Judgement.OLD: recipe.old, Judgement.NEW: recipe.new}
    asking = Asking(recipe, mirror, lambda state: resolve(mirror, ends[state], lambda text: None))
    asked = asking.request(sha)
    asked = replace(asked, environment=replace(asked.environment, own_build=True))
    bench: list[Workbench] = []

    def work(worker: int, job: Job) -> Trial:
        bench.append(
            Workbench(
                slot=slots.acquire(mirror, sha),
                scratch=folder / "scratch",
                environments=tools.environments,
                cage=tools.cages(worker),
                locks=OwnLocks(),
                machine=tools.machine,
                sandbox=tools.sandbox,
            )
        )
        return perform(bench[0], job.request, job.purpose, log_of(folder), say, job.cancelled)

    def leave(worker: int) -> None:
        for one in bench:
            one.slot.release()

    with Workers(1, work, leave, tools.stop) as workers:
        return workers.wait(workers.submit(asked, Purpose.TRY, "try", asking.commit(sha)))


def log_of(folder: Path) -> Path:
    return folder / "log"


def standard(recipe: Recipe, signature: Signature | None) -> Standard:
    policy = recipe.verdict
    limit = named_limit(policy.metric)
    return Standard(policy, recipe.working, recipe.install.module, signature, limit)


def hunted_failure(store: Store, recipe: Recipe) -> Signature | None:
    """What the failing end showed in an earlier hunt of this very recipe, if there was one."""
    row = which.find(store, recipe)
    if row is None:
        return None
    failing = row.new_commit if recipe.failing is Judgement.NEW else row.old_commit
    for trial in store.trials(row.id):
        if trial.commit == failing and trial.purpose is Purpose.END and isinstance(trial.outcome, Ran):
            return shared_failure(findings(trial.outcome, standard(recipe, None), patient_search))
    return None
