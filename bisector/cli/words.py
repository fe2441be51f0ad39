"""How a fault is told."""

from __future__ import annotations

import sys

import click

from bisector.errors import BisectorError
from bisector.harmless import block
from bisector.wrapping import columns, wrapped


def tell(fault: BisectorError) -> None:
    """What is wrong, and the next step."""
    # A message may quote a recipe, a repository or a server.
    width = columns(sys.stderr)
    click.echo(wrapped(f"bisector: {block(fault.message)}", width), err=True)
    if fault.hint:
        click.echo(wrapped(f"  hint: {block(fault.hint)}", width), err=True)
