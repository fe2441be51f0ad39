"""`bisector status`: the hunts on record and what they do now; `--watch` draws one until it ends."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timezone

import click
from rich.console import Group
from rich.live import Live
from rich.text import Text

from bisector.cli.commands.reading import look_into_state
from bisector.cli.commands.report import find
from bisector.cli.commands.workshop import cache_budget
from bisector.cli.options import Options
from bisector.cli.tables import Cell, colours, is_drawn, show_table
from bisector.console import PHASES, terminal
from bisector.engine.forecast import in_words
from bisector.engine.now import RunningTrial
from bisector.engine.watching import Sight, Standing, look, memory_of_trials, sights
from bisector.errors import UsageFault
from bisector.harmless import line
from bisector.housekeeping import Kept, kept
from bisector.hunt import Phase
from bisector.model import Ending
from bisector.report.figures import counted, size
from bisector.report.wording import WORDING, Tone
from bisector.state import State
from bisector.store import Store

LOOK = 0.5
"""Seconds between two pictures."""
_STYLES = {Tone.SETTLED: "green", Tone.DOUBTFUL: "yellow", Tone.TROUBLED: "red"}


def main(hunt: str | None, watch: bool, options: Options) -> None:
    if watch and options.json:
        raise UsageFault("--watch draws for people, --json is for programs", "give one of them")
    state, store = look_into_state(options)
    if watch:
        _watch(state, store, hunt, options)
    elif hunt is not None:
        sight = look(state, store, find(store, hunt))
        click.echo(json.dumps(_json(sight), indent=2) if options.json else "\n".join(_details(state, sight)))
    else:
        _list(state, store, options)


def _list(state: State, store: Store, options: Options) -> None:
    seen, holds = sights(state, store), kept(state)
    if options.json:
        told = {"bisector": 1, "state": str(state.root), "kept": _kept_json(holds)}
        click.echo(json.dumps({**told, "hunts": [_json(sight) for sight in seen]}, indent=2))
        return
    if seen:
        rows = [_row(sight) for sight in seen]
        headings = ("hunt", "state", "culprit", "trials", "age", "name")
        show_table(headings, rows, no_color=options.no_color, wide="name")
    else:
        click.echo(
            "no hunt is on record; `bisector demo` shows one, `bisector new` writes a recipe", err=True
        )
    click.echo(f"{_kept_words(holds)}, in {state.root}", err=True)


def _row(sight: Sight) -> tuple[str | Cell, ...]:
    return (
        Cell(sight.row.id, "bold"),
        Cell(_state(sight), _style(sight)),
        (sight.culprit or "")[:10],
        str(sight.trials),
        ago(sight.age),
        sight.row.name,
    )


def _state(sight: Sight) -> str:
    """In a few words, with what is left where it is under way."""
    row = sight.row
    match sight.standing:
        case Standing.FINISHED:
            return WORDING[row.ending].label if row.ending else "finished"
        case Standing.RUNNING:
            return _progress(sight)
        case Standing.KILLED:
            return "interrupted (its process is gone)"
        case Standing.STOPPED:
            return WORDING[row.ending].label if row.ending else "not begun"


def _progress(sight: Sight) -> str:
    said = sight.now
    if said is None:
        return "running"
    phase = Phase(said.phase)
    words = [PHASES[phase]]
    if said.left is not None and phase in (Phase.ENDS, Phase.NARROW):
        words.append(f"{counted(said.left, 'commit')} left")
    return ", ".join(words)


def _style(sight: Sight) -> str:
    if sight.standing is Standing.RUNNING:
        return "cyan"
    return _STYLES[WORDING[sight.row.ending or Ending.INTERRUPTED].tone]


def ago(seconds: float) -> str:
    """A few letters: 40 s, 5 min, 3 h, 12 days."""
    for most, length, unit in ((60, 1, "s"), (3600, 60, "min"), (48 * 3600, 3600, "h")):
        if seconds < most:
            return f"{max(0, seconds) / length:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"


def _kept_words(holds: Kept) -> str:
    most = size(cache_budget(os.environ))
    return (
        f"kept: {size(holds.total)} (environments {size(holds.environments)} of at most {most}, "
        f"mirrors {size(holds.mirrors)}, hunts {size(holds.hunts + holds.records)})"
    )


def _details(state: State, sight: Sight) -> Iterator[str]:
    row = sight.row
    yield f"{line(row.name)}: {_state(sight)}"
    yield ""
    facts = [("hunt", row.id), ("recipe", row.recipe_name), ("repository", row.repo)]
    facts += [("began", f"{row.created.astimezone(timezone.utc):%Y-%m-%d %H:%M} UTC, {ago(sight.age)} ago")]
    for ref, commit in ((row.old_ref, row.old_commit), (row.new_ref, row.new_commit)):
        facts += [("end", f"{ref} = {commit[:10]}")] if ref and commit else []
    facts += [("trials", str(sight.trials))]
    facts += [("culprit", sight.culprit)] if sight.culprit else []
    facts += [("told", row.message)] if row.message else []
    facts += [("logs", str(state.hunt(row.id) / "logs"))]
    yield from (f"  {label:<12}{line(text, 1000)}" for label, text in facts)
    if sight.standing is Standing.RUNNING:
        yield from (f"  {'running':<12}{text}" for text in _running(sight))
    yield ""
    yield _next(sight)


def _next(sight: Sight) -> str:
    match sight.standing:
        case Standing.FINISHED:
            return f"bisector report {sight.row.id}"
        case Standing.RUNNING:
            return f"bisector status {sight.row.id} --watch"
        case _:
            return f"to go on: bisector run {sight.row.recipe_name}"


def _running(sight: Sight) -> Iterator[str]:
    """What each worker does now."""
    for trial in sight.now.running.values() if sight.now else ():
        yield _trial(trial)


def _trial(trial: RunningTrial) -> str:
    seconds = max(0.0, time.time() - trial.began)
    step = trial.step or "waiting"
    return f"{trial.commit[:10]} {step} {seconds:.0f} s  {trial.label}: {line(trial.subject, 60)}"


def _summary(sight: Sight) -> str:
    words = [_progress(sight), counted(sight.trials, "trial")]
    if sight.now is not None:
        if sight.now.expected is not None and sight.now.phase != Phase.CONFIRM.value:
            words.append(f"about {sight.now.expected} more to search")
        words.append(in_words(sight.seconds_left))
        words.append(f"{size(memory_of_trials(sight.now.pid))} in use by trials")
    return ", ".join(words)


def _watch(state: State, store: Store, hunt: str | None, options: Options) -> None:
    sight = _chosen(state, store, hunt)
    if sight is None:
        click.echo("no hunt is under way", err=True)
        return
    sight = _draw(state, store, sight, options) if is_drawn() else _print(state, store, sight)
    click.echo("\n".join(_details(state, sight)))


def _chosen(state: State, store: Store, hunt: str | None) -> Sight | None:
    """The one that was named, else the newest that runs."""
    if hunt is not None:
        return look(state, store, find(store, hunt))
    return next((one for one in sights(state, store) if one.standing is Standing.RUNNING), None)


def _draw(state: State, store: Store, sight: Sight, options: Options) -> Sight:
    console = terminal(sys.stdout, colour=colours(options.no_color))
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while sight.standing is Standing.RUNNING:
            live.update(_picture(sight), refresh=True)
            time.sleep(LOOK)
            sight = look(state, store, find(store, sight.row.id))
    return sight


def _picture(sight: Sight) -> Group:
    rows = [
        Text(f"{line(sight.row.name)} ({sight.row.id})", style="bold"),
        Text(_summary(sight), style="cyan"),
    ]
    rows += [Text(f"  {text}", no_wrap=True, overflow="ellipsis") for text in _running(sight)]
    return Group(*rows)


def _print(state: State, store: Store, sight: Sight) -> Sight:
    """A line whenever a trial has ended."""
    told = -1
    while sight.standing is Standing.RUNNING:
        if sight.trials != told:
            told = sight.trials
            click.echo(_summary(sight))
        time.sleep(LOOK)
        sight = look(state, store, find(store, sight.row.id))
    return sight


def _json(sight: Sight) -> dict[str, object]:
    row, said = sight.row, sight.now if sight.standing is Standing.RUNNING else None
    return {
        "hunt": row.id,
        "name": row.name,
        "repo": row.repo,
        "standing": sight.standing.value,
        "phase": said.phase if said else row.phase.value,
        "outcome": row.ending.value if row.ending else None,
        "culprit": sight.culprit,
        "trials": sight.trials,
        "created": row.created.astimezone(timezone.utc).isoformat(),
        "message": row.message or None,
        "pid": said.pid if said else None,
        "commits_left": said.left if said else None,
        "trials_left": said.expected if said else None,
        "seconds_left": sight.seconds_left if said else None,
        "memory": memory_of_trials(said.pid) if said else None,
        "running": [
            {"commit": one.commit, "step": one.step, "label": one.label, "since": _moment(one.began)}
            for one in (said.running.values() if said else ())
        ],
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()


def _kept_json(holds: Kept) -> dict[str, int]:
    return {
        "environments": holds.environments,
        "mirrors": holds.mirrors,
        "hunts": holds.hunts,
        "records": holds.records,
    }
