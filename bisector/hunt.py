"""The state machine of a hunt: which phase follows which event. Pure; the engine writes before it acts."""

from __future__ import annotations

from enum import Enum

from bisector.model import Ending


class Phase(Enum):
    PREPARE = "prepare"
    ENDS = "ends"
    NARROW = "narrow"
    CONFIRM = "confirm"
    DONE = "done"


class Event(Enum):
    """What happened; the facts that belong to it are in the records."""

    PREPARED = "the ends are commits"
    PROVEN = "both ends behave as said"
    WRONG_ENDS = "the ends do not differ as said"
    ONE_LEFT = "one commit is left"
    ONLY_SKIPPED = "only untestable commits are left"
    CONFIRMED = "the culprit fails again and its parents pass"
    REFUTED = "the culprit could not be confirmed"
    RELEASE_FOUND = "a dependency's release decides, no commit does"
    FAILED = "the machine or the environment failed"
    STOPPED = "interrupted"


_NEXT = {
    (Phase.PREPARE, Event.PREPARED): Phase.ENDS,
    (Phase.PREPARE, Event.WRONG_ENDS): Phase.DONE,
    (Phase.ENDS, Event.PROVEN): Phase.NARROW,
    (Phase.ENDS, Event.WRONG_ENDS): Phase.DONE,
    # Where a failure comes and goes, it takes a search to see that it does so at both ends.
    (Phase.NARROW, Event.WRONG_ENDS): Phase.DONE,
    (Phase.CONFIRM, Event.WRONG_ENDS): Phase.DONE,
    # Where the proof has shown that builds must not be shared, all is searched once more.
    (Phase.CONFIRM, Event.ONLY_SKIPPED): Phase.DONE,
    (Phase.NARROW, Event.ONE_LEFT): Phase.CONFIRM,
    (Phase.NARROW, Event.ONLY_SKIPPED): Phase.DONE,
    (Phase.CONFIRM, Event.CONFIRMED): Phase.DONE,
    (Phase.CONFIRM, Event.REFUTED): Phase.DONE,
    (Phase.CONFIRM, Event.RELEASE_FOUND): Phase.DONE,
}
_ENDING = {
    Event.WRONG_ENDS: Ending.ENDPOINTS,
    Event.ONLY_SKIPPED: Ending.SUSPECTS,
    Event.CONFIRMED: Ending.FOUND,
    Event.REFUTED: Ending.UNCONFIRMED,
    Event.RELEASE_FOUND: Ending.DEPENDENCY,
    Event.FAILED: Ending.FAILED,
    Event.STOPPED: Ending.INTERRUPTED,
}


class NotPossible(ValueError):
    """An event that cannot happen in this phase: a defect of bisector."""


def advance(phase: Phase, event: Event) -> Phase:
    """The phase after an event. A failure or an interruption keeps the phase: the hunt goes on from there."""
    if event in (Event.FAILED, Event.STOPPED) and phase is not Phase.DONE:
        return phase
    try:
        return _NEXT[phase, event]
    except KeyError:
        raise NotPossible(f"{event.name} in phase {phase.value}") from None


def ending(event: Event) -> Ending | None:
    """How a hunt ends by this event; None: it goes on."""
    return _ENDING.get(event)
