"""What is wrong with a command line, in our own words: click's change from one release to the next.

Knows the kinds of misuse, not the commands.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

import click

from bisector.errors import UsageFault


class Commands(click.Group):
    """Names the nearest command; a recipe in a command's place is what `run` wants."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if self.get_command(ctx, word) is None and not word.startswith("-"):
            raise _no_command(word, self.list_commands(ctx), ctx.command_path)
        return super().resolve_command(ctx, args)


def _no_command(word: str, known: Iterable[str], program: str) -> UsageFault:
    if word.endswith((".yaml", ".yml")) or "://" in word or Path(word).is_file():
        return UsageFault(f"{word!r} is no command", f"`{program} run {word}` hunts with that recipe")
    return UsageFault(
        f"{word!r} is no command{_nearest(word, known)}", f"`{program} --help` lists the commands"
    )


def explain(fault: click.UsageError) -> UsageFault:
    program = fault.ctx.command_path if fault.ctx else "bisector"
    return UsageFault(_told(fault), f"`{program} --help` tells what it takes")


def _told(fault: click.UsageError) -> str:
    match fault:
        case click.NoSuchOption():
            return f"no such option: {fault.option_name}{_nearest(fault.option_name, _options(fault.ctx))}"
        case click.MissingParameter() if fault.param is not None:
            return f"{_name(fault.param)} is missing"
        case click.BadParameter() if fault.param is not None and isinstance(fault.param.type, click.IntRange):
            kind = fault.param.type
            value = fault.message.partition(" is not ")[0]
            return f"{_name(fault.param)}: {value} is not a number from {kind.min} to {kind.max}"
        case click.BadParameter() if fault.param is not None:
            return f"{_name(fault.param)}: {_plain(fault.message)}"
        case _:
            return _plain(fault.format_message())


def _name(param: click.Parameter) -> str:
    """As it is typed: RECIPE, --jobs."""
    return param.opts[-1] if isinstance(param, click.Option) else (param.name or "").upper()


def _options(ctx: click.Context | None) -> list[str]:
    if ctx is None:
        return []
    return [word for param in ctx.command.get_params(ctx) for word in (*param.opts, *param.secondary_opts)]


def _plain(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def _nearest(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""
