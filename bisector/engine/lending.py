"""Builds that serve another commit than their own: where they may be why a hunt contradicts itself.

Which files a build reads is seen by listening to it, and a program can read in ways that nobody hears. So the proof's
trials build for themselves: what they show has the last word, and where it contradicts the search nothing is lent.
"""

from __future__ import annotations

from collections.abc import Collection

from bisector.engine.confirm import Proof
from bisector.engine.hunter import Hunter
from bisector.model import Judgement, Purpose

_LENT_TO = (Purpose.END, Purpose.SEARCH)


def contradicts(hunter: Hunter, proof: Proof, culprit: str) -> bool:
    """Whether the proof denies what was seen on the build of another commit."""
    shown = proof.confirmation
    denied = {sha for sha, judgement in shown.parents if judgement is Judgement.NEW}
    untestable = {sha for sha, judgement in shown.parents if judgement not in (Judgement.OLD, Judgement.NEW)}
    if shown.culprit is not Judgement.NEW:
        denied.add(culprit)
    return may_be_why(hunter, denied) or not untestable.isdisjoint(_lent(hunter))


def may_be_why(hunter: Hunter, shas: Collection[str]) -> bool:
    """Whether one of these commits was judged on the build of another one, or only by what others showed."""
    lent = _lent(hunter)
    own = {judged.trial.commit for judged in hunter.told if judged.trial.purpose in _LENT_TO} - lent
    return bool(lent) and not own.issuperset(shas)


def _lent(hunter: Hunter) -> set[str]:
    """The commits that were judged so."""
    trials = [judged.trial for judged in hunter.told if judged.trial.purpose in _LENT_TO]
    lent = {trial.commit for trial in trials if trial.environment and trial.environment.borrowed}
    return lent if hunter.shares_builds else set()


def lend_nothing(hunter: Hunter, why: str) -> None:
    """From here on each commit's project is built for itself; what ran on another one's build tells nothing."""
    hunter.notice(
        f"{why}; one of them ran on the build of another commit, which may read more than can be seen: "
        "from here on each commit is built for itself"
    )
    hunter.shares_builds, hunter.signature, hunter.yardstick = False, None, None
    hunter.comparer.reference = None
    hunter.faces.clear()
    hunter.masks.clear()
    made = [(judged, judged.trial.environment) for judged in hunter.told]
    hunter.told[:] = [judged for judged, environment in made if environment and not environment.borrowed]
