"""`bisector demo`: a repository with a hidden regression, made and hunted before the newcomer's eyes."""

from __future__ import annotations

import dataclasses
import os
import shlex
import shutil
import sys

import click

from bisector import demo
from bisector.cli.commands import run
from bisector.cli.options import Options
from bisector.state import choose, usable


def main(commits: int, options: Options) -> int:
    state = usable(choose(options.state, os.environ))
    folder = state.demo
    shutil.rmtree(folder, ignore_errors=True)
    click.echo(f"making a repository of {commits} commits with a hidden regression in {folder}", err=True)
    made = demo.make(folder, commits)
    recipe = folder / "recipe.yaml"
    recipe.write_text(made.recipe)
    click.echo(f"\nthe recipe, {recipe}:\n\n{made.recipe}", err=True)
    status = run.main(str(recipe), True, dataclasses.replace(options, yes=True))
    own = "bisector" if shutil.which("bisector") else sys.argv[0]
    again = shlex.join([own, "try", str(recipe), "v1.0"])
    click.echo(f"\nTry it yourself: {again}; then `{own} new` for your own.", err=True)
    return status
