"""The first phase: both ends as commits, and what lies between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from bisector.engine.ends import relate
from bisector.engine.gallop import gallop
from bisector.engine.hunter import Hunter
from bisector.git.refs import resolve
from bisector.hunt import Event, Phase
from bisector.oracles.patterns import Found, Search
from bisector.recipe.schema import AUTO, Recipe

SAYS = re.compile(r"\s*(print|raise|exit|sys\.exit|sys\.std\w+\.write|echo|printf|#)\b")
"""A line of a repro that does nothing but say something."""


def settle(hunter: Hunter) -> tuple[str, str]:
    """The two ends as commits, once for the whole hunt: a branch may move while it runs."""
    row, recipe = hunter.row, hunter.recipe
    if row.old_commit and row.new_commit:
        return row.old_commit, row.new_commit
    new = resolve(hunter.mirror, recipe.new, hunter.say)
    if recipe.old == AUTO:
        found = gallop(hunter, new)
        old, ref = found.old, f"{AUTO} ({found.ref})"
    else:
        old, ref = resolve(hunter.mirror, recipe.old, hunter.say, tip=new), recipe.old
    _keep_objects(hunter, old, new)
    hunter.store.resolved(hunter.id, (ref, old), (recipe.new, new))
    hunter.row = replace(row, old_ref=ref, old_commit=old, new_ref=recipe.new, new_commit=new)
    return old, new


def prepare(hunter: Hunter) -> tuple[str, str, tuple[str, ...]]:
    """Ends and merge bases; the hunt is past its first phase afterwards."""
    old, new = settle(hunter)
    bases = relate(hunter.mirror, hunter.recipe, old, new)
    for key, line in quoted(hunter.recipe, hunter.look):
        hunter.notice(
            f"verdict.{key} is found in the repro itself ({line.strip()[:60]}): a traceback quotes that "
            f"line, whatever goes wrong in it; ask for words that only the failure writes"
        )
    if hunter.phase is Phase.PREPARE:
        hunter.happened(Event.PREPARED)
    return old, new, bases


def quoted(recipe: Recipe, look: Search) -> Iterator[tuple[str, str]]:
    """Each pattern that a line of the repro satisfies which may fail in other ways than by saying so."""
    policy, terms = recipe.verdict, recipe.terms
    patterns = {"skip_if": policy.skip_if, f"{terms.old}_if": policy.old_if, f"{terms.new}_if": policy.new_if}
    lines = [line for line in recipe.repro.action.text.splitlines() if not SAYS.match(line)]
    for key, pattern in patterns.items():
        found = look(pattern, "\n".join(lines)) if pattern is not None else None
        if isinstance(found, Found):
            yield key, found.line


def _keep_objects(hunter: Hunter, old: str, new: str) -> None:
    """Refs of our own, so that a forced push at the source cannot take the hunt's commits away."""
    place = f"refs/hunts/{hunter.id}"
    hunter.mirror.git.update_refs([(f"{place}/old", old), (f"{place}/new", new)])
