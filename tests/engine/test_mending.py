"""Which key is named where an end cannot be tested, and when it is the machine that is named."""

from __future__ import annotations

import pytest

from bisector.engine.mending import mending
from bisector.model import Outcome, Ran, Stage, Trouble, Untestable
from bisector.recipe.load import load

NAMED = "install: {module: tool}"
GUESSED = "install: {mode: editable}"


@pytest.mark.parametrize(
    ("install", "outcome", "words"),
    [
        (NAMED, Untestable(Stage.IMPORT, "there is no module tool"), "`install.module` names"),
        (
            GUESSED,
            Untestable(Stage.IMPORT, "there is no module tool"),
            "was guessed from the tree: `install.module`",
        ),
        (GUESSED, Trouble("json would be imported from / (install.module)"), "was guessed"),
        (NAMED, Untestable(Stage.INSTALL, "this commit has none of src (install.path)"), "`install.path`"),
        (NAMED, Untestable(Stage.INSTALL, "the project's build failed: cc"), "`install.build_requirements`"),
        (NAMED, Untestable(Stage.INSTALL, "uv took longer than install_timeout"), "`limits.install_timeout`"),
        (NAMED, Untestable(Stage.INSTALL, "no version of six"), "`dependencies.requirements`"),
        (NAMED, Untestable(Stage.INTERPRETER, "requires Python 2"), "`python`"),
        (NAMED, Untestable(Stage.FIXUP, "overlay: tests/new.py of 0123abcd: no such path"), "`overlay` is"),
        (NAMED, Untestable(Stage.FIXUP, "fixup: the patch does not apply"), "`fixups` is"),
        (NAMED, Untestable(Stage.RESET, "`reset` failed"), "`repro.reset`"),
        (NAMED, Ran(()), "`verdict`"),
        (NAMED, Trouble("no space left"), "`bisector doctor`"),
    ],
)
def test_what_is_named(install: str, outcome: Outcome, words: str) -> None:
    recipe = load(f"repo: x\ngood: a\nbad: b\nrepro: x\n{install}\n", "recipe.yaml")
    assert words in mending(recipe, outcome)
