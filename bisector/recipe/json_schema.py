"""The grammar as JSON Schema, for editors, with both spellings of the ends; own terms open what they rename.

It accepts whatever `load` accepts; clashes between values are `load`'s alone to find.
"""

from __future__ import annotations

from bisector.model import Find
from bisector.recipe import grammar
from bisector.recipe.shapes import TEXT, Json
from bisector.recipe.spellings import Spellings, usual

_REACTIONS = ("other_failure", "on_timeout", "on_memory", "on_install_failure")
_PATTERN_KEY = "^[A-Za-z][A-Za-z0-9_-]*_if$"
_OWN_TERMS: Json = {"required": ["terms"]}
_OLD_ENDS = ("good", "broken", "old")
_NEW_ENDS = ("bad", "fixed", "new")


def recipe_schema() -> Json:
    properties: Json = {}
    for find in Find:
        properties.update(_part(grammar.recipe(Spellings(find, usual(find))).schema(), "properties"))
    verdict = _part(properties, "verdict")
    return {
        # Editors know this draft best.
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "bisector recipe",
        "type": "object",
        "properties": {**properties, "verdict": _open(verdict)},
        "required": ["repo", "repro"],
        "allOf": [_one_end(_OLD_ENDS), _one_end(_NEW_ENDS)],
        "additionalProperties": TEXT,
        "if": _OWN_TERMS,
        "else": {
            "propertyNames": {"enum": list(properties)},
            "properties": {"verdict": {"properties": _reactions()}},
        },
    }


def _part(schema: Json, key: str) -> Json:
    part = schema[key]
    assert isinstance(part, dict)
    return part


def _one_end(words: tuple[str, ...]) -> Json:
    return {"anyOf": [_OWN_TERMS, {"oneOf": [{"required": [word]} for word in words]}]}


def _open(verdict: Json) -> Json:
    """Keys and words of own terms let through: `slow_if`, `on_timeout: slow`."""
    properties = _part(verdict, "properties")
    pattern = properties["skip_if"]
    loose = {key: {**_part(properties, key), "enum": None, "type": "string"} for key in _REACTIONS}
    for schema in loose.values():
        del schema["enum"]
    return {**verdict, "properties": {**properties, **loose}, "patternProperties": {_PATTERN_KEY: pattern}}


def _reactions() -> Json:
    words: dict[str, dict[str, None]] = {key: {} for key in _REACTIONS}
    for find in Find:
        verdict = _part(_part(grammar.recipe(Spellings(find, usual(find))).schema(), "properties"), "verdict")
        for key, known in words.items():
            enum = _part(_part(verdict, "properties"), key)["enum"]
            assert isinstance(enum, list)
            known.update(dict.fromkeys(enum))
    return {key: {"enum": list(known)} for key, known in words.items()}
