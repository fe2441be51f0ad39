"""One command line that shows the failure to somebody who has git and Python but no bisector."""

from __future__ import annotations

import shlex

from bisector.model import EnvironmentFacts, InstallMode
from bisector.recipe.schema import PythonScript, Recipe


def command_line(recipe: Recipe, sha: str, environment: EnvironmentFacts | None) -> str:
    """To be run in a clone of the repository."""
    steps = [f"git checkout -q {sha}", *recipe.install.build, *_install(recipe, environment)]
    return " && ".join([*steps, _repro(recipe)])


def _install(recipe: Recipe, environment: EnvironmentFacts | None) -> list[str]:
    """The dependencies exactly as they were; without an environment on record, as the recipe has them."""
    packages = environment.packages if environment else recipe.dependencies.requirements
    mode = recipe.install.mode
    words = [shlex.quote(one) for one in packages if ("://" not in one and "==" in one) or not environment]
    project = shlex.quote(_project(recipe))
    if mode is InstallMode.EDITABLE:
        words += ["-e", project]
    elif mode is InstallMode.WHEEL:
        words.append(project)
    return [f"python -m pip install {' '.join(words)}"] if words else []


def _project(recipe: Recipe) -> str:
    extras = f"[{','.join(recipe.install.extras)}]" if recipe.install.extras else ""
    path = recipe.install.path[0]
    return f"{path if path == '.' else './' + path}{extras}"


def _repro(recipe: Recipe) -> str:
    repro = recipe.repro
    words = [f"{name}={shlex.quote(value)}" for name, value in repro.env]
    if recipe.install.mode is InstallMode.PYTHONPATH:
        words.append(f"PYTHONPATH={shlex.quote(':'.join(recipe.install.path))}")
    if isinstance(repro.action, PythonScript):
        words.append(f"python -c {shlex.quote(_one_line(repro.action.text))}")
        return " ".join(words)
    command = repro.action.text.strip()
    if (words and not command.isprintable()) or any(sign in command for sign in "\n;&|"):
        command = f"sh -c {shlex.quote(command)}"
    return " ".join([*words, command])


def _one_line(script: str) -> str:
    stripped = script.strip("\n")
    return stripped if "\n" not in stripped else f"exec({stripped!r})"
