"""Thousands of spoilt recipes: whatever stands in them, the only exception is RecipeFault.

BISECTOR_FUZZ=100000 tries that many; each is made from its own number, so a failing one is found again.
"""

from __future__ import annotations

import os
import random
import string

import jsonschema
import pytest
import yaml

from bisector.recipe.faults import RecipeFault
from bisector.recipe.json_schema import recipe_schema
from bisector.recipe.load import effective_text, load
from bisector.recipe.schema import Recipe

MANY = int(os.environ.get("BISECTOR_FUZZ", "2000"))
PIECES = [
    *(
        "",
        "~",
        "null",
        "true",
        "0",
        "-1",
        "1e999",
        "9" * 400,
        "1.5x",
        "60s",
        "4GiB",
        "(",
        "[[a]",
        "(?P<",
        "a{99999}",
    ),
    *(
        "&a ",
        "*a",
        "!!int ",
        "!x ",
        "<<: *a",
        "? ",
        "- ",
        "|\n  ",
        ">",
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        "#",
        "%",
        "@",
    ),
    *(
        "\t",
        "\r",
        "\0",
        "\x85",
        "\u2028",
        "\ufeff",
        "\ud800",
        "\U0001f40d",
        "é",
        "\\",
        "---\n",
        "...\n",
        ": ",
        "\n",
    ),
    *(
        "../x",
        "ext::x",
        "--help",
        "2023-99-99",
        "2023-09-01T25:00",
        "auto",
        "good",
        "old: x\n",
        "find: fix\n",
    ),
    *(
        "terms: {old: a, new: b}\n",
        "verdict: {",
        "pins: [",
        "a; python_version<",
        "x @ file:///y",
        "'\\ud800'",
    ),
]


def spoilt(text: str, dice: random.Random) -> str:
    """A few cuts, swaps, repeats and foreign pieces."""
    for _ in range(dice.randint(1, 6)):
        at, to = sorted(dice.randrange(len(text) + 1) for _ in range(2))
        lines = text.split("\n")
        line = dice.randrange(len(lines))
        match dice.randrange(6):
            case 0:
                text = text[:at] + dice.choice(PIECES) + text[at:]
            case 1:
                text = text[:at] + text[min(to, at + 20) :]
            case 2:
                text = text[:at] + dice.choice(string.printable) + text[at + 1 :]
            case 3:
                text = "\n".join([*lines[:line], dice.choice(lines), *lines[line:]])
            case 4:
                key, colon, _ = lines[line].partition(": ")
                text = "\n".join([*lines[:line], key + colon + dice.choice(PIECES), *lines[line + 1 :]])
            case _:
                text = "\n".join([*lines[:line], *lines[line + 1 :]])
    return text


def attempt(text: str, *overrides: str) -> Recipe | None:
    try:
        return load(text, "fuzz.yaml", overrides, not_yet={})
    except RecipeFault as error:
        assert error.faults
        assert str(error)
        return None


@pytest.mark.parametrize("part", range(4))
def test_spoilt_recipes_load_or_are_refused(part: int, full: str, smallest: str) -> None:
    loaded = 0
    validator = jsonschema.Draft7Validator(recipe_schema())
    for number in range(part, MANY, 4):
        dice = random.Random(number)
        text = spoilt(dice.choice((full, smallest)), dice)
        recipe = attempt(text)
        if recipe is None:
            continue
        loaded += 1
        assert len(recipe.digest) == 64
        assert recipe.location
        assert recipe.index is not None
        _check_schema(validator, text, number)
    assert loaded > MANY // 400, "nearly nothing loads: the mutations are too rough to tell anything"


def _check_schema(validator: jsonschema.Draft7Validator, text: str, number: int) -> None:
    """What loads is valid, as far as the validator's own YAML reader sees the same recipe."""
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return
    assert not list(validator.iter_errors(value)), f"recipe {number}"


def test_spoilt_overrides_are_laid_over_or_refused(full: str) -> None:
    keys = [
        "good",
        "limits.timeout",
        "repro",
        "repro.env.A",
        "pins.0.python",
        "skip.1",
        "terms",
        "matrix",
        "a.b",
    ]
    for number in range(MANY // 2):
        dice = random.Random(number)
        overrides = [f"{dice.choice(keys)}={dice.choice(PIECES)}" for _ in range(dice.randint(1, 3))]
        overrides.append(spoilt(dice.choice(overrides), dice))
        recipe = attempt(full, *overrides)
        if recipe is not None:
            assert attempt(effective_text(full, "fuzz.yaml", overrides)) == recipe, f"overrides {number}"
