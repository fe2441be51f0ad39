"""The recipe that a report gives back: the same hunt, the versions it used locked."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bisector.model import Account, AsOf, Lock
from bisector.recipe.alterations import Since
from bisector.recipe.load import load
from bisector.report import RENDERERS, Format

RECIPE = """\
# how it was written
repo: https://example.com/tool
good: v1
bad: v2
python: "3.10"
dependencies: {requirements: [numpy], as_of: commit}
pins:
- {before: v1.5, requirements: ["numpy<2"]}
repro: python repro.py
"""


def test_without_locks_it_is_the_text_as_written(samples: dict[str, Account]) -> None:
    account = replace(samples["found"], recipe=RECIPE, locks=())
    assert RENDERERS[Format.RECIPE](account) == RECIPE


def test_every_stretch_gets_the_versions_that_it_had(samples: dict[str, Account]) -> None:
    locks = (
        Lock(None, "3.10", ("numpy==1.26.4", "six==1.16.0")),
        Lock("c" * 40, "3.11.7", ("numpy==2.1.0", "six==1.16.0")),
    )
    again = load(
        RENDERERS[Format.RECIPE](replace(samples["found"], recipe=RECIPE, locks=locks)), "recipe.yaml"
    )
    assert again.python == "3.10"
    assert again.dependencies.requirements == ("numpy==1.26.4", "six==1.16.0")
    assert again.declared is False
    assert again.dependencies.as_of is AsOf.LATEST
    assert [(pin.where, pin.python, pin.requirements) for pin in again.pins] == [
        (Since("c" * 40), "3.11.7", ("numpy==2.1.0", "six==1.16.0"))
    ]


def test_a_recipe_without_pins_gets_none(samples: dict[str, Account]) -> None:
    locks = (Lock(None, "3.12.1", ("six==1.16.0",)),)
    text = RENDERERS[Format.RECIPE](replace(samples["found"], recipe=RECIPE, locks=locks))
    assert load(text, "recipe.yaml").pins == ()
    assert not isinstance(load(text, "recipe.yaml").dependencies.as_of, datetime)
