"""`bisector clean`: gives back what is not in use, and says how much that was."""

from __future__ import annotations

import sys

import click

from bisector.cli.commands.reading import open_state
from bisector.cli.options import Options
from bisector.cli.words import there
from bisector.errors import UsageFault
from bisector.harmless import line
from bisector.housekeeping import UNUSED, Freed, clean, kept
from bisector.report.figures import counted, size

ALL = "every hunt that is not running with its report and logs, every mirror, environment and download"


def main(everything: bool, options: Options) -> None:
    state, store = open_state(options)
    if everything and not options.yes:
        _agree(str(state.root))
    freed: list[Freed] = []
    for one in clean(state, store, everything=everything):
        freed.append(one)
        click.echo(f"removed {one.what} {line(one.name)} ({size(one.bytes)})", err=True)
    click.echo(f"freed {size(sum(one.bytes for one in freed))}{_summary(freed)}")
    rest = kept(state).total
    if rest and not everything:
        more = there("`bisector clean --all` removes more", options.state)
        click.echo(f"{size(rest)} are still kept; {more}", err=True)


def _agree(place: str) -> None:
    click.echo(f"This removes {ALL}, in {place}.", err=True)
    if not sys.stdin.isatty():
        raise UsageFault("--all removes results too: without a terminal to ask it needs --yes")
    click.confirm("Go on?", abort=True, err=True)


def _summary(freed: list[Freed]) -> str:
    """: 3 environments, 1 worktree"""
    kinds = dict.fromkeys(one.what for one in freed)
    counts = [
        counted(sum(one.what == kind for one in freed), kind)
        for kind in kinds
        if kind not in ("scratch", UNUSED)
    ]
    return f": {', '.join(counts)}" if counts else ""
