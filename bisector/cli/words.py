"""How a fault is told."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence

import click

from bisector.errors import BisectorError
from bisector.harmless import block
from bisector.wrapping import columns, wrapped

_KEEPING = re.compile(r"`bisector (clean|status|report)\b")
"""Commands that would look elsewhere, were they not told where."""


def tell(fault: BisectorError, state: str | None) -> None:
    """What is wrong, and the next step. `state`: the `--state` in use."""
    # A message may quote a recipe, a repository or a server.
    width = columns(sys.stderr)
    click.echo(wrapped(f"bisector: {block(fault.message)}", width), err=True)
    if fault.hint:
        click.echo(wrapped(f"  hint: {block(there(fault.hint, state))}", width), err=True)


def there(hint: str, state: str | None) -> str:
    """The commands that a hint names, for the state directory in use."""
    if state is None:
        return hint
    return _KEEPING.sub(lambda found: f"{found[0]} --state {shlex.quote(state)}", hint)


def state_in(arguments: Sequence[str]) -> str | None:
    """The last `--state` of a command line, which may be one that could not be understood."""
    given, words = None, iter(arguments)
    for word in words:
        if word == "--":
            break
        if word == "--state":
            given = next(words, None)
        elif word.startswith("--state="):
            given = word.removeprefix("--state=")
    return given
