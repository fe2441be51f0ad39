"""Text to Recipe: every fault told at once, or a recipe that is sound as far as its text can tell.

Whether git knows the refs and the machine has the python is asked later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TypeVar

from bisector.model import Find
from bisector.recipe import grammar
from bisector.recipe.faults import Fault, RecipeFault, fault
from bisector.recipe.overrides import lay_over
from bisector.recipe.schema import OriginKind, Recipe
from bisector.recipe.shapes import Shape, attempt
from bisector.recipe.spellings import Spellings, usual
from bisector.recipe.support import NOT_YET, unsupported
from bisector.recipe.yaml_nodes import Section, compose

T = TypeVar("T")


def load(
    text: str,
    name: str,
    overrides: Sequence[str] = (),
    base: Path | None = None,
    *,
    origin: OriginKind = OriginKind.FILE,
    not_yet: Mapping[str, frozenset[str]] = NOT_YET,
) -> Recipe:
    """`name` is what faults call the text, `overrides` are `--set`'s KEY=VALUE. Raises RecipeFault."""
    tree = compose(text, name)
    if not isinstance(tree, Section):
        raise fault(tree.mark, "", "a recipe is made of `key: value` lines")
    tree = lay_over(tree, overrides)
    spellings = _spellings(tree)
    faults = list(unsupported(tree, not_yet))
    recipes = list(attempt(grammar.recipe(spellings), tree, "", faults))
    if faults:
        raise RecipeFault(sorted(faults, key=_place))
    named = recipes[0].name or PurePath(name).stem
    return replace(recipes[0], name=named, terms=spellings.terms, base=base, origin=origin)


def _spellings(tree: Section) -> Spellings:
    """Looked up before all else, for it decides which keys there are; its faults are told with the others."""
    find = _peek(grammar.FIND, tree, "find", Find.REGRESSION)
    return Spellings(find, _peek(grammar.terms(find), tree, "terms", usual(find)))


def _peek(shape: Shape[T], tree: Section, key: str, otherwise: T) -> T:
    node = tree.get(key)
    return otherwise if node is None else next(attempt(shape, node, key, []), otherwise)


def _place(fault: Fault) -> tuple[float, int]:
    """In the order of the text; overrides last."""
    line = fault.mark.line
    return (float("inf") if line is None else line, fault.mark.column or 0)
