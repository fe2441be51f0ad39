"""The JSON Schema, held to a validator that is not ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
import yaml

from bisector.recipe.json_schema import recipe_schema
from bisector.recipe.load import load
from bisector.recipe.schema import Recipe

Read = Callable[..., Recipe]
RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.yaml"))
TOP = "repo: x\ngood: a\nbad: b\nrepro: x\n"

SOUND = [
    TOP,
    "repo: x\nold: 1e10\nnew: 2023-09-01\nrepro: {python: x}\n",
    "repo: x\nfind: fix\nbroken: a\nfixed: b\nrepro: x\n",
    "repo: x\nterms: {old: fast, new: slow}\nfast: a\nslow: b\nrepro: x\n"
    "verdict: {slow_if: x, on_timeout: slow}\n",
    TOP + "verdict: {runs: 12, metric: wall_time}\n",
    TOP + "verdict: {runs: {confidence: 0.9}}\n",
    TOP + "verdict: {compare: {file: a.npy, rtol: 1e-4}}\n",
    TOP + "limits: {timeout: 90, cpus: 1.5, memory: 1.5GiB}\n",
    TOP + "dependencies: {index: {find_links: a}, as_of: 2023-01-01}\n",
    TOP + "dependencies: {index: [{find-links: [a]}, {index-url: b}]}\npython: 3.11\n",
]
UNSOUND = [
    "good: a\nbad: b\nrepro: x\n",
    "repo: x\nbad: b\nrepro: x\n",
    "repo: x\ngood: a\nold: a\nbad: b\nrepro: x\n",
    TOP + "installs: {}\n",
    TOP + "install: {mod: none}\n",
    TOP + "history: some\n",
    TOP + "limits: {timeout: 3 parsecs}\n",
    TOP + "limits: {memory: 4}\n",
    TOP + "limits: {network: 'no'}\n",
    TOP + "pins: [{since: a, before: b, python: '3.9'}]\n",
    TOP + "pins: [{python: '3.9'}]\n",
    TOP + "verdict: {on_timeout: slow}\n",
    TOP + "verdict: {other_failure: good}\n",
    TOP + "bisector: 2\n",
    TOP + "paths: []\n",
    "repo: x\ngood: a\nbad: b\nrepro: {run: a, python: b}\n",
]


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft7Validator:
    schema = json.loads(json.dumps(recipe_schema()))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@pytest.mark.parametrize("text", SOUND)
def test_what_loads_is_valid(validator: jsonschema.Draft7Validator, read: Read, text: str) -> None:
    read(text)
    validator.validate(yaml.safe_load(text))


def test_the_recipe_with_every_key_is_valid(validator: jsonschema.Draft7Validator, full: str) -> None:
    validator.validate(yaml.safe_load(full))


@pytest.mark.parametrize("text", UNSOUND)
def test_what_is_plainly_wrong_is_invalid(validator: jsonschema.Draft7Validator, text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(yaml.safe_load(text))


@pytest.mark.parametrize("path", RECIPES, ids=[path.name for path in RECIPES])
def test_our_own_recipes_load_and_are_valid(validator: jsonschema.Draft7Validator, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    load(text, path.name, not_yet={})
    validator.validate(yaml.safe_load(text))


def test_there_are_recipes_of_our_own() -> None:
    assert RECIPES


def test_every_key_says_what_it_is_for(validator: jsonschema.Draft7Validator) -> None:
    schema = recipe_schema()
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert [key for key, value in properties.items() if "description" not in value] == []
