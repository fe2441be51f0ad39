"""The Pythons that a recipe asks for: which this machine has and what serves them; the rest are faults.

Said before a hunt begins, not at the first commit that needs one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bisector.environments import Interpreter, Interpreters, NoInterpreter
from bisector.installers import Installer
from bisector.recipe.faults import Fault, RecipeFault
from bisector.recipe.places import Places, in_order, places
from bisector.recipe.schema import Recipe
from bisector.recipe.source import RecipeText


@dataclass(frozen=True, slots=True)
class Found:
    """An interpreter that is here. `installer` is None when nothing here serves it."""

    asked: str
    interpreter: Interpreter
    installer: str | None
    reasons: tuple[str, ...]
    """Why the installers before that one, or all of them, do not."""


def check_pythons(
    written: RecipeText, recipe: Recipe, interpreters: Interpreters, installers: Sequence[Installer]
) -> None:
    """RecipeFault with every Python that cannot be had, each with its place and how to get it."""
    faults = python_faults(
        places(written.text, written.name, written.overrides), recipe, interpreters, installers
    )
    if faults:
        raise RecipeFault(in_order(faults), "`bisector doctor` lists the Pythons of this machine")


def python_faults(
    where: Places, recipe: Recipe, interpreters: Interpreters, installers: Sequence[Installer]
) -> list[Fault]:
    faults = []
    for path, asked in asked_for(recipe):
        found = look(asked, interpreters, installers)
        if isinstance(found, NoInterpreter):
            faults.append(where.fault(path, f"{found.reason}: {found.hint}"))
        elif found.installer is None:
            reasons = "; ".join(found.reasons)
            faults.append(where.fault(path, f"no installer serves {found.interpreter.version}: {reasons}"))
    return faults


def asked_for(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Every Python the recipe names, with the key that names it."""
    if recipe.python is not None:
        yield "python", recipe.python
    for number, pin in enumerate(recipe.pins):
        if pin.python is not None:
            yield f"pins.{number}.python", pin.python
    for axis in recipe.matrix:
        if axis.key == "python":
            yield from ((f"matrix.python.{number}", value) for number, value in enumerate(axis.values))


def look(asked: str, interpreters: Interpreters, installers: Sequence[Installer]) -> Found | NoInterpreter:
    """One Python, by version or path."""
    interpreter = interpreters.find(asked)
    return interpreter if isinstance(interpreter, NoInterpreter) else serve(asked, interpreter, installers)


def serve(asked: str, interpreter: Interpreter, installers: Sequence[Installer]) -> Found:
    """Who would install for this interpreter: the first that can, as environments choose it."""
    reasons: list[str] = []
    for installer in installers:
        reason = installer.unavailable() or installer.unfit(interpreter.minor)
        if reason is None:
            return Found(asked, interpreter, installer.name, tuple(reasons))
        reasons.append(f"{installer.name}: {reason}")
    return Found(asked, interpreter, None, tuple(reasons))
