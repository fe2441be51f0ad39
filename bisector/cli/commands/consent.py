"""Somebody else's recipe: what it will fetch, install and run, in words; then the question."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from bisector.cli.commands.reading import Opened
from bisector.cli.options import Options
from bisector.errors import UsageFault
from bisector.harmless import block, line, without_credentials
from bisector.model import AsOf, InstallMode
from bisector.recipe.alterations import Patch
from bisector.recipe.schema import Cwd, OriginKind, PythonScript, Recipe

FOREIGN = {
    OriginKind.STDIN: "standard input",
    OriginKind.URL: "a URL",
    OriginKind.ISSUE: "an issue",
}
"""Where recipes of others come from."""
ON = "on: read-only system, private home and temporary files, nothing of your session; the repro has no network"
OFF = "OFF: all of it runs as you, on your files and with your network"
LONGEST = 2000
MOST_LINES = 30
"""Characters of a line and lines of a command that are shown in words; the whole text follows."""


def agree(opened: Opened, options: Options) -> None:
    """Shown, and asked; the answer is no unless somebody says yes."""
    recipe = opened.recipe
    click.echo(
        f"This recipe comes from {line(opened.written.name)}: other people's words and code.\n", err=True
    )
    for label, text in _deeds(recipe, sandbox=opened.sandbox):
        for number, shown in enumerate(_shown(text)):
            click.echo(f"  {'' if number else label:<10}{shown}", err=True)
    click.echo(f"\nIts text:\n\n{block(opened.written.text)}", err=True)
    if options.yes:
        return
    if not sys.stdin.isatty():
        raise UsageFault(
            f"a recipe from {FOREIGN[recipe.origin]} is run only with --yes",
            "read it above, then add --yes",
        )
    if not click.confirm("Run it?", err=True):
        raise UsageFault("nothing was run")


def _shown(text: str) -> Iterator[str]:
    """A script keeps its lines; a long one is in the text below to its end."""
    lines = block(without_credentials(text)).strip("\n").split("\n")
    yield from (line(one, LONGEST) if len(one) > LONGEST else one for one in lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        yield f"... and {len(lines) - MOST_LINES} more lines, see below"


def _deeds(recipe: Recipe, *, sandbox: bool) -> Iterator[tuple[str, str]]:
    yield "fetches", f"the repository {recipe.location}, with the access that you have to it"
    yield from (("installs", text) for text in _installs(recipe))
    yield from (("changes", text) for text in _changes(recipe))
    yield from (("runs", text) for text in _runs(recipe))
    yield "sandbox", ON if sandbox else OFF


def _installs(recipe: Recipe) -> Iterator[str]:
    install, dependencies = recipe.install, recipe.dependencies
    if install.mode in (InstallMode.EDITABLE, InstallMode.WHEEL):
        yield f"the project itself at each commit ({install.mode.value}): its build runs its own code"
    yield from (f"at each commit, by the shell: {step}" for step in install.build)
    asked = dict.fromkeys(
        (
            *install.build_requirements,
            *dependencies.requirements,
            *(name for pin in recipe.pins for name in (*pin.requirements, *pin.build_requirements)),
        )
    )
    if asked:
        yield f"packages: {', '.join(asked)}"
    if recipe.declared:
        yield "packages that the project declares at each commit"
    index = recipe.index
    places = (index.index_url, *index.extra_index_url, *index.find_links)
    yield from (f"packages from {place}" for place in places if place)
    if dependencies.as_of is not AsOf.LATEST:
        yield "packages as they were released at a date"
    pythons = (recipe.python, *(pin.python for pin in recipe.pins))
    pythons = (*pythons, *(value for axis in recipe.matrix if axis.key == "python" for value in axis.values))
    yield from (
        f"with the program {python} of this machine" for python in pythons if python and "/" in python
    )


def _changes(recipe: Recipe) -> Iterator[str]:
    patches = sum(isinstance(fixup.change, Patch) for fixup in recipe.fixups)
    if patches:
        yield f"the project's code by {patches} {'patch' if patches == 1 else 'patches'} of its own, see below"
    if picks := len(recipe.fixups) - patches:
        yield f"the project's code by {picks} of its other commits"
    yield from (f"{', '.join(overlay.paths)}: as in another commit" for overlay in recipe.overlay)


def _runs(recipe: Recipe) -> Iterator[str]:
    repro = recipe.repro
    if repro.reset:
        yield f"before each run, by the shell: {repro.reset}"
    where = "in the project's tree" if repro.cwd is Cwd.TREE else "in an empty folder"
    if repro.files:
        where += f" with {', '.join(name for name, _ in repro.files)}"
    how = "by Python" if isinstance(repro.action, PythonScript) else "by the shell"
    yield f"at each commit, {how}, {where}: {repro.action.text}"
    if repro.env:
        yield f"with the variables {', '.join(f'{name}={value}' for name, value in repro.env)}"
