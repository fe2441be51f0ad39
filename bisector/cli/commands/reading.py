"""What a command begins with: the recipe, the records, an ear for signals. Light: a hunt begins with it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click

from bisector.cli.options import Options
from bisector.errors import UsageFault
from bisector.recipe.load import load
from bisector.recipe.schema import Recipe
from bisector.recipe.source import RecipeText, read_source
from bisector.state import State, choose, usable
from bisector.store import Store, no_records, open_store

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


def check_place(folder: str) -> None:
    """Said before the hunt, not after it."""
    place = Path(folder)
    there = next(path for path in (place, *place.absolute().parents) if path.exists())
    if not there.is_dir():
        raise UsageFault(f"--report: {there} is no folder", "name a folder; it is made if need be")


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """SIGINT and SIGTERM end what runs, in order; a second one ends it at once.

    `timeout` and closing terminals send theirs twice in a row: that is one. Under nohup a terminal may close.
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

    heard = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        heard.append(signal.SIGHUP)
    before = {one: signal.signal(one, on_signal) for one in heard}
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
