"""What trials are made with: the cage that a recipe's limits need, and the environments.

A run begins with it, before it imports what hunts: the registry is asked and the machine looked through meanwhile.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from bisector.caps import Cage, survey, sweep
from bisector.caps import choose as choose_cage
from bisector.cli.commands.reading import sandboxed
from bisector.cli.options import Options
from bisector.engine.workers import attempt
from bisector.environments import DEFAULT_BUDGET, Environments, open_environments
from bisector.errors import UsageFault
from bisector.model import EnvironmentRequest
from bisector.recipe.faults import Unfit
from bisector.recipe.schema import Recipe
from bisector.recipe.units import size
from bisector.state import State

CACHE = "BISECTOR_CACHE"
"""The variable that says how much environments may take."""


class Words:
    """What is said in the workshop, kept until somebody listens."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[str] = []
        self._hear: Callable[[str], None] = self._kept.append

    def say(self, words: str) -> None:
        with self._lock:
            self._hear(words)

    def heard_by(self, hear: Callable[[str], None]) -> None:
        with self._lock:
            self._hear = hear
            for words in self._kept:
                hear(words)
            self._kept.clear()


@dataclass(frozen=True, slots=True)
class Workshop:
    """Opened once; whoever has it opened closes it."""

    environments: Environments
    cages: Callable[[int], Cage]
    """A cage for each worker: some caps tell workers apart."""
    sandbox: bool
    budget: int
    """Bytes that environments may take."""
    words: Words


@contextmanager
def beforehand(
    state: State, recipe: Recipe, options: Options, request: EnvironmentRequest | None
) -> Iterator[Callable[[], Workshop]]:
    """The workshop, whose machine is looked through beside what the block does until it asks for it.

    And what `request` needs and no commit decides is begun; whatever is met there is met again by who needs it.
    """
    if options.executor != "local":
        raise UsageFault(
            f"--executor {options.executor} is not supported yet", "leave it out: trials run here"
        )
    sandbox = sandboxed(recipe, options)
    budget, words, over = cache_budget(os.environ), Words(), threading.Event()
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="workshop") as pool:
        looking = pool.submit(_cages, recipe, options, sandbox)
        environments = _environments(state, sandbox, lambda: looking.result()(0).fence.guards, words)
        if request is not None:
            pool.submit(environments.begin, request, over)
        try:
            yield lambda: Workshop(environments, looking.result(), sandbox, budget, words)
        finally:
            over.set()
            pool.shutdown()
            environments.close()
            # What this hunt made, now that it has let go of it.
            attempt(lambda: environments.fit(budget))


def _cages(recipe: Recipe, options: Options, sandbox: bool) -> Callable[[int], Cage]:
    machine = survey(os.environ.get("PATH", "/usr/bin:/bin"))
    sweep(machine)

    def cages(worker: int) -> Cage:
        effort = options.best_effort
        return choose_cage(machine, recipe.limits, sandbox=sandbox, best_effort=effort, worker=worker)

    # What the machine cannot do is told before anything is begun.
    cages(0)
    return cages


def _environments(state: State, sandbox: bool, guarded: Callable[[], bool], words: Words) -> Environments:
    root, environ = state.environments, dict(os.environ)
    if sandbox:
        # A build may write to the downloads that it is served from: not to those of anybody else.
        root, environ = state.caged_environments, _without_caches(environ)
    return open_environments(root, environ, guarded=guarded, say=words.say)


def cache_budget(machine: Mapping[str, str]) -> int:
    """How many bytes environments may take, all in all: a number of them, or a size as in recipes."""
    said = machine.get(CACHE)
    if not said:
        return DEFAULT_BUDGET
    try:
        return int(said) if said.isdecimal() else size(said)
    except Unfit as fault:
        raise UsageFault(f"{CACHE}: {fault}", f"{CACHE}=20GiB is what holds without it") from fault


def _without_caches(environ: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if not name.endswith("_CACHE_DIR")}
