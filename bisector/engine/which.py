"""Which hunt a recipe means: one under way, one that is finished, or a new one."""

from __future__ import annotations

import secrets
from datetime import datetime, timezone

from bisector.git.credentials import without_credentials
from bisector.hunt import Phase
from bisector.recipe.schema import Recipe
from bisector.recipe.source import RecipeText
from bisector.store import HuntRow, Store


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
