"""Report -> report.json and the recipe alone: what programs read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import zip_longest

from bisector.model import Account, Judgement, Lock, package_of
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
    """As overrides: the oldest stretch's versions for all, what changed since as pins.

    A pin takes nothing away: a package that some stretches do without is pinned where it was, and nowhere else.
    """
    if not locks:
        return []
    always = set.intersection(*({package_of(line) for line in lock.packages} for lock in locks))
    first, *later = locks
    common, more = _parted(first, always)
    pins: list[dict[str, object]] = []
    if later and more:
        pins.append({"before": later[0].since, "requirements": more})
    for lock, after in zip_longest(later, later[1:]):
        kept, more = _parted(lock, always)
        lines = kept if after else list(lock.packages)
        pins.append(
            {"since": lock.since, "python": lock.python, **({"requirements": lines} if lines else {})}
        )
        if after and more:
            pins.append({"range": f"{lock.since}^..{after.since}^", "requirements": more})
    # An empty value takes the key away.
    return [
        f"python={json.dumps(first.python)}",
        f"dependencies.requirements={json.dumps(common) if common else ''}",
        "dependencies.declared=false",
        "dependencies.as_of=latest",
        f"pins={json.dumps(pins) if pins else ''}",
    ]


def _parted(lock: Lock, always: set[str]) -> tuple[list[str], list[str]]:
    """What every stretch has in some version, and the rest."""
    kept = [line for line in lock.packages if package_of(line) in always]
    return kept, [line for line in lock.packages if line not in kept]
