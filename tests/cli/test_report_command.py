"""`bisector report`: which hunt a name means."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.conftest import Typing


def test_a_name_of_several_hunts_means_the_newest_and_says_so(bisector: Typing, plain: str) -> None:
    recipe = bisector.recipe(plain)
    first = bisector("run", recipe, "--json").json["hunt"]
    alone = bisector("report", "recipe")
    assert (alone.status, alone.err) == (0, "")
    second = bisector("run", recipe, "--json", "--fresh").json["hunt"]
    several = bisector("report", "recipe", "--format", "json")
    assert several.json["hunt"] == second
    assert f"2 hunts are called 'recipe'; this is {second}, the newest" in several.err
    assert str(first) in several.err
    assert bisector("report", str(first)).err == ""
