"""What commands open before they begin: the recipe, the records, the tools, ears for the progress."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import click

from bisector.beside import beside
from bisector.caps import Cage, survey, sweep
from bisector.caps import choose as choose_cage
from bisector.cli.options import Options
from bisector.console import LiveConsole, PlainConsole, Silent, terminal
from bisector.engine.begin import RecipeText
from bisector.engine.folders import folder_faults
from bisector.engine.progress import Listener
from bisector.engine.pythons import python_faults
from bisector.engine.revisions import revision_faults, revision_hint
from bisector.engine.session import Tools
from bisector.engine.workers import attempt
from bisector.environments import DEFAULT_BUDGET, Interpreters, open_environments
from bisector.errors import UsageFault
from bisector.git.mirror import Mirror, Say
from bisector.git.source import locate
from bisector.installers import Installer
from bisector.recipe.faults import Fault, Unfit
from bisector.recipe.load import load
from bisector.recipe.places import places
from bisector.recipe.schema import Recipe
from bisector.recipe.source import read_source
from bisector.recipe.units import size
from bisector.state import State, choose, usable
from bisector.store import Store, no_records, open_store

CACHE = "BISECTOR_CACHE"
"""The variable that says how much environments may take."""
ONE_SIGNAL = 0.5
"""Seconds within which two signals are one."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A recipe that is sound, and the text that it was."""

    recipe: Recipe
    written: RecipeText
    sandbox: bool
    """On for other people's recipes; for one's own where it is asked for."""


def read_recipe(argument: str, options: Options) -> Opened:
    source = read_source(argument, sys.stdin.buffer)
    recipe = load(source.text, source.name, options.set, source.base, origin=source.origin)
    base = str(source.base) if source.base else ""
    sandbox = sandboxed(recipe, options)
    if sandbox:
        # Part of what is asked: a trial without network must not be taken for one that had it.
        recipe = replace(recipe, limits=replace(recipe.limits, network=False))
    return Opened(recipe, RecipeText(source.text, source.name, base, options.set), sandbox)


def sandboxed(recipe: Recipe, options: Options) -> bool:
    return recipe.foreign if options.sandbox is None else options.sandbox


def open_state(options: Options) -> tuple[State, Store]:
    state = usable(choose(options.state, os.environ))
    store = open_store(state.root)
    if store.notice is not None:
        click.echo(f"bisector: {store.notice}", err=True)
    return state, store


def look_into_state(options: Options) -> tuple[State, Store]:
    """For commands that only look: where nothing was kept yet, nothing is made."""
    state = choose(options.state, os.environ)
    if not state.root.exists() or (state.root.is_dir() and not state.holds_records):
        return state, no_records(state.root)
    return open_state(options)


def open_mirror(state: State, recipe: Recipe, stop: threading.Event) -> Mirror:
    source = locate(recipe.repo, recipe.base)
    return Mirror(state.mirrors / source.key, source, dict(os.environ), stop)


def unmet(
    opened: Opened,
    mirror: Mirror,
    interpreters: Interpreters,
    installers: Sequence[Installer],
    say: Say,
) -> tuple[list[Fault], list[str]]:
    """What the recipe names and neither the repository nor this machine has; and what helps."""
    recipe, written = opened.recipe, opened.written
    where = places(written.text, written.name, written.overrides)
    revisions = revision_faults(where, recipe, mirror, say)
    pythons = python_faults(where, recipe, interpreters, installers)
    folders = [] if revisions else folder_faults(where, recipe, mirror)
    hints = [revision_hint(mirror)] if revisions else []
    hints += ["`bisector doctor` lists the Pythons of this machine"] if pythons else []
    hints += ["`install.path` counts from the top of the repository"] if folders else []
    return [*revisions, *pythons, *folders], hints


@contextmanager
def tools(
    state: State, store: Store, recipe: Recipe, options: Options, listener: Listener, stop: threading.Event
) -> Iterator[Tools]:
    """The cage that this recipe's limits need, and the environments."""
    if options.executor != "local":
        raise UsageFault(
            f"--executor {options.executor} is not supported yet", "leave it out: trials run here"
        )
    sandbox = sandboxed(recipe, options)
    budget = cache_budget(os.environ)
    machine = survey(os.environ.get("PATH", "/usr/bin:/bin"))
    sweep(machine)

    def cages(worker: int) -> Cage:
        effort = options.best_effort
        return choose_cage(machine, recipe.limits, sandbox=sandbox, best_effort=effort, worker=worker)

    guarded = cages(0).fence.guards
    root, environ = state.environments, dict(os.environ)
    if sandbox:
        # A build may write to the downloads that it is served from: not to those of anybody else.
        root, environ = state.caged_environments, _without_caches(environ)
    environments = open_environments(root, environ, guarded=guarded)
    try:
        # Counting what is there waits for nothing and for nobody.
        with beside(lambda: attempt(lambda: environments.fit(budget))):
            yield Tools(
                state, store, environments, cages, listener, stop, dict(os.environ), options.jobs, sandbox
            )
    finally:
        environments.close()
        # What this hunt made, now that it has let go of it.
        attempt(lambda: environments.fit(budget))


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


@contextmanager
def ears(options: Options) -> Iterator[Listener]:
    """Who hears of the progress: a live picture, plain lines, or nobody."""
    if options.quiet:
        yield Silent()
        return
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield PlainConsole(lambda line: click.echo(line, err=True))
        return
    live = LiveConsole(terminal(colour=not (options.no_color or os.environ.get("NO_COLOR"))))
    live.start()
    try:
        yield live
    finally:
        live.stop()


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """SIGINT and SIGTERM end what runs, in order; a second one ends it at once.

    `timeout` and closing terminals send theirs twice in a row: that is one.
    """
    stop = threading.Event()
    first = 0.0

    def on_signal(number: int, frame: object) -> None:
        nonlocal first
        if not stop.is_set():
            first = time.monotonic()
            stop.set()
        elif time.monotonic() - first > ONE_SIGNAL:
            raise KeyboardInterrupt

    before = {one: signal.signal(one, on_signal) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
