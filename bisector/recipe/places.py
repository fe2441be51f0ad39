"""Where a key of a recipe stands in its text: for faults that only git or the machine can find.

Knows the tree, not what it means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bisector.recipe.faults import Fault, Mark
from bisector.recipe.overrides import lay_over
from bisector.recipe.yaml_nodes import Entry, Items, Node, Scalar, Section, compose


@dataclass(frozen=True, slots=True)
class Places:
    """The tree of a recipe that has been loaded, so it is sound."""

    name: str
    tree: Node

    def mark(self, path: str) -> Mark:
        """Of the value at a dotted path, or of the nearest thing around it."""
        node, place = self.tree, Mark(self.name)
        for key in path.split("."):
            found = _below(node, key)
            if found is None:
                break
            node = found
            place = node.mark
        return place

    def entry(self, *keys: str) -> Entry | None:
        """The first of several keys at the top that the recipe has."""
        tree = self.tree
        if not isinstance(tree, Section):
            return None
        return next((entry for key in keys if (entry := tree.entry(key)) is not None), None)

    def fault(self, path: str, message: str, suggestion: str | None = None) -> Fault:
        return Fault(self.mark(path), path, message, suggestion)


def places(text: str, name: str, overrides: Sequence[str]) -> Places:
    """The places of a text that `load` has accepted."""
    tree = compose(text, name)
    return Places(name, lay_over(tree, overrides) if isinstance(tree, Section) else tree)


def in_order(faults: Sequence[Fault]) -> list[Fault]:
    """As they stand in the text; overrides last."""
    return sorted(faults, key=_position)


def _position(fault: Fault) -> tuple[float, int]:
    line = fault.mark.line
    return (float("inf") if line is None else line, fault.mark.column or 0)


def _below(node: Node, key: str) -> Node | None:
    match node:
        case Section():
            return node.get(key)
        case Items() if key.isdigit() and int(key) < len(node.nodes):
            return node.nodes[int(key)]
        case Scalar() if key == "0":
            # One item may stand for a list of it.
            return node
        case _:
            return None
