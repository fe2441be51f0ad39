"""Which keys have no function yet. They are read and checked like all others, then refused by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bisector.recipe.faults import Fault
from bisector.recipe.yaml_nodes import Scalar, Section

NOT_YET: Mapping[str, frozenset[str]] = {
    "matrix": frozenset(),
}
"""Dotted key: the values it may have already, for they ask for nothing."""


def unsupported(tree: Section, not_yet: Mapping[str, frozenset[str]]) -> Iterator[Fault]:
    for path, harmless in not_yet.items():
        *outer, last = path.split(".")
        node: object = tree
        for key in outer:
            node = node.get(key) if isinstance(node, Section) else None
        entry = node.entry(last) if isinstance(node, Section) else None
        if entry and not (isinstance(entry.node, Scalar) and entry.node.text.lower() in harmless):
            yield Fault(entry.mark, path, f'"{path}" is not supported yet')
