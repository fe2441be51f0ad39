"""Report -> report.json and the recipe alone: what programs read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from bisector.model import Account, Judgement, Lock
from bisector.recipe.faults import RecipeFault
from bisector.recipe.load import settled_text
from bisector.report.build import build
from bisector.report.clean import washed


def as_json(account: Account) -> str:
    """ASCII only: what a commit message smuggles in cannot act on the terminal it is printed to."""
    return json.dumps(asdict(build(account)), indent=2, ensure_ascii=True) + "\n"


def as_recipe(account: Account) -> str:
    """The recipe with what the hunt used locked, ends and versions: repeated years later it is the same hunt."""
    clean = washed(account)
    ends = {Judgement.OLD: clean.good, Judgement.NEW: clean.bad}
    try:
        text = settled_text(clean.recipe, "recipe", clean.repo, ends, _locked(clean.locks))
    except RecipeFault:
        # Of records that came from elsewhere: what cannot be read can still be shown.
        text = clean.recipe
    return text if text.endswith("\n") else text + "\n"


def _locked(locks: Sequence[Lock]) -> list[str]:
    """As overrides: the oldest stretch's versions for all, what changed since as pins."""
    if not locks:
        return []
    first, *later = locks
    pins = [
        {"since": lock.since, "python": lock.python, "requirements": list(lock.packages)} for lock in later
    ]
    return [
        f"python={json.dumps(first.python)}",
        f"dependencies.requirements={json.dumps(list(first.packages))}",
        "dependencies.declared=false",
        "dependencies.as_of=latest",
        # An empty value takes the key away.
        f"pins={json.dumps(pins) if pins else ''}",
    ]
