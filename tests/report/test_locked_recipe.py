"""The recipe that a report gives back: the same hunt, the versions it used locked."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from bisector.model import Account, AsOf, End, Lock
from bisector.recipe.alterations import Before, Range, Since
from bisector.recipe.load import load
from bisector.recipe.schema import Recipe
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


def recipe_of(account: Account, text: str = RECIPE, name: str = "recipe.yaml") -> Recipe:
    return load(RENDERERS[Format.RECIPE](replace(account, recipe=text)), name)


def test_the_ends_are_commits_and_their_names_stand_beside_them(samples: dict[str, Account]) -> None:
    """A branch moves on; where nothing was installed there is nothing else to lock."""
    found = samples["found"]
    text = RENDERERS[Format.RECIPE](replace(found, recipe=RECIPE, locks=()))
    assert f"good: '{found.good.commit}'  # graphs-2.8\n" in text
    assert f"bad: '{found.bad.commit}'  # main\n" in text
    again, before = load(text, "recipe.yaml"), load(RECIPE, "recipe.yaml")
    assert (again.old, again.new) == (found.good.commit, found.bad.commit)
    assert replace(again, old=before.old, new=before.new) == before


@pytest.mark.parametrize(
    "ends",
    [
        "find: fix\nbroken: v1\nfixed: v2",
        "terms: {old: fast, new: slow}\nfast: v1\nslow: v2",
        "old: v1\nnew: v2",
        "good: auto\nbad: HEAD~200",
    ],
)
def test_the_ends_keep_the_words_of_the_recipe(samples: dict[str, Account], ends: str) -> None:
    found = samples["found"]
    again = recipe_of(found, f"repo: https://example.com/tool\n{ends}\nrepro: python repro.py\n")
    assert (again.old, again.new) == (found.good.commit, found.bad.commit)


def test_a_path_beside_the_recipe_is_one_from_the_root(samples: dict[str, Account]) -> None:
    local = replace(samples["found"], repo="/projects/tool")
    beside = "repo: ../tool\ngood: v1\nbad: v2\nrepro: python repro.py\n"
    assert recipe_of(local, beside).repo == "/projects/tool"
    assert recipe_of(local).repo == "https://example.com/tool"


def test_a_hunt_that_never_knew_its_ends_keeps_their_names(samples: dict[str, Account]) -> None:
    unknown = replace(samples["nothing"], good=End("v1", ""), bad=End("v2", ""))
    assert (recipe_of(unknown).old, recipe_of(unknown).new) == ("v1", "v2")


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


def test_a_package_that_goes_away_is_pinned_where_it_was(samples: dict[str, Account]) -> None:
    """A pin replaces, it takes nothing away."""
    one, two, three = "1" * 40, "2" * 40, "3" * 40
    locks = (
        Lock(None, "3.10", ("gone==1", "six==1.16.0")),
        Lock(one, "3.10", ("between==1", "six==1.16.0")),
        Lock(two, "3.10", ("six==1.17.0",)),
        Lock(three, "3.10", ("new==1", "six==1.17.0")),
    )
    again = recipe_of(replace(samples["found"], locks=locks))
    assert again.dependencies.requirements == ("six==1.16.0",)
    assert [(pin.where, pin.requirements) for pin in again.pins] == [
        (Before(one), ("gone==1",)),
        (Since(one), ("six==1.16.0",)),
        (Range(f"{one}^..{two}^"), ("between==1",)),
        (Since(two), ("six==1.17.0",)),
        (Since(three), ("new==1", "six==1.17.0")),
    ]


def test_what_the_project_was_built_with_is_locked_where_it_was(samples: dict[str, Account]) -> None:
    one, two = "1" * 40, "2" * 40
    locks = (
        Lock(None, "3.10", ("six==1",), ("setuptools==60", "wheel==0.40")),
        Lock(one, "3.10", ("six==1",), ("cython==3", "setuptools==80")),
        Lock(two, "3.10", ("six==2",), ("setuptools==80",)),
    )
    again = recipe_of(replace(samples["found"], locks=locks))
    assert again.install.build_requirements == ("setuptools==60",)
    assert [(pin.where, pin.requirements, pin.build_requirements) for pin in again.pins] == [
        (Before(one), (), ("wheel==0.40",)),
        (Since(one), ("six==1",), ("setuptools==80",)),
        (Range(f"{one}^..{two}^"), (), ("cython==3",)),
        (Since(two), ("six==2",), ("setuptools==80",)),
    ]


def test_where_nothing_was_built_what_the_recipe_says_of_it_stays(samples: dict[str, Account]) -> None:
    text = RECIPE + "install: {mode: pythonpath, build_requirements: [cython]}\n"
    again = recipe_of(replace(samples["found"], locks=(Lock(None, "3.10", ("six==1",)),)), text)
    assert again.install.build_requirements == ("cython",)


def test_nothing_is_installed_in_some_stretch(samples: dict[str, Account]) -> None:
    one = "1" * 40
    again = recipe_of(
        replace(samples["found"], locks=(Lock(None, "3.10", ()), Lock(one, "3.11", ("six==1",))))
    )
    assert again.dependencies.requirements == ()
    assert [(pin.where, pin.python, pin.requirements) for pin in again.pins] == [
        (Since(one), "3.11", ("six==1",))
    ]


def test_a_recipe_without_pins_gets_none(samples: dict[str, Account]) -> None:
    locks = (Lock(None, "3.12.1", ("six==1.16.0",)),)
    text = RENDERERS[Format.RECIPE](replace(samples["found"], recipe=RECIPE, locks=locks))
    assert load(text, "recipe.yaml").pins == ()
    assert not isinstance(load(text, "recipe.yaml").dependencies.as_of, datetime)
