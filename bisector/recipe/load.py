"""Text to Recipe: every fault told at once, or a recipe that is sound as far as its text can tell.

Whether git knows the refs and the machine has the python is asked later.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TypeVar

from bisector.harmless import line
from bisector.model import End, Find, Judgement
from bisector.recipe import grammar
from bisector.recipe.faults import Fault, RecipeFault, fault
from bisector.recipe.location import is_url
from bisector.recipe.overrides import lay_over
from bisector.recipe.places import in_order
from bisector.recipe.schema import OriginKind, Recipe
from bisector.recipe.shapes import Shape, attempt
from bisector.recipe.spellings import Spellings, usual
from bisector.recipe.support import NOT_YET, unsupported
from bisector.recipe.write import write_tree
from bisector.recipe.yaml_nodes import Scalar, Section, compose

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
    tree = _tree(text, name, overrides)
    spellings = _spellings(tree)
    faults = [*unsupported(tree, not_yet), *_out_of_reach(tree, origin)]
    recipes = list(attempt(grammar.recipe(spellings), tree, "", faults))
    if faults:
        raise RecipeFault(in_order(faults))
    read = recipes[0]
    own_name = PurePath(name).stem if origin is OriginKind.FILE else PurePath(read.repo).stem
    return replace(read, name=read.name or own_name, terms=spellings.terms, base=base, origin=origin)


def effective_text(text: str, name: str, overrides: Sequence[str]) -> str:
    """What somebody else needs to repeat the hunt: the text as it is, or with the overrides in it."""
    return write_tree(_tree(text, name, overrides)) if overrides else text


def settled_text(
    text: str, name: str, repo: str, ends: Mapping[Judgement, End], overrides: Sequence[str]
) -> str:
    """The same hunt elsewhere and later: the ends as commits with their names beside them, a path from the root."""
    tree = _tree(text, name, ())
    words, written = _spellings(tree).ends, tree.get("repo")
    named = {entry.key: ends[words[entry.key]] for entry in tree.entries if entry.key in words}
    commits = {key: end for key, end in named.items() if end.commit}
    moved = [f"repo={json.dumps(repo)}"] if isinstance(written, Scalar) and not is_url(written.text) else []
    laid = [*moved, *(f"{key}={json.dumps(end.commit)}" for key, end in commits.items()), *overrides]
    settled = effective_text(text, name, laid)
    for key, end in commits.items():
        beside = "" if end.ref == end.commit else f"  # {line(end.ref)}".replace("\\", r"\\")
        settled = re.sub(rf"(?m)^({re.escape(key)}: ['\"]?{end.commit}['\"]?)$", rf"\1{beside}", settled)
    return settled


def _tree(text: str, name: str, overrides: Sequence[str]) -> Section:
    tree = compose(text, name)
    if not isinstance(tree, Section):
        raise fault(tree.mark, "", "a recipe is made of `key: value` lines")
    return lay_over(tree, overrides)


def _out_of_reach(tree: Section, origin: OriginKind) -> list[Fault]:
    """Somebody else's recipe has no folder here, and this machine's files are not its to name."""
    repo = tree.get("repo")
    if origin not in (OriginKind.URL, OriginKind.ISSUE) or not isinstance(repo, Scalar) or repo.empty:
        return []
    address = repo.text.strip()
    if is_url(address) and not address.lower().startswith("file:"):
        return []
    return [Fault(repo.mark, "repo", "a recipe from a URL must name its repository by a URL, not by a path")]


def _spellings(tree: Section) -> Spellings:
    """Looked up before all else, for it decides which keys there are; its faults are told with the others."""
    find = _peek(grammar.FIND, tree, "find", Find.REGRESSION)
    return Spellings(find, _peek(grammar.terms(find), tree, "terms", usual(find)))


def _peek(shape: Shape[T], tree: Section, key: str, otherwise: T) -> T:
    node = tree.get(key)
    return otherwise if node is None else next(attempt(shape, node, key, []), otherwise)
