"""What commands open for a recipe: its mirror, the tools, ears for the progress; and what it asks for in vain."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from bisector.beside import beside
from bisector.cli.commands.reading import Opened
from bisector.cli.commands.workshop import Workshop
from bisector.cli.options import Options
from bisector.console import LiveConsole, PlainConsole, Silent, terminal
from bisector.engine.folders import folder_faults, overlay_faults
from bisector.engine.progress import Listener, Note
from bisector.engine.pythons import python_faults
from bisector.engine.revisions import revision_faults, revision_hint
from bisector.engine.session import Tools
from bisector.engine.workers import attempt
from bisector.environments import Interpreters
from bisector.git.mirror import Mirror, Say
from bisector.git.source import locate
from bisector.installers import Installer
from bisector.recipe.faults import Fault
from bisector.recipe.places import places
from bisector.recipe.schema import Recipe
from bisector.state import State
from bisector.store import Store


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
    overlays = [] if revisions else overlay_faults(where, recipe, mirror)
    hints = [revision_hint(mirror)] if revisions else []
    hints += ["`bisector doctor` lists the Pythons of this machine"] if pythons else []
    hints += ["`install.path` counts from the top of the repository"] if folders else []
    hints += ["`overlay` paths count from the top of the repository"] if overlays else []
    return [*revisions, *pythons, *folders, *overlays], hints


@contextmanager
def tools(
    workshop: Workshop,
    state: State,
    store: Store,
    options: Options,
    listener: Listener,
    stop: threading.Event,
) -> Iterator[Tools]:
    """All that a hunt or a trial is made with."""
    environments, machine = workshop.environments, dict(os.environ)
    workshop.words.heard_by(lambda text: listener.hear(Note(text)))
    # Counting what is there waits for nothing and for nobody.
    with beside(lambda: attempt(lambda: environments.fit(workshop.budget))):
        yield Tools(
            *(state, store, environments, workshop.cages, listener, stop, machine),
            *(options.jobs, workshop.sandbox),
        )


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
