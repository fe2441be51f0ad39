"""`bisector check`: everything that can be known of a hunt before anything runs; all faults at once."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from statistics import median

import click

from bisector.caps import choose as choose_cage
from bisector.caps import survey
from bisector.cli.commands.opening import ears, open_mirror, unmet
from bisector.cli.commands.planned import Planned, as_json, as_lines
from bisector.cli.commands.reading import Opened, interruptible, open_state, read_recipe
from bisector.cli.commands.workshop import cache_budget
from bisector.cli.options import Options
from bisector.engine.preview import preview
from bisector.engine.progress import Note
from bisector.engine.pythons import Found, asked_for, look
from bisector.environments import Interpreters
from bisector.errors import UsageFault
from bisector.git.mirror import Mirror, Say
from bisector.installers import INSTALLERS, Installer
from bisector.model import Cap, Ran
from bisector.recipe.faults import RecipeFault
from bisector.recipe.places import in_order, places
from bisector.recipe.schema import Recipe
from bisector.store import Store

ENOUGH = 50
"""Earlier trials that a forecast looks at."""


def main(argument: str, options: Options) -> int:
    opened = read_recipe(argument, options)
    cache_budget(os.environ)
    state, store = open_state(options)
    with interruptible() as stop, ears(options) as listener:
        mirror = open_mirror(state, opened.recipe, stop)
        plan = _plan(opened, store, mirror, options, lambda text: listener.hear(Note(text)))
    if options.json:
        click.echo(json.dumps(as_json(plan), indent=2))
    else:
        click.echo("\n".join(as_lines(plan)))
    if not options.quiet:
        following = shlex.join(["bisector", "run", argument, *_repeated(options)])
        click.echo(f"\nThe recipe is sound; nothing was run. Next: {following}", err=True)
    return 0


def _repeated(options: Options) -> list[str]:
    """What the next command must be told again."""
    said = [word for setting in options.set for word in ("--set", setting)]
    return [*said, *(["--state", options.state] if options.state else [])]


def _plan(opened: Opened, store: Store, mirror: Mirror, options: Options, say: Say) -> Planned:
    recipe = opened.recipe
    machine = dict(os.environ)
    interpreters = Interpreters(machine)
    installers = tuple(make(machine) for make in INSTALLERS.values())
    means = _sound(opened, mirror, interpreters, installers, options, say)
    seconds = _earlier(store, mirror.source.shown)
    return Planned(
        recipe=recipe,
        repo=mirror.source.shown,
        preview=preview(recipe, mirror, say),
        pythons=_pythons(recipe, interpreters, installers),
        newest=next((one.version for one in interpreters.list_all()), None),
        means=means,
        sandbox=opened.sandbox,
        trial_seconds=median(seconds) if seconds else None,
        measured=len(seconds),
        jobs=options.jobs,
    )


def _sound(
    opened: Opened,
    mirror: Mirror,
    interpreters: Interpreters,
    installers: tuple[Installer, ...],
    options: Options,
    say: Say,
) -> Mapping[Cap, str]:
    """The means of each cap; every fault that git or the machine finds is told at once."""
    recipe, written = opened.recipe, opened.written
    where = places(written.text, written.name, written.overrides)
    faults, hints = unmet(opened, mirror, interpreters, installers, say)
    machine = survey(os.environ.get("PATH", "/usr/bin:/bin"))
    means: Mapping[Cap, str] = {}
    try:
        means = choose_cage(
            machine, recipe.limits, sandbox=opened.sandbox, best_effort=options.best_effort
        ).means
    except UsageFault as refusal:
        faults.append(where.fault("limits", refusal.message))
        hints += [refusal.hint] if refusal.hint else []
    if faults:
        raise RecipeFault(in_order(faults), "; ".join(hints))
    return means


def _pythons(
    recipe: Recipe, interpreters: Interpreters, installers: tuple[Installer, ...]
) -> tuple[Found, ...]:
    asked = dict.fromkeys(version for _, version in asked_for(recipe))
    found = (look(version, interpreters, installers) for version in asked)
    return tuple(one for one in found if isinstance(one, Found))


def _earlier(store: Store, shown: str) -> list[float]:
    """How long trials in this repository took, the newest hunts first."""
    seconds: list[float] = []
    for row in store.hunts():
        if row.repo == shown and len(seconds) < ENOUGH:
            seconds += [trial.seconds for trial in store.trials(row.id) if isinstance(trial.outcome, Ran)]
    return seconds[:ENOUGH]
