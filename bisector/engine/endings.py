"""How a hunt ends once its search is over: what the proof, the environments or the probabilities make of it."""

from __future__ import annotations

from bisector.engine import doubting, faces, releases, remarks, wavering
from bisector.engine.account import Conclusion
from bisector.engine.confirm import Proof
from bisector.engine.crossing import CodeDecides, Doubtful, EnvironmentDecides, Untried
from bisector.engine.hunter import Hunter
from bisector.engine.inquiry import Inquiry
from bisector.engine.looks import Looks
from bisector.engine.wavering import Wavered
from bisector.hunt import Event, Phase
from bisector.model import Ending


def proven(
    hunter: Hunter, proof: Proof, culprit: str, old: str, new: str, log: str, looks: Inquiry[Looks]
) -> Conclusion:
    """What the proof makes of the one commit that is left."""
    if isinstance(proof.crossed, EnvironmentDecides):
        return _release(hunter, proof.crossed, new, log)
    if isinstance(proof.crossed, Untried):
        hunter.notice(proof.crossed.notice)
    if proof.doubt is None:
        remarks.remark(hunter, culprit, old, looks.answer(culprit))
    first = f"{culprit[:12]} is the first {hunter.recipe.terms.new} commit: {proof.sentence}"
    message = proof.doubt or "; ".join(filter(None, (first, faces.unsure(hunter, culprit))))
    hunter.happened(Event.REFUTED if proof.doubt else Event.CONFIRMED, message)
    ending = Ending.UNCONFIRMED if proof.doubt else Ending.FOUND
    return Conclusion(ending, message, culprit, confirmation=proof.confirmation, log=log)


def _release(hunter: Hunter, decided: EnvironmentDecides, new: str, log: str) -> Conclusion:
    """The environment decides: no commit is named."""
    found = releases.blame(hunter, decided, new)
    if isinstance(found, Doubtful):
        hunter.happened(Event.REFUTED, found.reason)
        return Conclusion(Ending.UNCONFIRMED, found.reason, log=log)
    hunter.happened(Event.RELEASE_FOUND, found.message)
    return Conclusion(Ending.DEPENDENCY, found.message, log=log, dependency=found.change)


def by_probability(hunter: Hunter, old: str, new: str, bases: tuple[str, ...], reason: str) -> Conclusion:
    """One run at a commit no longer decides: the search goes on from all that was seen."""
    hunter.notice(f"{reason}: from here on the search weighs probabilities")
    found = wavering.waver(hunter, old, new, bases)
    if len(found.commits) > 1 or not found.is_sure:
        return _probable_suspects(hunter, found)
    hunter.passed(Phase.NARROW, Event.ONE_LEFT)
    if found.has_stopped:
        return _stopped(hunter, found)
    culprit = found.commits[0]
    shown = wavering.weighed(hunter, culprit, new, found.confidence)
    message = f"{culprit[:12]} is the first {hunter.recipe.terms.new} commit: {shown.sentence}"
    crossed = doubting.crossed(hunter, culprit, new)
    if isinstance(crossed, EnvironmentDecides):
        return _release(hunter, crossed, new, found.log)
    if isinstance(crossed, Doubtful):
        hunter.happened(Event.REFUTED, crossed.reason)
        return Conclusion(
            Ending.UNCONFIRMED, crossed.reason, culprit, confirmation=shown.confirmation, log=found.log
        )
    if isinstance(crossed, Untried):
        hunter.notice(crossed.notice)
    message += f", {crossed.sentence}" if isinstance(crossed, CodeDecides) else ""
    hunter.happened(Event.CONFIRMED, message)
    return Conclusion(Ending.FOUND, message, culprit, confirmation=shown.confirmation, log=found.log)


def _stopped(hunter: Hunter, found: Wavered) -> Conclusion:
    message = (
        f"the failure has stopped: it was seen in the beginning and never on a second look, also not at "
        f"{hunter.row.new_ref}; the machine, the network or the time changed, not a commit"
    )
    hunter.happened(Event.REFUTED, message)
    return Conclusion(Ending.UNCONFIRMED, message, log=found.log)


def _probable_suspects(hunter: Hunter, found: Wavered) -> Conclusion:
    if found.is_sure:
        count = len(found.commits)
        message = f"{found.confidence:.1%} sure that it is one of {count} commits, the rest cannot be tested"
    else:
        share = f"the likeliest commit has {found.confidence:.0%}"
        message = f"cannot tell after {wavering.BUDGET} runs: {share}"
    hunter.passed(Phase.NARROW, Event.ONLY_SKIPPED, message)
    hunter.passed(Phase.CONFIRM, Event.REFUTED, message)
    return Conclusion(Ending.SUSPECTS, message, suspects=found.commits, log=found.log)
