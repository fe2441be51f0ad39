"""How a fault is told."""

from __future__ import annotations

import click

from bisector.errors import BisectorError


def tell(fault: BisectorError) -> None:
    """What is wrong, and the next step."""
    click.echo(f"bisector: {fault.message}", err=True)
    if fault.hint:
        click.echo(f"  hint: {fault.hint}", err=True)
