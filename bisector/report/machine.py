"""Report -> report.json and the recipe alone: what programs read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest

from bisector.model import Account, Judgement, Lock, package_of
from bisector.recipe.faults import RecipeFault
from bisector.recipe.load import settled_text
from bisector.report.build import build
from bisector.report.clean import washed

_PACKAGES, _BUILDING = "requirements", "build_requirements"
"""What is locked, by the keys of a pin."""


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
    stretches = [{_PACKAGES: lock.packages, _BUILDING: lock.building} for lock in locks]
    always = {
        key: set.intersection(*(_names(one[key]) for one in stretches)) for key in (_PACKAGES, _BUILDING)
    }
    common, more = _parted(stretches[0], always)
    pins: list[dict[str, object]] = []
    if len(locks) > 1 and more:
        pins.append({"before": locks[1].since, **more})
    for lock, stretch, after in zip_longest(locks[1:], stretches[1:], locks[2:]):
        kept, more = _parted(stretch, always)
        lines = kept if after else {key: list(lines) for key, lines in stretch.items() if lines}
        pins.append({"since": lock.since, "python": lock.python, **lines})
        if after and more:
            pins.append({"range": f"{lock.since}^..{after.since}^", **more})
    building = [f"install.{_BUILDING}={json.dumps(common[_BUILDING])}"] if _BUILDING in common else []
    # An empty value takes the key away.
    return [
        f"python={json.dumps(locks[0].python)}",
        f"dependencies.requirements={json.dumps(common[_PACKAGES]) if _PACKAGES in common else ''}",
        "dependencies.declared=false",
        "dependencies.as_of=latest",
        *building,
        f"pins={json.dumps(pins) if pins else ''}",
    ]


def _names(lines: Sequence[str]) -> set[str]:
    return {package_of(line) for line in lines}


def _parted(
    stretch: Mapping[str, Sequence[str]], always: Mapping[str, set[str]]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """By key, what every stretch has in some version, and the rest; no empty lists."""
    kept = {
        key: [line for line in lines if package_of(line) in always[key]] for key, lines in stretch.items()
    }
    more = {key: [line for line in lines if line not in kept[key]] for key, lines in stretch.items()}
    return _filled(kept), _filled(more)


def _filled(lists: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {key: lines for key, lines in lists.items() if lines}
