"""Which hunt a recipe means: one under way, one that is finished, or a new one."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from bisector.engine.ends import relate
from bisector.engine.gallop import gallop
from bisector.engine.hunter import Hunter
from bisector.git.credentials import without_credentials
from bisector.git.refs import resolve
from bisector.hunt import Event, Phase
from bisector.oracles.patterns import Found, Search
from bisector.recipe.schema import AUTO, Recipe
from bisector.store import HuntRow, Store

SAYS = re.compile(r"\s*(print|raise|exit|sys\.exit|sys\.std\w+\.write|echo|printf|#)\b")
"""A line of a repro that does nothing but say something."""


@dataclass(frozen=True, slots=True)
class RecipeText:
    """A recipe with all that is needed to read it again."""

    text: str
    name: str
    base: str
    overrides: tuple[str, ...]


def find(store: Store, recipe: Recipe) -> HuntRow | None:
    """The newest hunt of this recipe."""
    rows = store.hunts(recipe.digest)
    return rows[0] if rows else None


def relatives(store: Store, recipe: Recipe, shown: str) -> list[HuntRow]:
    """Earlier hunts in the same repository under the same name: this recipe may be one of them, changed."""
    return [
        row
        for row in store.hunts()
        if row.repo == shown and row.digest != recipe.digest and row.name == recipe.name
    ]


def create(store: Store, recipe: Recipe, written: RecipeText, shown: str, *, fresh: bool = False) -> HuntRow:
    """A hunt on record; what the recipe holds of passwords in URLs is not."""
    row = HuntRow(
        id=secrets.token_hex(4),
        digest=recipe.digest,
        name=recipe.name,
        repo=shown,
        recipe=without_credentials(written.text),
        recipe_name=written.name,
        base=written.base,
        overrides=tuple(map(without_credentials, written.overrides)),
        created=datetime.now(timezone.utc),
        phase=Phase.PREPARE,
        ending=None,
        message="",
        old_ref=None,
        old_commit=None,
        new_ref=None,
        new_commit=None,
        seconds=0.0,
        fresh=fresh,
    )
    store.add_hunt(row)
    return row


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
