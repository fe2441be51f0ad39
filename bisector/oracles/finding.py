"""What one run comes to, and what it is held against: the words that every oracle and the verdict share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bisector.model import Judgement, Places, Run
from bisector.oracles.patterns import Search
from bisector.oracles.signatures import Signature
from bisector.recipe.schema import Policy, Reaction, Worse


@dataclass(frozen=True, slots=True)
class Works:
    reason: str


@dataclass(frozen=True, slots=True)
class Fails:
    """In the way that is hunted."""

    reason: str
    failure: Signature


@dataclass(frozen=True, slots=True)
class FailsOtherwise:
    reason: str
    failure: Signature


@dataclass(frozen=True, slots=True)
class CannotTell:
    reason: str


@dataclass(frozen=True, slots=True)
class Stops:
    """Nothing may be concluded, and the hunt is not to go on as if nothing were."""

    reason: str


Finding = Works | Fails | FailsOtherwise | CannotTell | Stops


@dataclass(frozen=True, slots=True)
class Alike:
    """The saved file agrees with the working end's, within the tolerances."""

    largest: float


@dataclass(frozen=True, slots=True)
class Apart:
    """It does not; `reason` names the first array, the largest error and where."""

    reason: str


@dataclass(frozen=True, slots=True)
class Incomparable:
    """There is no file, or it cannot be read."""

    reason: str


@dataclass(frozen=True, slots=True)
class IsTheReference:
    """This run's file is the one that others are compared with."""


Comparison = Alike | Apart | Incomparable | IsTheReference


@dataclass(frozen=True, slots=True)
class Limit:
    """Where a metric's failing side begins; `ratio` is the same, in terms of the working end's value."""

    value: float
    worse: Worse
    words: str
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Standard:
    """What a trial is held against: the recipe's policy, and what the ends showed."""

    policy: Policy
    working: Judgement = Judgement.OLD
    """The state in which the repro exits 0: the new one in a hunt for a fix."""
    module: str | None = None
    signature: Signature | None = None
    """The failure at the failing end; None while that is being found out."""
    limit: Limit | None = None

    @property
    def failing(self) -> Judgement:
        return Judgement.NEW if self.working is Judgement.OLD else Judgement.OLD

    @property
    def failing_if(self) -> str | None:
        return self.policy.new_if if self.failing is Judgement.NEW else self.policy.old_if

    @property
    def working_if(self) -> str | None:
        return self.policy.old_if if self.failing is Judgement.NEW else self.policy.new_if


@dataclass(frozen=True, slots=True)
class Seen:
    """One run and what was found out about it."""

    run: Run
    places: Places
    comparison: Comparison | None = None
    beside: Run | None = None
    """The working end's run next to it."""


class Oracle(Protocol):
    """One way to judge a run. None: it has nothing to say, ask the next."""

    def __call__(self, seen: Seen, standard: Standard, search: Search) -> Finding | None: ...


def by_reaction(reaction: Reaction, reason: str, failure: Signature, standard: Standard) -> Finding:
    """What the recipe says shall follow from an observation of this kind."""
    match reaction:
        case Reaction.SKIP:
            return CannotTell(reason)
        case Reaction.ABORT:
            return Stops(f"{reason}; the recipe says to abort then")
        case Reaction.OLD | Reaction.NEW:
            fails = (reaction is Reaction.OLD) == (standard.failing is Judgement.OLD)
            return Fails(reason, failure) if fails else Works(reason)
