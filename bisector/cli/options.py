"""Options that several commands share, as one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Options:
    """As typed; what they mean is the commands' business."""

    set: tuple[str, ...] = ()
    jobs: int = 1
    executor: str = "local"
    state: str | None = None
    report: str | None = None
    json: bool = False
    quiet: bool = False
    no_color: bool = False
    sandbox: bool | None = None
    best_effort: bool = False
    yes: bool = False


_STATE = click.option("--state", metavar="DIR", help="Where bisector keeps its records (or BISECTOR_STATE).")
_JSON = click.option(
    "--json", is_flag=True, help="The result as JSON on standard output, nothing else there."
)
_QUIET = click.option("-q", "--quiet", is_flag=True, help="Say nothing while working.")
_NO_COLOR = click.option("--no-color", is_flag=True, help="No colours (or NO_COLOR).")
_SET = click.option("--set", multiple=True, metavar="KEY=VALUE", help="Overrules the recipe; dotted keys.")
_HOLDING = (
    click.option("--sandbox/--no-sandbox", default=None, help="Read-only system, private home, no network."),
    click.option("--best-effort", is_flag=True, help="Go on where a limit cannot be enforced here."),
)
REPORT = "Write report.md, report.html, report.json and junit.xml there."
_RUNNING = (
    click.option(
        "-j", "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Trials at a time."
    ),
    click.option("--executor", default="local", metavar="NAME", help="local, dask:ADDRESS or slurm."),
    *_HOLDING,
    click.option("-y", "--yes", is_flag=True, help="Do not ask."),
)


def keeping(function: F) -> F:
    """For commands that only look at what is kept."""
    return _with(function, (_STATE, _NO_COLOR))


def reading(function: F) -> F:
    """For commands that read a recipe."""
    return _with(function, (_SET, _STATE, _JSON, _QUIET, _NO_COLOR))


def planning(function: F) -> F:
    """For commands that tell what a hunt would do."""
    return _with(reading(function), _HOLDING)


def hunting(function: F) -> F:
    """For commands that hunt."""
    return _with(reading(function), (*_RUNNING, click.option("--report", metavar="DIR", help=REPORT)))


def trying(function: F) -> F:
    """For a trial outside of any hunt; who asks it for a report is told why there is none."""
    return _with(reading(function), (*_RUNNING, click.option("--report", hidden=True)))


def _with(function: F, options: tuple[Callable[[F], F], ...]) -> F:
    for option in reversed(options):
        function = option(function)
    return function


def gather(given: dict[str, Any]) -> Options:
    """The shared ones among a command's parameters, taken out of them."""
    return Options(**{field.name: given.pop(field.name) for field in fields(Options) if field.name in given})
