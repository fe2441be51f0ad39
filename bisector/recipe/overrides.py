"""`--set KEY=VALUE`: laid over a recipe's tree before it is read, so that it is checked like the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bisector.recipe.faults import Mark, RecipeFault, fault
from bisector.recipe.yaml_nodes import Entry, Items, Node, Scalar, Section, compose

_DEEPEST = 8
_OWN_KEYS = ("repro.files", "repro.env", "matrix")
"""Below these a key may hold dots: it goes to the end of the path."""
_SHORT_FOR = {"repro": "run", "verdict.metric": "pattern"}
"""Where text may stand for keys: the key it stands for."""


def lay_over(tree: Section, overrides: Sequence[str]) -> Section:
    """Each in its turn; an empty VALUE takes the key away."""
    for override in overrides:
        tree = _laid(tree, override)
    return tree


def _laid(tree: Section, override: str) -> Section:
    path, equals, text = override.partition("=")
    mark = Mark(f"--set {path[:80]}")
    if not equals or not re.fullmatch(r"[^.\s]+(\.[^.\s]+)*", path):
        raise fault(mark, "", "expected KEY=VALUE, with dots between the keys: limits.timeout=2m")
    keys = _keys(path)
    if len(keys) > _DEEPEST:
        raise fault(mark, "", f"no key of a recipe lies {len(keys)} deep")
    changed = _put(tree, keys, _value(text, mark), mark, "")
    assert isinstance(changed, Section)
    return changed


def _keys(path: str) -> list[str]:
    for own in _OWN_KEYS:
        if path.startswith(f"{own}."):
            return [*own.split("."), path[len(own) + 1 :]]
    return path.split(".")


def _value(text: str, mark: Mark) -> Node | None:
    if not text.strip():
        return None
    try:
        return _moved(compose(text, mark.source), mark)
    except RecipeFault as error:
        raise RecipeFault([replace(told, mark=mark) for told in error.faults]) from error


def _moved(node: Node, mark: Mark) -> Node:
    """Lines and columns of a command line's word help nobody."""
    match node:
        case Scalar():
            return replace(node, mark=mark)
        case Items():
            return Items(mark, tuple(_moved(item, mark) for item in node.nodes))
        case Section():
            return Section(
                mark, tuple(Entry(mark, item.key, _moved(item.node, mark)) for item in node.entries)
            )


def _put(node: Node | None, keys: list[str], value: Node | None, mark: Mark, path: str) -> Node | None:
    """`node` with `value` at the place that `keys` lead to; None: nothing is left there."""
    if not keys:
        return value
    key, *rest = keys
    inner = f"{path}.{key}" if path else key
    match node:
        case Items():
            return _put_item(node, key, rest, value, mark, inner)
        case Scalar() if path in _SHORT_FOR:
            node = Section(node.mark, (Entry(node.mark, _SHORT_FOR[path], node),))
        case Scalar() if not node.empty:
            raise fault(mark, path, f"holds text, so there is no `{key}` in it")
        case Scalar() | None:
            node = Section(mark, ())
        case Section():
            pass
    changed = _put(node.get(key), rest, value, mark, inner)
    if changed is None:
        return node.without(key)
    return node.put(Entry(mark, key, changed))


def _put_item(items: Items, key: str, rest: list[str], value: Node | None, mark: Mark, path: str) -> Node:
    if not re.fullmatch(r"\d{1,5}", key) or int(key) > len(items.nodes):
        raise fault(mark, path, f"the list has the places 0 to {len(items.nodes)} (a new one)")
    place = int(key)
    changed = _put(next(iter(items.nodes[place : place + 1]), None), rest, value, mark, path)
    kept = () if changed is None else (changed,)
    return replace(items, nodes=(*items.nodes[:place], *kept, *items.nodes[place + 1 :]))
