"""`bisector completion`: the script that makes a shell complete our commands."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from bisector.cli.app import app


def main(shell: str) -> None:
    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(f"no completion for {shell}")
    click.echo(kind(app, {}, "bisector", "_BISECTOR_COMPLETE").source())
