"""What a commit's trial is made of."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from bisector.model import Commit
from bisector.plan import environment, environment_of_all
from bisector.recipe.load import load
from bisector.recipe.schema import Recipe

PLAIN = """
repo: https://example.org/project
good: v1
bad: v2
python: "3.11"
repro: python -c "import project"
"""
OWN_PINS = "pins: [{since: v1, requirements: [dep<2]}]"


def recipe(*lines: str) -> Recipe:
    return load("\n".join([PLAIN, *lines]), "recipe.yaml")


@pytest.mark.parametrize(
    "line",
    [
        "dependencies: {requirements: [dep], declared: false}",
        "dependencies: {requirements: [dep], index: {index_url: 'https://example.org/simple'}}",
        "dependencies: {as_of: 2024-01-01}",
        "install: {mode: pythonpath, path: src}",
    ],
)
def test_what_the_recipe_asks_for_at_any_commit(commit: Commit, line: str) -> None:
    whole, own = environment_of_all(recipe(line)), environment(recipe(line), commit, [])
    assert whole is not None
    assert replace(whole, commit=own.commit, commit_date=own.commit_date) == own


@pytest.mark.parametrize("line", [OWN_PINS, "dependencies: {as_of: commit}"])
def test_of_commits_that_differ_nothing_is_said(line: str) -> None:
    assert environment_of_all(recipe(line)) is None


@pytest.fixture
def commit() -> Commit:
    when = datetime(2024, 1, 1, tzinfo=timezone.utc)
    return Commit("a" * 40, (), "subject", "body", "Ada", "ada@example.org", when, when)
