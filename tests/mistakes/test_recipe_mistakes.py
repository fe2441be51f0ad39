"""Mistakes in the recipe's own text: all are told at once with their places, exit status 2, nothing is begun.

Each row has a golden file of its name; how to write them anew stands in conftest.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.mistakes.conftest import User

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

CHANGED: dict[str, Mapping[str, str | None]] = {
    "a key is misspelt": {"python": None, "pyhton": "'3.11'"},
    "a key is misspelt further in": {"limits": "{timout: 60s, memroy: 4GiB}"},
    "a key of another place": {"timeout": "60s"},
    "a section where a list belongs": {"paths": "{src: tool}"},
    "a list where text belongs": {"bad": "[main, v2.0]"},
    "a section where text belongs": {"good": "{tag: v1.0}"},
    "text where a section belongs": {"limits": "60s"},
    "true or false expected": {"dependencies": "{declared: maybe}"},
    "an end is missing": {"good": None},
    "no repro": {"repro": None},
    "no repository": {"repo": None},
    "both run and python": {"repro": "{run: pytest, python: 'import tool'}"},
    "a broken pattern": {"verdict": "{bad_if: 'Error(:'}"},
    "a duration of no time": {"limits": "{timeout: 0s}"},
    "a duration in words": {"limits": "{timeout: one minute}"},
    "a size without a meaning": {"limits": "{memory: lots}"},
    "a word that is none of the choices": {"install": "{mode: editabel}"},
    "the same end twice by two names": {"old": "v1.0"},
    "ends of the other kind of hunt": {"good": None, "bad": None, "broken": "v1.0", "fixed": "main"},
    "auto at the wrong end": {"bad": "auto"},
    "a key that has no function yet": {"matrix": "{python: ['3.10', '3.11']}"},
    "a bad requirement": {"dependencies": "{requirements: ['numpy >> 1']}"},
    "a file outside the directory": {"repro": "{run: ls, files: {../outside: text}}"},
    "terms of git's own": {"terms": "{old: start, new: skip}"},
    "many mistakes at once": {
        "goood": "v1.0",
        "good": None,
        "find": "regresion",
        "limits": "{timeout: soon, memory: 4}",
        "paths": "src",
        "skip": "{a: b}",
    },
}

TEXTS = {
    "a tab indents": "repo: SOURCE\nlimits:\n\ttimeout: 60s\n",
    "a key twice": "repo: SOURCE\ngood: v1.0\nbad: main\ngood: v2.0\nrepro: pytest\n",
    "a quote is not closed": "repo: SOURCE\ngood: 'v1.0\nbad: main\nrepro: pytest\n",
    "a colon in a plain text": "repo: SOURCE\ngood: v1.0\nbad: main\nrepro: echo error: it broke\n",
    "an alias bomb": BOMB,
    "numbers for texts": "repo: 12\ngood: v1.0\nbad: main\nrepro: 7\nnmae: x\n",
    "an empty file": "",
    "nothing but a comment": "# to be written\n",
    "a list at the top": "- repo: SOURCE\n- good: v1.0\n",
    "two documents": "repo: SOURCE\n---\ngood: v1.0\n",
    "a tag that would run code": "repo: SOURCE\nname: !!python/object/apply:os.system [ls]\n",
    "ten megabytes": "repo: SOURCE\ndescription: " + "much " * 2_000_000 + "\n",
}

SETTINGS = {
    "set without a value": "--set limits.timeout",
    "set of an unknown key": "--set limits.timeot=60s",
    "set of a bad value": "--set limits.timeout=soon",
    "set inside a text": "--set good.tag=v1.0",
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_key_that_cannot_be(name: str, user: User) -> None:
    user.writes("recipe.yaml", CHANGED[name])
    user.gets("bisector run recipe.yaml", 2, name)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_no_recipe(name: str, user: User) -> None:
    user.writes("recipe.yaml", TEXTS[name])
    user.gets("bisector run recipe.yaml", 2, name)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_that_cannot_be(name: str, user: User) -> None:
    user.writes("recipe.yaml", {})
    user.gets(f"bisector run recipe.yaml {SETTINGS[name]}", 2, name)


def test_no_such_file(user: User) -> None:
    user.writes("recipe.yaml", {})
    user.gets("bisector run recipe.yml", 2, "no such file")


def test_a_folder_for_a_recipe(user: User) -> None:
    user.gets("bisector run .", 2, "a folder for a recipe")


def test_a_binary_file(user: User) -> None:
    (user.here / "recipe.yaml").write_bytes(b"\x7fELF\x02\x01\x01\0\0\0")
    user.gets("bisector run recipe.yaml", 2, "a binary file")


def test_not_utf_8(user: User) -> None:
    (user.here / "recipe.yaml").write_bytes("name: größer\n".encode("latin-1"))
    user.gets("bisector run recipe.yaml", 2, "not utf 8")
