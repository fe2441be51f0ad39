"""`bisector report`: any report again, from the records."""

from __future__ import annotations

import sys

import click

from bisector.cli.commands.reading import check_place, look_into_state
from bisector.cli.commands.writing import write_reports
from bisector.cli.options import Options
from bisector.errors import UsageFault
from bisector.harmless import line
from bisector.report import RENDERERS, Format
from bisector.store import HuntRow, Store
from bisector.wrapping import columns, wrapped

OTHERS_SHOWN = 5


def main(hunt: str, form: str, options: Options) -> None:
    if options.report:
        check_place(options.report)
    _, store = look_into_state(options)
    row = find(store, hunt)
    if row.id != hunt and row.name == hunt:
        _tell_of_others(store, row)
    account = store.account(row.id)
    if account is None:
        raise UsageFault(
            f"hunt {row.id} has no result yet", f"`bisector status {row.id}` shows how far it is"
        )
    if options.report:
        write_reports(account, options.report)
    told = RENDERERS[Format(form)](account)
    # What is meant for programs is theirs to the letter, also on a terminal.
    shown = wrapped(told, columns(sys.stdout)) if Format(form) is Format.TEXT else told
    click.echo(shown, nl=False)


def _tell_of_others(store: Store, row: HuntRow) -> None:
    """A name may be that of several hunts, of which the newest was taken."""
    others = [one for one in store.hunts() if one.name == row.name and one.id != row.id]
    if others:
        ids = ", ".join(one.id for one in others[:OTHERS_SHOWN])
        more = ", ..." if len(others) > OTHERS_SHOWN else ""
        click.echo(
            f"bisector: {len(others) + 1} hunts are called {line(row.name)!r}; this is {row.id}, the newest. "
            f"The others by their ids: {ids}{more}",
            err=True,
        )


def find(store: Store, name: str) -> HuntRow:
    """A hunt by its id, the beginning of one, or its name."""
    rows = store.hunts()
    row = store.hunt(name) or next((row for row in rows if row.name == name), None)
    meant = [one.id for one in rows if one.id.startswith(name)]
    if row is None and meant:
        raise UsageFault(
            f"{name!r} begins the ids of {len(meant)} hunts: {', '.join(meant[:5])}", "give more of the id"
        )
    if row is None:
        known = ", ".join(f"{row.id} ({row.name})" for row in rows[:5])
        raise UsageFault(
            f"no hunt {name!r} is on record",
            f"known: {known}" if known else "none is: `bisector run` makes one",
        )
    return row
