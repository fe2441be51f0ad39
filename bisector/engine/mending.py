"""What most likely needs a change where an end cannot be tested: a key of the recipe, or the machine. Pure.

Goes by where a trial ended and, where that leaves several keys, by the words it ended with.
"""

from __future__ import annotations

import re

from bisector.model import Outcome, Ran, Stage, Trouble, Untestable
from bisector.oracles.departed import departed
from bisector.recipe.schema import Recipe

_BUILD = (
    "what its build lacks is this machine's (compilers, headers) or the recipe's: `install.build_requirements`, "
    "`install.build`, or `install.mode: pythonpath`, which builds nothing"
)
_WHERE = "`install.path` tells where it lies"
_SUBMODULE = re.compile(r"the submodule (.+?) cannot be had: ")
_BY_WORDS = {
    "install_timeout": "`limits.install_timeout` may be too short",
    "install.path": "`install.path` is the key to change",
    "build failed": _BUILD,
}
_BY_STAGE = {
    Stage.CHECKOUT: "`bisector doctor` tells what the machine lacks",
    Stage.FIXUP: "`fixups` is the key to change",
    Stage.INTERPRETER: "`python`, or a pin's, is the key to change",
    Stage.INSTALL: "`dependencies.requirements`, `dependencies.index` or `pins` is the key to change",
    Stage.RESET: "`repro.reset` is the key to change",
}


def mending(recipe: Recipe, outcome: Outcome) -> str:
    """A clause for a hint."""
    if isinstance(outcome, Untestable) and (gone := departed(outcome.reason)) is not None:
        return gone.hint
    match outcome:
        case Ran():
            return "the recipe's `verdict` says to stop there"
        case Trouble(reason) if "install.module" in reason:
            return _module(recipe)
        case Trouble(reason) if (submodule := _SUBMODULE.match(reason)) is not None:
            return (
                "where the project runs without it, "
                f"`git config --global submodule.{submodule[1]}.update none` leaves it empty"
            )
        case Trouble():
            return "`bisector doctor` tells what the machine lacks"
        case Untestable(Stage.IMPORT):
            return _module(recipe)
        case Untestable(Stage.INSTALL, reason):
            told = (clause for words, clause in _BY_WORDS.items() if words in reason)
            return next(told, _BY_STAGE[Stage.INSTALL])
        case Untestable(Stage.FIXUP, reason) if reason.startswith("overlay"):
            return "`overlay` is the key to change"
        case Untestable(stage):
            return _BY_STAGE[stage]


def _module(recipe: Recipe) -> str:
    if recipe.install.module is None:
        return f"the module's name was guessed from the tree: `install.module` sets it, {_WHERE}"
    return f"`install.module` names the module, {_WHERE}"
