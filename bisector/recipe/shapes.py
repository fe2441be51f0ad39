"""The grammar of recipes: a shape reads a node into a value and tells the same as JSON Schema.

Which keys there are is `sections`. A read returns, or raises RecipeFault with all that is wrong below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from bisector.recipe.faults import Fault, RecipeFault, Unfit, fault, nearest, quoted
from bisector.recipe.yaml_nodes import Items, Node, Scalar, Section

S = TypeVar("S")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Json = dict[str, object]

TEXT: Json = {"not": {"type": ["object", "array", "null"]}}
"""Not only strings: the letters count, whatever a YAML reader makes of 3.11, 1e10 or 2023-09-01."""


class Shape(Protocol[T_co]):
    def read(self, node: Node, path: str) -> T_co: ...

    def schema(self) -> Json: ...


def below(path: str, key: str | int) -> str:
    return f"{path}.{key}" if path else str(key)


def _kind(node: Node) -> str:
    match node:
        case Scalar():
            return "nothing" if node.empty else "text" if not node.plain else quoted(node.text)
        case Items():
            return "a list"
        case Section():
            return "keys and values"


def misfit(node: Node, path: str, wanted: str) -> RecipeFault:
    return fault(node.mark, path, f"expected {wanted}, found {_kind(node)}")


@dataclass(frozen=True, slots=True)
class Leaf(Generic[T]):
    """One scalar, read by `parse`, which raises Unfit."""

    parse: Callable[[str], T]
    wanted: str = "text"
    json: Json = field(default_factory=lambda: TEXT)
    quotable: bool = True

    def read(self, node: Node, path: str) -> T:
        if not isinstance(node, Scalar) or node.empty or not (node.plain or self.quotable):
            raise misfit(node, path, self.wanted)
        try:
            return self.parse(node.text)
        except Unfit as unfit:
            raise fault(node.mark, path, str(unfit)) from unfit

    def schema(self) -> Json:
        return self.json


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """One of a few words."""

    words: Mapping[str, T]

    def read(self, node: Node, path: str) -> T:
        allowed = ", ".join(self.words)
        if not isinstance(node, Scalar) or node.empty:
            raise misfit(node, path, f"one of {allowed}")
        if node.text not in self.words:
            message = f"{quoted(node.text)} is not one of {allowed}"
            raise fault(node.mark, path, message, nearest(node.text, self.words))
        return self.words[node.text]

    def schema(self) -> Json:
        return {"enum": list(self.words)}


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """A list that holds something; where `single`, one item may stand for a list of it."""

    item: Shape[T]
    single: bool = True

    def read(self, node: Node, path: str) -> tuple[T, ...]:
        if isinstance(node, Scalar) and not node.empty and self.single:
            return (self.item.read(node, path),)
        if not isinstance(node, Items):
            raise misfit(node, path, "a list")
        if not node.nodes:
            raise fault(node.mark, path, "is an empty list; leave the key out")
        faults: list[Fault] = []
        values = [
            value
            for place, node in enumerate(node.nodes)
            for value in attempt(self.item, node, below(path, place), faults)
        ]
        if faults:
            raise RecipeFault(faults)
        return tuple(values)

    def schema(self) -> Json:
        item = self.item.schema()
        many: Json = {"type": "array", "items": item, "minItems": 1}
        return {"anyOf": [item, many]} if self.single else many


@dataclass(frozen=True, slots=True)
class Named(Generic[T]):
    """Keys of the recipe's own choice, each with a value of one shape."""

    key: Callable[[str], str]
    value: Shape[T]

    def read(self, node: Node, path: str) -> tuple[tuple[str, T], ...]:
        if not isinstance(node, Section):
            raise misfit(node, path, "keys and values")
        faults: list[Fault] = []
        pairs: list[tuple[str, T]] = []
        for entry in node.entries:
            at = below(path, entry.key)
            try:
                key = self.key(entry.key)
            except Unfit as unfit:
                faults.append(Fault(entry.mark, at, str(unfit)))
                continue
            pairs.extend((key, value) for value in attempt(self.value, entry.node, at, faults))
        if faults:
            raise RecipeFault(faults)
        return tuple(pairs)

    def schema(self) -> Json:
        return {"type": "object", "additionalProperties": self.value.schema()}


@dataclass(frozen=True, slots=True)
class ByKind(Generic[T]):
    """What may be written as a scalar, as a list or as keys and values."""

    scalar: Shape[T] | None = None
    items: Shape[T] | None = None
    mapping: Shape[T] | None = None

    def read(self, node: Node, path: str) -> T:
        match node:
            case Scalar():
                shape = self.scalar
            case Items():
                shape = self.items
            case Section():
                shape = self.mapping
        if shape is None or (isinstance(node, Scalar) and node.empty):
            raise misfit(node, path, " or ".join(self._kinds()))
        return shape.read(node, path)

    def _kinds(self) -> list[str]:
        kinds = (("text", self.scalar), ("a list", self.items), ("keys and values", self.mapping))
        return [name for name, shape in kinds if shape]

    def schema(self) -> Json:
        return {"anyOf": [shape.schema() for shape in (self.scalar, self.items, self.mapping) if shape]}


@dataclass(frozen=True, slots=True)
class Then(Generic[S, T]):
    """A shape whose value becomes another; `make` raises Unfit."""

    shape: Shape[S]
    make: Callable[[S], T]

    def read(self, node: Node, path: str) -> T:
        value = self.shape.read(node, path)
        try:
            return self.make(value)
        except Unfit as unfit:
            raise fault(node.mark, path, str(unfit)) from unfit

    def schema(self) -> Json:
        return self.shape.schema()


def attempt(shape: Shape[T], node: Node, path: str, faults: list[Fault]) -> Iterator[T]:
    """The value, or nothing and its faults among the others."""
    try:
        yield shape.read(node, path)
    except RecipeFault as error:
        faults.extend(error.faults)
