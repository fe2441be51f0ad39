"""Rows for people: a table on a terminal; elsewhere lines with the same words, one row a line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bisector.harmless import line

LONGEST = 500
"""Characters of a cell."""


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    style: str = ""


Row = Sequence[str | Cell]


def is_drawn() -> bool:
    """Whether standard output is a terminal that can be drawn on."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def colours(no_color: bool) -> bool:
    return not (no_color or os.environ.get("NO_COLOR"))


def show_table(headings: Sequence[str], rows: Sequence[Row], *, no_color: bool, wide: str = "") -> None:
    """`wide` is the heading of the column that gives way when the terminal is narrow."""
    if is_drawn():
        console = Console(file=sys.stdout, no_color=not colours(no_color), highlight=False)
        console.print(drawn(headings, rows, wide))
    else:
        click.echo("\n".join(aligned(headings, rows)))


def drawn(headings: Sequence[str], rows: Sequence[Row], wide: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, no_wrap=heading != wide, overflow="fold" if heading == wide else "ellipsis")
    for row in rows:
        table.add_row(*(Text(line(_text(cell), LONGEST), style=_style(cell)) for cell in row))
    return table


def aligned(headings: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """As many columns as there are headings, each as wide as its longest cell but the last."""
    texts = [list(headings), *([line(_text(cell), LONGEST) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in texts) for column in range(len(headings))]
    widths[-1] = 0
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    ]


def _text(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else cell.text


def _style(cell: str | Cell) -> str:
    return "" if isinstance(cell, str) else cell.style
