"""A search for failures that come and go: keeps a probability over the commits and runs where it learns most.

A pure function of all that was observed, so a hunt that began deterministic goes on from what it has seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bisector.history import History
from bisector.model import Judgement
from bisector.search.belief import OLD_END, Belief, Observation, tallies, weigh
from bisector.search.lineage import Lineage, lineage
from bisector.search.rates import Side, Tally, failures, surprise
from bisector.search.testability import chances

CURIOSITY = 0.6
"""The share of what a run tells about the rates that counts as told about the commit: it pays off later."""

UNLIKELY = 0.05
"""A commit whose chance of being testable is smaller is not worth a run."""

BATCHES = (1, 2, 3, 5, 8, 13)
"""How many runs in a row are thought of where a change of commit costs time."""

NEGLIGIBLE = 1e-3
"""Groups of commits less likely than this do not decide how many runs to make."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds: of one run, and of preparing a commit other than the one that ran last."""

    run: float = 1.0
    switch: float = 0.0


@dataclass(frozen=True, slots=True)
class Ask:
    """Run this commit so many times."""

    commit: str
    runs: int


@dataclass(frozen=True, slots=True)
class Suspicion:
    commit: str
    probability: float


@dataclass(frozen=True, slots=True)
class Named:
    commit: str
    probability: float


@dataclass(frozen=True, slots=True)
class NothingChanged:
    """The two ends fail equally often."""

    probability: float


@dataclass(frozen=True, slots=True)
class Narrowed:
    """It is one of these with that probability; between them there is nothing that can be tested."""

    commits: tuple[str, ...]
    probability: float
    untried: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CannotTell:
    """The budget of runs is spent. The likeliest commits first."""

    likeliest: tuple[Suspicion, ...]
    nothing: float


Answer = Ask | Named | NothingChanged | Narrowed | CannotTell


@dataclass(frozen=True, slots=True)
class Flaky:
    """The search over one history, whose last commit is the new end."""

    history: History
    lineage: Lineage
    old: str
    confidence: float = 0.95
    budget: int = 1000

    def search(self, observations: Sequence[Observation], costs: Costs | None = None) -> Answer:
        """What to run next, after all that was observed, or how the search ended."""
        counts = tallies(self.history, observations)
        belief = weigh(self.history, counts)
        if belief.nothing >= self.confidence:
            return NothingChanged(belief.nothing)
        best = max(range(len(self.history)), key=belief.probability)
        if belief.probability(best) >= self.confidence:
            return Named(self.history.sha(best), belief.probability(best))
        testable = _testable(self.history, observations)
        narrowed = self._narrowed(belief, testable, counts)
        if narrowed is not None:
            return narrowed
        if len(observations) >= self.budget:
            return self._cannot_tell(belief)
        last = self.history.place(observations[-1].commit) if observations else None
        return self._ask(belief, testable, OLD_END if last is None else last, costs or Costs())

    def _narrowed(
        self, belief: Belief, testable: Sequence[float], counts: Mapping[int, Tally]
    ) -> Narrowed | None:
        """The group that holds the answer, when no commit is left that would split it."""
        number = max(range(len(belief.groups)), key=lambda index: belief.groups[index].probability)
        group = belief.groups[number]
        if group.probability < self.confidence or group.size == 1:
            return None
        inside = self.lineage.totals([float(of == number) for of in belief.group_of])
        for place, share in enumerate(inside):
            if 0 < share < group.size and testable[place] >= UNLIKELY:
                return None
        members = belief.members(number)
        untried = [place for place in members if place not in counts and testable[place] > 0]
        return Narrowed(self._shas(members), group.probability, self._shas(untried))

    def _cannot_tell(self, belief: Belief) -> CannotTell:
        ranked = sorted(range(len(self.history)), key=belief.probability, reverse=True)
        likeliest = tuple(
            Suspicion(self.history.sha(place), belief.probability(place)) for place in ranked[:10]
        )
        return CannotTell(likeliest, belief.nothing)

    def _ask(self, belief: Belief, testable: Sequence[float], last: int, costs: Costs) -> Ask:
        """The commit and the number of runs that tell most per second."""
        gains = [gain * chance for gain, chance in zip(_gains(belief, self.lineage), testable, strict=True)]
        best = max(range(len(gains)), key=gains.__getitem__)
        if _end_gain(belief) > gains[best]:
            best = OLD_END
        if not costs.switch:
            return Ask(self._sha(best), 1)
        plans = [
            (_batch_gain(self.history, belief, place, runs) * chance / seconds, place, runs)
            for place in dict.fromkeys((best, last))
            # Staying costs no switch: without its chance an untestable commit would be asked for ever.
            if (chance := 1.0 if place == OLD_END else testable[place]) > 0
            for runs in BATCHES
            if (seconds := runs * costs.run + costs.switch * (place != last))
        ]
        _, place, runs = max(plans, key=lambda plan: plan[0], default=(0.0, OLD_END, 1))
        return Ask(self._sha(place), runs)

    def _sha(self, place: int) -> str:
        return self.old if place == OLD_END else self.history.sha(place)

    def _shas(self, places: Iterable[int]) -> tuple[str, ...]:
        return tuple(map(self.history.sha, places))


def prepare(history: History, old: str, confidence: float = 0.95, budget: int = 1000) -> Flaky:
    """A search in `history`, whose last commit is the new end; `old` is the old end, which it need not hold."""
    return Flaky(history, lineage(history), old, confidence, budget)


def _testable(history: History, observations: Iterable[Observation]) -> list[float]:
    """For each commit the chance that it can be tested. A commit that ran once can, whatever came later."""
    tried: dict[int, bool] = {}
    for seen in observations:
        place = history.place(seen.commit)
        if place is not None and seen.judgement is not Judgement.ERROR:
            tried[place] = tried.get(place, False) or seen.judgement is not Judgement.SKIP
    if all(tried.values()):
        return [1.0] * len(history)
    return chances(len(history), tried)


def _known(side: Side) -> float:
    """The bits of a run's outcome that would not be news if the culprit were known."""
    return (1 - CURIOSITY) * surprise(side.rate) + CURIOSITY * side.noise


def _end_gain(belief: Belief) -> float:
    """What a run of the old end tells."""
    fails = belief.nothing * belief.same.old.rate
    known = belief.nothing * _known(belief.same.old)
    for group in belief.groups:
        fails += group.probability * group.evidence.old.rate
        known += group.probability * _known(group.evidence.old)
    return surprise(fails) - known


def _gains(belief: Belief, contained: Lineage) -> list[float]:
    """What one run of each commit tells about which one it is, in bits.

    A run at a commit comes from the new side for those hypotheses that it contains, from the old side for the rest.
    """
    fails = belief.nothing * belief.same.old.rate
    known = belief.nothing * _known(belief.same.old)
    more_fails, more_known = [], []
    for group in belief.groups:
        old, new = group.evidence.old, group.evidence.new
        fails += group.probability * old.rate
        known += group.probability * _known(old)
        share = group.probability / group.size
        more_fails.append(share * (new.rate - old.rate))
        more_known.append(share * (_known(new) - _known(old)))
    fails_at = contained.totals([more_fails[number] for number in belief.group_of])
    known_at = contained.totals([more_known[number] for number in belief.group_of])
    return [surprise(fails + more) - known - less for more, less in zip(fails_at, known_at, strict=True)]


def _batch_gain(history: History, belief: Belief, place: int, runs: int) -> float:
    """What so many runs of one commit tell together."""
    inside = [0] * len(belief.groups)
    if place != OLD_END:
        for other, reached in enumerate(history.reach([place])):
            if reached:
                inside[belief.group_of[other]] += 1
    sides = [(belief.nothing, belief.same.old)]
    for group, count in zip(belief.groups, inside, strict=True):
        if group.probability > NEGLIGIBLE:
            share = count / group.size
            sides.append((group.probability * share, group.evidence.new))
            sides.append((group.probability * (1 - share), group.evidence.old))
    return _told(sides, runs)


def _told(sides: Sequence[tuple[float, Side]], runs: int) -> float:
    """The bits that the number of failures tells about which of the weighted sides it came from."""
    weighted = [(weight, failures(side, runs)) for weight, side in sides if weight > 0]
    mixed = [sum(weight * chance[failed] for weight, chance in weighted) for failed in range(runs + 1)]
    return _bits(mixed) - sum(weight * _bits(chance) for weight, chance in weighted)


def _bits(chances_of: Sequence[float]) -> float:
    return -sum(chance * math.log2(chance) for chance in chances_of if chance > 0)
