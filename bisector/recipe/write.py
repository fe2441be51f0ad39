"""Values to a recipe's text as a person would write it: blocks for long text, quotes where YAML guesses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import yaml

from bisector.recipe.yaml_nodes import Items, Node, Scalar, Section

Written = str | int | float | bool | Sequence["Written"] | Mapping[str, "Written"]


def write_recipe(fields: Mapping[str, Written]) -> str:
    """In the order given; what `load` makes of it is what stands in `fields`."""
    return yaml.dump(
        _plain(fields),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=2**20,
    )


def write_tree(tree: Section) -> str:
    """A recipe's tree as text again, comments lost: for a recipe that overrides have changed."""
    return write_recipe({entry.key: _written(entry.node) for entry in tree.entries})


def _written(node: Node) -> Written:
    match node:
        case Section():
            return {entry.key: _written(entry.node) for entry in node.entries}
        case Items():
            return [_written(item) for item in node.nodes]
        case Scalar():
            return _bare(node.text) if node.plain else node.text


def _bare(text: str) -> Written:
    """Only what reads back as the same letters may lose its quotes: 3.10 and 0123456 may not."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if re.fullmatch(r"[1-9]\d{0,6}", text) else text


def _plain(value: Written) -> object:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, str) or not isinstance(value, Sequence):
        return value
    return [_plain(item) for item in value]


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists indented below their key."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        return True

    def represent_data(self, data: object) -> yaml.Node:
        """What has lines keeps them."""
        if isinstance(data, str) and "\n" in data:
            return self.represent_scalar("tag:yaml.org,2002:str", data, style="|")
        return super().represent_data(data)
