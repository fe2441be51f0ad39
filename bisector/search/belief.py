"""What runs with uncertain outcomes say of every commit: how likely it is the one, and how likely nothing changed.

Knows hypotheses and their probabilities; what to do about them it does not know.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bisector.history import History
from bisector.model import Judgement
from bisector.search.rates import Changed, Tally, Unchanged, changed, unchanged

NOTHING = 0.07
"""How likely it is, before any run, that the two ends do not differ at all."""

OLD_END = -1
"""The place of the old end, which stands before every commit in question."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One run: a commit and what was said of it. Errors say nothing."""

    commit: str
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Group:
    """Commits that the runs cannot tell apart: each of them is as likely the one as the next."""

    size: int
    probability: float
    evidence: Changed


@dataclass(frozen=True, slots=True)
class Belief:
    """The probability of every commit to be the one that brought the change, and of no change at all."""

    group_of: tuple[int, ...]
    groups: tuple[Group, ...]
    nothing: float
    same: Unchanged

    def probability(self, place: int) -> float:
        group = self.groups[self.group_of[place]]
        return group.probability / group.size

    def evidence(self, place: int) -> Changed:
        """What the runs say if it is this commit."""
        return self.groups[self.group_of[place]].evidence

    def likeliest(self) -> int:
        """The place of the commit that is most likely the one."""
        number = max(
            range(len(self.groups)),
            key=lambda index: self.groups[index].probability / self.groups[index].size,
        )
        return self.group_of.index(number)

    def within(self, probability: float) -> tuple[list[int], float]:
        """The fewest groups that hold the answer with at least that probability, the likeliest first; theirs."""
        ranked = sorted(range(len(self.groups)), key=lambda index: -self.groups[index].probability)
        chosen: list[int] = []
        sure = 0.0
        while ranked and sure < probability:
            chosen.append(ranked.pop(0))
            sure += self.groups[chosen[-1]].probability
        return chosen, sure


def tallies(history: History, observations: Iterable[Observation]) -> dict[int, Tally]:
    """The runs at each place. What is not in question stands for the old end."""
    counts: dict[int, Tally] = {}
    for seen in observations:
        if seen.judgement in (Judgement.OLD, Judgement.NEW):
            place = history.place(seen.commit)
            where = OLD_END if place is None else place
            failed = seen.judgement is Judgement.NEW
            counts[where] = counts.get(where, Tally()) + Tally(int(failed), int(not failed))
    return counts


def weigh(history: History, counts: Mapping[int, Tally]) -> Belief:
    """Every commit in question is as likely as the next before the first run."""
    total = sum(counts.values(), Tally())
    observed = [place for place in counts if place != OLD_END]
    marks = _containing(history, observed)
    numbers: dict[int, int] = {}
    group_of = tuple(numbers.setdefault(mark, len(numbers)) for mark in marks)
    sizes = [0] * len(numbers)
    for number in group_of:
        sizes[number] += 1
    evidence = [_evidence(mark, [counts[place] for place in observed], total) for mark in numbers]
    same = unchanged(total)
    logs = [
        found.log_likelihood + math.log((1 - NOTHING) * size / len(history))
        for found, size in zip(evidence, sizes, strict=True)
    ]
    *shares, nothing = _shares([*logs, same.log_likelihood + math.log(NOTHING)])
    groups = tuple(map(Group, sizes, shares, evidence))
    return Belief(group_of, groups, nothing, same)


def _containing(history: History, observed: Sequence[int]) -> list[int]:
    """For each commit, which of the observed ones contain it: bit n stands for the n-th observed."""
    marks = [0] * len(history)
    for bit, place in enumerate(observed):
        marks[place] |= 1 << bit
    for place in range(len(history) - 1, -1, -1):
        mark = marks[place]
        if mark:
            for parent in history.parents[place]:
                marks[parent] |= mark
    return marks


def _evidence(mark: int, seen: Sequence[Tally], total: Tally) -> Changed:
    """If one of the commits with this mark is it, the observed ones that contain it are new, the others old."""
    failed = passed = 0
    while mark:
        lowest = mark & -mark
        tally = seen[lowest.bit_length() - 1]
        failed += tally.failed
        passed += tally.passed
        mark ^= lowest
    new = Tally(failed, passed)
    return changed(total - new, new)


def _shares(logs: Sequence[float]) -> list[float]:
    best = max(logs)
    weights = [math.exp(value - best) for value in logs]
    total = math.fsum(weights)
    return [weight / total for weight in weights]
