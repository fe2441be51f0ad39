"""How a fault is told."""

from __future__ import annotations

import click

from bisector.errors import BisectorError
from bisector.harmless import block


def tell(fault: BisectorError) -> None:
    """What is wrong, and the next step."""
    # A message may quote a recipe, a repository or a server.
    click.echo(f"bisector: {block(fault.message)}", err=True)
    if fault.hint:
        click.echo(f"  hint: {block(fault.hint)}", err=True)
