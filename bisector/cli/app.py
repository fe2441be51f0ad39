"""The command line: names, options and help. A command's module is imported when it is called, not before."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from bisector.cli.importing import importing
from bisector.cli.misuse import Commands
from bisector.cli.options import REPORT, gather, hunting, keeping, planning, trying
from bisector.errors import ExitStatus

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
FORMATS = ("text", "md", "html", "json", "junit", "recipe")
SHELLS = ("bash", "zsh", "fish")


def _call(module: str, *arguments: object) -> int:
    with importing():
        command = import_module(f"bisector.cli.commands.{module}")
    return int(command.main(*arguments) or 0)


def _version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(import_module("bisector.cli.version").describe())
        context.exit()


@click.group(cls=Commands, invoke_without_command=True, context_settings=_CONTEXT)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="For bug reports."
)
@click.pass_context
def app(context: click.Context) -> None:
    """One recipe in; the commit that broke it, proven and linked to its pull request, out.

    Begin with `bisector demo`, then `bisector new` and `bisector run`.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(int(ExitStatus.USAGE))


@app.command()
@click.argument("recipe")
@hunting
@click.option("--fresh", is_flag=True, help="Hunt anew, whatever is on record.")
def run(recipe: str, fresh: bool, **given: Any) -> int:
    """Hunt, start to report; run again, it goes on where it stopped.

    RECIPE is a file, - for standard input, a URL, or the URL of an issue that holds a recipe.
    """
    return _call("run", recipe, fresh, gather(given))


@app.command()
@click.option("--repo", metavar="URL", help="Repository: a URL or a path.")
@click.option("--good", metavar="REV", help="Where it worked, or auto.")
@click.option("--bad", metavar="REV", help="Where it is broken.")
@click.option("--python", metavar="VERSION", help="The interpreter to test with.")
@click.option(
    "--install", type=click.Choice(["editable", "pythonpath", "wheel", "none"]), help="How to install."
)
@click.option("--require", multiple=True, metavar="REQ", help="A dependency; may be given several times.")
@click.option("--timeout", metavar="TIME", help="For one run of the repro, like 60s.")
@click.option(
    "-o", "--output", metavar="FILE", default="recipe.yaml", show_default=True, help="- for standard output."
)
@click.option("--run", "then_run", is_flag=True, help="Hunt at once.")
@click.argument("command", nargs=-1)
@hunting
def new(**given: Any) -> int:
    """Write a recipe: bisector new --repo R --good A --bad B -- CMD. Asks for what is missing."""
    options = gather(given)
    return _call("new", given, options)


@app.command()
@click.argument("recipe")
@planning
@click.option(
    "-j", "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Trials at a time."
)
def check(recipe: str, **given: Any) -> int:
    """Validate, resolve the ends, print the plan; run nothing."""
    return _call("check", recipe, gather(given))


@app.command(name="try")
@click.argument("recipe")
@click.argument("rev", required=False)
@trying
def try_(recipe: str, rev: str | None, **given: Any) -> int:
    """One trial at REV (default: the end that fails), its output live: to get the repro right.

    Exit status: 0 it works, 1 it fails, 3 it tells nothing, 5 the machine failed.
    """
    return _call("try_one", recipe, rev, gather(given))


@app.command()
@click.argument("hunt", required=False)
@click.option("--watch", is_flag=True, help="Draw again and again until the hunt ends.")
@keeping
@click.option("--json", is_flag=True, help="As JSON on standard output.")
def status(hunt: str | None, watch: bool, **given: Any) -> int:
    """Hunts under way and finished; live, what runs now and its memory."""
    return _call("status", hunt, watch, gather(given))


@app.command()
@click.argument("hunt")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--report", metavar="DIR", help=REPORT)
@keeping
def report(hunt: str, form: str, **given: Any) -> int:
    """Any report of a hunt again, from the records."""
    return _call("report", hunt, form, gather(given))


@app.command()
@click.option("--all", "everything", is_flag=True, help="Finished hunts, mirrors and environments as well.")
@keeping
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def clean(everything: bool, **given: Any) -> int:
    """Free environments, worktrees and mirrors, oldest first; never a hunt in progress."""
    return _call("clean", everything, gather(given))


@app.command()
@keeping
@click.option("--json", is_flag=True, help="As JSON on standard output.")
def doctor(**given: Any) -> int:
    """What this machine has and what it lacks, and how to get that.

    Exit status 5: something that every hunt needs is missing.
    """
    return _call("doctor", gather(given))


@app.command()
def schema() -> int:
    """Print the recipe's JSON Schema, for editors."""
    return _call("schema")


@app.command()
@keeping
@click.option(
    "-j", "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Trials at a time."
)
@click.option("--commits", type=click.IntRange(40, 5000), default=500, show_default=True)
@click.option("--report", metavar="DIR", help=REPORT)
def demo(commits: int, **given: Any) -> int:
    """Make a small repository with a hidden regression, and hunt it."""
    return _call("demo", commits, gather(given))


@app.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    """Print what makes SHELL complete bisector's commands: eval "$(bisector completion bash)"."""
    return _call("completion", shell)
