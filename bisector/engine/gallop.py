"""`good: auto`: back over the releases, then over time, doubling, until a commit is in the old state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from bisector.engine.ends import PROOF_RUNS, learn
from bisector.engine.hunter import Hunter
from bisector.errors import EndpointFault, MachineFault
from bisector.git import refs
from bisector.model import Judgement, Purpose


@dataclass(frozen=True, slots=True)
class Galloped:
    old: str
    new: str
    """The oldest commit found to be in the new state: a shorter range than the one asked for."""
    ref: str


def gallop(hunter: Hunter, new: str) -> Galloped:
    """The nearest release, else the nearest moment, at which it was still as it used to be."""
    _see_the_new_end(hunter, new)
    nearest = new
    for ref, sha in _stops(hunter, new):
        judged = hunter.trial(sha, Purpose.END, f"looking back: {ref}")
        if judged.verdict.judgement is Judgement.OLD:
            return Galloped(sha, nearest, ref)
        if judged.verdict.judgement is Judgement.NEW:
            nearest = sha
    terms = hunter.recipe.terms
    if hunter.mirror.is_shallow():
        raise MachineFault(
            f"no {terms.old} commit was found: looked back from {new[:12]} to where the repository's history ends",
            f"{refs.SHALLOW}; the same command goes on from here",
        )
    raise EndpointFault(
        f"no {terms.old} commit was found: looked back from {new[:12]} over releases and time to the root",
        f"name a {terms.old} end that you know to work",
    )


def _see_the_new_end(hunter: Hunter, new: str) -> None:
    """First of all: what fails there is what the commits looked at are compared with."""
    recipe = hunter.recipe
    name = recipe.terms.new
    fails = recipe.failing is Judgement.NEW
    judged = hunter.trial(new, Purpose.END, f"{name} end", PROOF_RUNS if fails else 1)
    if fails:
        learn(hunter, judged)
    verdict = hunter.verdict(judged.trial)
    if verdict.judgement is Judgement.OLD:
        verb = "fail" if fails else "work"
        raise EndpointFault(
            f"the {name} end ({new[:12]}) does not {verb} as said: {verdict.reason}",
            "there is nothing to look back from; `bisector try` shows it live",
        )


def _stops(hunter: Hunter, new: str) -> Iterator[tuple[str, str]]:
    """Releases at distances 1, 2, 4 ..., then days at 1, 2, 4 ... from the new end; the root at last."""
    seen = {new}
    releases = [tag for tag in _releases(hunter, new) if not tag.version.is_prerelease]
    distance = 1
    while distance <= len(releases):
        tag = releases[distance - 1]
        if tag.commit not in seen:
            seen.add(tag.commit)
            yield tag.name, tag.commit
        distance *= 2
    yield from _days(hunter, new, seen)


def _releases(hunter: Hunter, new: str) -> list[refs.Tag]:
    """Release tags that the new end contains, the newest first."""
    git = hunter.mirror.git
    merged = set(git.lines("for-each-ref", f"--merged={new}", "--format=%(refname:lstrip=2)", "refs/tags"))
    return [tag for tag in refs.tags(git) if tag.name in merged]


def _days(hunter: Hunter, new: str, seen: set[str]) -> Iterator[tuple[str, str]]:
    git, start = hunter.mirror.git, hunter.commit(new).commit_date
    days = 1
    while True:
        moment = start - timedelta(days=days)
        sha = refs.commit_at(git, moment, new)
        if sha is None:
            break
        if sha not in seen:
            seen.add(sha)
            yield moment.date().isoformat(), sha
        days *= 2
    for root in git.lines("rev-list", "--max-parents=0", "--first-parent", new):
        if root not in seen:
            yield "the first commit", root
