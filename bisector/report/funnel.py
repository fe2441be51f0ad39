"""The funnel of the search: for each trial, which part of the range was still in question after it.

Positions follow from the counts alone: a commit in the old state takes what it rules out from the range's
old side, one in the new state from the new side. That is one order of the commits which the history allows.
"""

from __future__ import annotations

from dataclasses import dataclass

from bisector.model import Account, JudgedTrial, Judgement

_STEPS_SHOWN = 150


@dataclass(frozen=True, slots=True)
class Stretch:
    """Commits low+1 to high of the range, counted from the old end, are in question."""

    low: int
    high: int

    @property
    def left(self) -> int:
        return self.high - self.low

    def after(self, judgement: Judgement, left: int | None) -> Stretch:
        """Narrower by what the verdict ruled out; a count that does not shrink it leaves it as it is."""
        if left is None or not 0 < left < self.left:
            return self
        if judgement is Judgement.OLD:
            return Stretch(self.high - left, self.high)
        if judgement is Judgement.NEW:
            return Stretch(self.low, self.low + left)
        return self


@dataclass(frozen=True, slots=True)
class Step:
    """One trial: the stretch it left in question, and where its commit stands; commit n fills n-1 to n."""

    number: int
    judged: JudgedTrial
    stretch: Stretch
    at: float


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
    places = {account.good.commit: 0.0, account.bad.commit: stretch.high - 0.5}
    steps = []
    for number, judged in enumerate(account.trials, start=1):
        narrowed = stretch.after(judged.verdict.judgement, judged.left)
        at = places.setdefault(judged.trial.commit, _place(judged.verdict.judgement, narrowed))
        stretch = narrowed
        steps.append(Step(number, judged, stretch, at))
    drawn = tuple(steps[:_STEPS_SHOWN])
    culprit = stretch.high if stretch.left == 1 and account.culprit else None
    return Funnel(max(1, account.commits), drawn, len(steps) - len(drawn), culprit)


def _place(judgement: Judgement, stretch: Stretch) -> float:
    """The commit that was tested is the edge that moved; one that moved no edge lies somewhere in between."""
    if judgement is Judgement.OLD:
        return max(0.0, stretch.low - 0.5)
    if judgement is Judgement.NEW:
        return stretch.high - 0.5
    return (stretch.low + stretch.high) / 2
