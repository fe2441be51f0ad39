"""The scalars of a recipe: what each kind is called, how it is read and what an editor is told of it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

from bisector.model import AsOf
from bisector.recipe import texts, units
from bisector.recipe.faults import Unfit
from bisector.recipe.shapes import Choice, Json, Leaf, Listed

E = TypeVar("E", bound=Enum)


def choice(kind: type[E]) -> Choice[E]:
    return Choice({str(member.value): member for member in kind})


NO_NUMBER: Json = {"not": {"type": ["object", "array", "null", "number"]}}
ANYTHING = Leaf(texts.anything)
WORDS = Leaf(texts.words)
COMMAND = Leaf(texts.command, "a command", NO_NUMBER)
REPOSITORY = Leaf(texts.repository, "a URL or a path", NO_NUMBER)
LINE = Leaf(texts.one_line)
REV = Leaf(texts.one_line, "a revision")
INSIDE = Leaf(texts.inside, "a path")
PYTHON = Leaf(texts.interpreter, "a version or a path")
REQUIREMENT = Leaf(texts.requirement, "a requirement")
REQUIREMENTS = Listed(REQUIREMENT)
TRUTH = Leaf(units.truth, "true or false", {"type": "boolean"}, quotable=False)
COUNT = Leaf(units.count, "a whole number", {"type": "integer", "minimum": 1}, quotable=False)


def measured(parse: Callable[[str], float], wanted: str, pattern: str) -> Leaf[float]:
    """A number, or the text that YAML 1.1 makes of one: `1e-4` lacks a dot for it."""
    return Leaf(
        parse, wanted, {"anyOf": [{"type": "number"}, {"type": "string", "pattern": f"^({pattern})$"}]}
    )


DURATION = measured(units.seconds, "a duration", units.DURATION)
SIZE: Leaf[int] = Leaf(units.size, "a size", {"type": "string", "pattern": f"^{units.SIZE}$"})
POSITIVE = measured(units.positive, "a number", units.NUMBER)
NUMBER = measured(units.number, "a number", units.NUMBER)
TOLERANCE = measured(units.tolerance, "a number", units.NUMBER)
LIKELIHOOD = measured(units.likelihood, "a confidence", units.NUMBER)


def _format(text: str) -> int:
    if text != "1":
        raise Unfit(f"this bisector reads format 1, not {text[:20]!r}")
    return 1


FORMAT: Leaf[int] = Leaf(_format, "1", {"const": 1}, quotable=False)


def _as_of(text: str) -> object:
    known = {member.value: member for member in AsOf}
    return known[text] if text in known else units.moment(text)


AS_OF = Leaf(_as_of, "latest, commit or a date")
