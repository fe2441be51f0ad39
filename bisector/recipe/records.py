"""The shape of keys and values that make one value: which keys may, must and cannot stand together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from bisector.recipe.faults import Fault, Mark, RecipeFault, Unfit, fault, nearest
from bisector.recipe.shapes import Json, Shape, attempt, below, misfit
from bisector.recipe.yaml_nodes import Entry, Node, Section

T = TypeVar("T")

_GUESSES = 50
"""Misspelt keys that are looked up: a hostile recipe could have thousands."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a record. Several keys may spell one `field`, of which a recipe gives one."""

    shape: Shape[object]
    about: str = ""
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Record(Generic[T]):
    """Keys and values that make one value; `make` gets the given fields, raises Unfit if they clash."""

    make: Callable[..., T]
    keys: Mapping[str, Key]
    required: tuple[str, ...] = ()
    """Fields, each by any of its keys."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Keys that belong elsewhere, and where."""
    check: Callable[[T], None] | None = None
    """Raises Unfit when the fields do not go together."""

    def read(self, node: Node, path: str) -> T:
        if not isinstance(node, Section):
            raise misfit(node, path, "keys and values")
        faults: list[Fault] = []
        given: dict[str, Entry] = {}
        values: dict[str, object] = {}
        for entry in node.entries:
            key = self.keys.get(entry.key)
            if key is None:
                faults.append(self._unknown(entry, path, guess=len(faults) < _GUESSES))
                continue
            name = key.field or entry.key
            if first := given.get(name):
                faults.append(_twice(entry, first, path))
                continue
            given[name] = entry
            values.update(
                (name, value) for value in attempt(key.shape, entry.node, below(path, entry.key), faults)
            )
        faults.extend(self._missing(node, path, given))
        if faults:
            raise RecipeFault(faults)
        return self._made(node.mark, path, given, values)

    def _made(self, mark: Mark, path: str, given: Mapping[str, Entry], values: Mapping[str, object]) -> T:
        try:
            made = self.make(**values)
            if self.check:
                self.check(made)
        except Unfit as unfit:
            blamed = given.get(unfit.key)
            place, at = (blamed.mark, below(path, blamed.key)) if blamed else (mark, path)
            raise fault(place, at, str(unfit)) from unfit
        return made

    def _unknown(self, entry: Entry, path: str, *, guess: bool) -> Fault:
        message = self.refused.get(entry.key, "unknown key")
        known = self.keys if guess and entry.key not in self.refused else ()
        return Fault(entry.mark, below(path, entry.key), message, nearest(entry.key, known))

    def _missing(self, node: Section, path: str, given: Mapping[str, Entry]) -> Iterator[Fault]:
        for name in self.required:
            if name not in given:
                usual, *others = self._spellings(name)
                instead = f" (or {', '.join(f'`{key}`' for key in others)})" if others else ""
                yield Fault(node.mark, below(path, usual), f"is missing{instead}")

    def _spellings(self, name: str) -> list[str]:
        return [key for key, value in self.keys.items() if (value.field or key) == name]

    def schema(self) -> Json:
        properties = {
            key: {**value.shape.schema(), **({"description": value.about} if value.about else {})}
            for key, value in self.keys.items()
        }
        rules: list[Json] = [
            {"oneOf": [{"required": [key]} for key in self._spellings(name)]} for name in self.required
        ]
        demands: Json = {"allOf": rules} if rules else {}
        return {"type": "object", "properties": properties, "additionalProperties": False, **demands}


def _twice(entry: Entry, first: Entry, path: str) -> Fault:
    where = f"in line {first.mark.line}" if first.mark.line else f"by {first.mark.source}"
    return Fault(
        entry.mark, below(path, entry.key), f"already given as `{first.key}` {where}; give one of them"
    )
