"""Text that is not YAML, or YAML that wants to explode."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bisector.recipe.faults import RecipeFault
from bisector.recipe.yaml_nodes import LARGEST, Items, Scalar, Section, compose

FaultsOf = Callable[..., list[str]]

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
TEXTS = [
    ("nothing", "", "recipe.yaml: the recipe is empty"),
    ("only a comment", "# soon\n", "recipe.yaml: the recipe is empty"),
    ("prose", "hunt this, please\n", "recipe.yaml:1:1: a recipe is made of `key: value` lines"),
    ("a list", "- a\n", "recipe.yaml:1:1: a recipe is made of `key: value` lines"),
    (
        "a tab",
        "limits:\n\ttimeout: 3s\n",
        "recipe.yaml:2:1: not YAML: a tab cannot indent in YAML; use spaces",
    ),
    (
        "an open quote",
        "name: 'x\n",
        "recipe.yaml:1:7: not YAML: this quote is never closed",
    ),
    (
        "an open list",
        "paths: [a\n",
        "recipe.yaml:2:1: not YAML: while parsing a flow sequence: expected ',' or ']'",
    ),
    (
        "a colon in a value",
        "repro: echo a: b\n",
        "recipe.yaml:1:14: not YAML: no `: ` can stand here",
    ),
    ("two documents", "a: 1\n---\nb: 2\n", "recipe.yaml:2:1: a second document begins here; a recipe is one"),
    (
        "an object",
        "a: !!python/object:os.system x\n",
        "recipe.yaml:1:4: the tag 'tag:yaml.org,2002:python/object",
    ),
    ("an unknown alias", "a: *b\n", "recipe.yaml:1:4: no anchor 'b' before this alias"),
    ("an alias to itself", "a: &a [*a]\n", "recipe.yaml:1:8: no anchor 'a' before this alias"),
    ("a key of lists", "? [a]\n: b\n", "recipe.yaml:1:3: a key must be a plain word"),
    ("a control character", "a: 1\nb: \x07\n", "recipe.yaml:2:4: character U+0007 is not allowed in YAML"),
    ("half a surrogate", 'a: "\\ud800"\n', "recipe.yaml:1:4: holds a NUL or half of a surrogate pair"),
    ("a NUL", 'a: "\\0"\n', "recipe.yaml:1:4: holds a NUL or half of a surrogate pair"),
    ("beyond Unicode", 'a: "\\UFFFFFFFF"\n', "recipe.yaml: not YAML: "),
    ("a version of many digits", f"%YAML {'9' * 5000}.1\n---\na: 1\n", "recipe.yaml: not YAML: "),
    ("a hole", "a: " + "[" * 5000, "recipe.yaml:1:28: too deep: a recipe nests at most 24 levels"),
    ("a billion laughs", BOMB, "too much: a recipe holds at most 20000 values, aliases unfolded"),
    ("a long laugh", f"a: &a {'x' * 500_000}\nb: [*a, *a, *a, *a]\n", "recipe.yaml:2:"),
    ("very many values", "a: [" + "x," * 30_000 + "]", "too much: a recipe holds at most 20000 values"),
    ("ten megabytes", "#" * 10_000_000, f"too large: 10000000 characters, a recipe may have {LARGEST}"),
]


@pytest.mark.parametrize(("text", "told"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_text_that_is_no_recipe(faults_of: FaultsOf, text: str, told: str) -> None:
    faults = faults_of(text)
    assert told in faults[0]
    assert "\n" not in faults[0]


def test_every_value_knows_its_place_and_its_own_letters() -> None:
    tree = compose("a: 1\nb:\n  - 3.10\n  - 'x'\n  - ~\n", "r.yaml")
    assert isinstance(tree, Section)
    items = tree.get("b")
    assert isinstance(items, Items)
    scalars = [node for node in items.nodes if isinstance(node, Scalar)]
    assert [(str(node.mark), node.text, node.plain, node.empty) for node in scalars] == [
        ("r.yaml:3:5", "3.10", True, False),
        ("r.yaml:4:5", "x", False, False),
        ("r.yaml:5:5", "~", True, True),
    ]


def test_an_alias_stands_for_what_it_names() -> None:
    tree = compose("a: &here [x]\nb: *here\n", "r.yaml")
    assert isinstance(tree, Section)
    assert tree.get("a") is tree.get("b")


def test_all_faults_of_the_yaml_itself_are_told_at_once() -> None:
    with pytest.raises(RecipeFault) as caught:
        compose("a: 1\na: !!binary x\nb: {c: 1, c: 2}\n", "r.yaml")
    assert [fault.mark.line for fault in caught.value.faults] == [2, 2, 3]
