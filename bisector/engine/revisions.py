"""Every revision that a recipe names, held against the repository: all that git does not know, at once.

Looks in the mirror; asks the source for what is missing or may have moved. Resolves nothing for the hunt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bisector.errors import UsageFault
from bisector.git.door import GitFailed
from bisector.git.mirror import Mirror, NoRepository, Say
from bisector.git.refs import SHALLOW, NoSuchRevision, is_date, is_empty, lookup, moves, nearest
from bisector.model import Judgement
from bisector.recipe.alterations import CherryPick, Range, Since, Stretch
from bisector.recipe.faults import Fault, RecipeFault
from bisector.recipe.places import Places, in_order, places
from bisector.recipe.schema import AUTO, Recipe
from bisector.recipe.source import RecipeText
from bisector.recipe.spellings import Spellings

HINT = "a sha, tag, branch, HEAD~200, a date (2023-01-31) or a released version; `git ls-remote REPO` lists names"
_FULL_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Named:
    """A revision and where the recipe names it."""

    path: str
    rev: str


def check_revisions(
    written: RecipeText, recipe: Recipe, mirror: Mirror, say: Say, besides: Sequence[str] = ()
) -> None:
    """RecipeFault with every revision that names no commit, each with its place.

    The mirror is made, and brought up to date where the ends or the names given `besides` may have moved.
    """
    where = places(written.text, written.name, written.overrides)
    faults = revision_faults(where, recipe, mirror, say, besides)
    if faults:
        raise RecipeFault(in_order(faults), revision_hint(mirror))


def revision_hint(mirror: Mirror) -> str:
    """What helps where a revision names no commit, or the repository is none."""
    if not mirror.exists() or is_empty(mirror.git):
        return "give a URL, or a path relative to the recipe file"
    return SHALLOW if mirror.is_shallow() else HINT


def revision_faults(
    where: Places, recipe: Recipe, mirror: Mirror, say: Say, besides: Sequence[str] = ()
) -> list[Fault]:
    try:
        fresh = refresh(mirror, (recipe.old, recipe.new, *besides), say)
    except NoRepository as fault:
        return [where.fault("repo", fault.reason)]
    asked = list(named(where, recipe))
    if is_empty(mirror.git):
        return [where.fault("repo", f"{mirror.source.shown} is empty: it has no commits")]
    if not _unknown(mirror, asked):
        return []
    if not fresh:
        mirror.fetch(say)
    for one in _unknown(mirror, asked):
        if _FULL_SHA.fullmatch(one.rev):
            mirror.fetch_commit(one.rev)
    return [_fault(where, mirror, one) for one in _unknown(mirror, asked)]


def refresh(mirror: Mirror, names: Sequence[str], say: Say) -> bool:
    """A mirror that is there and, where one of the names may have moved, as the source is now: then True.

    A source that does not answer, or is gone, is no fault: what the mirror holds may be enough.
    """
    if mirror.ensure(say):
        return True
    if not any(name != AUTO and moves(mirror.git, name) for name in names):
        return False
    return fetch_if_possible(mirror, say)


def fetch_if_possible(mirror: Mirror, say: Say) -> bool:
    """As the source is now; False: as it was."""
    try:
        mirror.fetch(say)
    except (GitFailed, UsageFault) as fault:
        say(f"{fault.message}; going on with what was fetched before")
        return False
    return True


def named(where: Places, recipe: Recipe) -> Iterator[Named]:
    """All revisions of a recipe in a form that `lookup` takes; dates in stretches need no commit."""
    yield from _named_ends(where, recipe)
    for number, revs in enumerate(recipe.skip):
        yield from _sides(f"skip.{number}", revs)
    for number, pin in enumerate(recipe.pins):
        yield from _in_stretch(f"pins.{number}", pin.where)
    for number, fixup in enumerate(recipe.fixups):
        yield from _in_stretch(f"fixups.{number}", fixup.where)
        if isinstance(fixup.change, CherryPick):
            yield Named(f"fixups.{number}.cherry_pick", fixup.change.rev)
    for number, overlay in enumerate(recipe.overlay):
        if isinstance(overlay.source, str):
            yield Named(f"overlay.{number}.from", overlay.source)


def _named_ends(where: Places, recipe: Recipe) -> Iterator[Named]:
    ends = Spellings(recipe.find, recipe.terms).ends
    for state, rev in ((Judgement.OLD, recipe.old), (Judgement.NEW, recipe.new)):
        entry = where.entry(*(word for word, end in ends.items() if end is state))
        if entry is not None and rev != AUTO:
            yield Named(entry.key, rev)


def _in_stretch(path: str, where: Stretch) -> Iterator[Named]:
    if isinstance(where, Range):
        yield from _sides(f"{path}.range", where.revs)
    elif not is_date(where.rev):
        yield Named(f"{path}.{'since' if isinstance(where, Since) else 'before'}", where.rev)


def _sides(path: str, revs: str) -> Iterator[Named]:
    """A range is as good as its two ends; an empty one is HEAD."""
    sides = re.split(r"\.\.\.?", revs, maxsplit=1)
    yield from (Named(path, side or "HEAD") for side in sides)


def _unknown(mirror: Mirror, asked: Sequence[Named]) -> list[Named]:
    return [one for one in asked if _found(mirror, one.rev) is None]


def _found(mirror: Mirror, rev: str) -> str | None:
    try:
        return lookup(mirror.git, rev, None, mirror.source.key)
    except NoSuchRevision:
        return None


def _fault(where: Places, mirror: Mirror, one: Named) -> Fault:
    try:
        lookup(mirror.git, one.rev, None, mirror.source.key)
    except UsageFault as ambiguous:
        return where.fault(one.path, ambiguous.message)
    if is_date(one.rev):
        return where.fault(one.path, f"no commit of {mirror.source.shown} is as old as {one.rev!r}")
    near = nearest(mirror.git, one.rev)
    return where.fault(
        one.path, f"{one.rev!r} names no commit of {mirror.source.shown}", near[0] if near else None
    )
