"""The funnel of the search: for each trial, which part of the range was still in question after it.

Every trial stands at its commit's place; the verdicts say what was left. A commit in the old state rules out all up
to itself, one in the new state all after itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from bisector.model import ALTERED, Account, JudgedTrial, Judgement, Purpose

_STEPS_SHOWN = 150


@dataclass(frozen=True, slots=True)
class Stretch:
    """Commits low+1 to high of the range, counted from the old end, are in question."""

    low: int
    high: int

    @property
    def left(self) -> int:
        return self.high - self.low

    def after(self, judgement: Judgement, place: int | None, culprit: int | None = None) -> Stretch:
        """Narrower by what the verdict ruled out; one that leaves nothing, or not the culprit, was not believed."""
        narrowed = self
        if place is not None and judgement is Judgement.OLD:
            narrowed = Stretch(max(self.low, place), self.high)
        elif place is not None and judgement is Judgement.NEW:
            narrowed = Stretch(self.low, min(self.high, place))
        believed = narrowed.low < (culprit or narrowed.high) <= narrowed.high
        return narrowed if believed else self


@dataclass(frozen=True, slots=True)
class Step:
    """One trial: the stretch it left in question, and where its commit stands; commit n fills n-1 to n."""

    number: int
    judged: JudgedTrial
    stretch: Stretch
    at: float

    @property
    def left(self) -> int | None:
        """Commits in question after it, where it was a step of the search."""
        if self.judged.left is None or self.judged.place is None:
            return self.judged.left
        return self.stretch.left


@dataclass(frozen=True, slots=True)
class Funnel:
    """`more`: steps that are not drawn. `culprit`: its place in the range, when one commit was left."""

    commits: int
    steps: tuple[Step, ...]
    more: int
    culprit: int | None

    @property
    def narrows(self) -> bool:
        """Whether there is anything to see."""
        return any(step.stretch.left < self.commits for step in self.steps)


def funnel(account: Account) -> Funnel:
    stretch = Stretch(0, max(1, account.commits))
    culprit = _culprit(account)
    inside = _inside(account)
    steps = []
    for number, judged in enumerate(account.trials, start=1):
        if judged.trial.purpose not in ALTERED:
            stretch = stretch.after(judged.verdict.judgement, judged.place, culprit)
        steps.append(Step(number, judged, stretch, _at(judged, stretch, inside)))
    drawn = tuple(steps[:_STEPS_SHOWN])
    if culprit is None and account.culprit and stretch.left == 1:
        culprit = stretch.high
    return Funnel(max(1, account.commits), drawn, len(steps) - len(drawn), culprit)


def _culprit(account: Account) -> int | None:
    sha = account.culprit.commit.sha if account.culprit else None
    return next((judged.place for judged in account.trials if judged.trial.commit == sha), None)


def _inside(account: Account) -> set[str]:
    """Commits inside the merge that was found, where only the main line has places."""
    searched, ends = (
        {judged.trial.commit for judged in account.trials if judged.trial.purpose is purpose}
        for purpose in (Purpose.SEARCH, Purpose.END)
    )
    return searched - ends


def _at(judged: JudgedTrial, stretch: Stretch, inside: set[str]) -> float:
    """The good end, and what lies below it, stand on the edge."""
    if judged.place is not None:
        return judged.place - 0.5
    return (stretch.low + stretch.high) / 2 if judged.trial.commit in inside else 0.0
