"""A search for failures that come and go: keeps a probability over the commits and runs where it learns most.

A pure function of all that was observed, so a hunt that began deterministic goes on from what it has seen. As long as
no run is at odds with another it is the plain search itself: nothing is faster where nothing is left to chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bisector.history import History
from bisector.model import Judgement
from bisector.search import enough, stretches
from bisector.search.answers import Try
from bisector.search.belief import OLD_END, Belief, Observation, tallies, weigh
from bisector.search.gains import batch_gain, end_gain, gains
from bisector.search.lineage import Lineage, lineage
from bisector.search.rates import Changed, Tally
from bisector.search.testability import chances

UNLIKELY = 0.05
"""A commit whose chance of being testable is smaller is not worth a run."""

GIVEN_UP = 10
"""A commit that ran and then cannot be tested so many times in a row is not asked for again."""

BATCHES = (1, 2, 3, 5, 8, 13)
"""How many runs in a row are thought of where a change of commit costs time."""


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
        spent = len(observations) >= self.budget
        plain = None if spent else self._plain(counts, observations)
        if plain is not None:
            return plain
        belief = weigh(self.history, counts)
        testable = _testable(self.history, observations)
        if belief.nothing >= self.confidence:
            more = None if spent else self._unseen(counts)
            return more or NothingChanged(belief.nothing)
        best = belief.likeliest()
        sure = belief.probability(best)
        if sure >= enough.required(self.confidence, belief.evidence(best), len(self.history)):
            more = None if spent else self._unproven(belief.evidence(best), best, testable, counts)
            return more or Named(self.history.sha(best), sure)
        narrowed = self._narrowed(belief, testable, counts, spent)
        if narrowed is not None:
            return narrowed
        if spent:
            return self._cannot_tell(belief)
        last = self.history.place(observations[-1].commit) if observations else None
        return self._ask(belief, testable, OLD_END if last is None else last, costs or Costs())

    def _plain(self, counts: Mapping[int, Tally], observations: Iterable[Observation]) -> Ask | None:
        """The plain search's next commit, as long as no commit both failed and passed and either end is itself."""
        new_end = len(self.history) - 1
        at_odds = any(tally.failed and tally.passed for tally in counts.values())
        if at_odds or counts.get(OLD_END, Tally()).failed or counts.get(new_end, Tally()).passed:
            return None
        verdicts = {
            seen.commit: seen.judgement for seen in observations if seen.judgement is Judgement.SKIP
        } | {
            self.history.sha(place): Judgement.NEW if tally.failed else Judgement.OLD
            for place, tally in counts.items()
            if place != OLD_END
        }
        answer = stretches.search(self.history, verdicts)
        return Ask(answer.commits[0], 1) if isinstance(answer, Try) else None

    def _unseen(self, counts: Mapping[int, Tally]) -> Ask | None:
        return self._asked(enough.for_nothing(counts, len(self.history) - 1))

    def _unproven(
        self, evidence: Changed, best: int, testable: Sequence[float], counts: Mapping[int, Tally]
    ) -> Ask | None:
        """What to run before a commit is named that few runs stand behind."""
        parents = [parent for parent in self.history.parents[best] if testable[parent] >= UNLIKELY]
        beside = enough.Beside(best, tuple(parents or [OLD_END]), len(self.history))
        place = enough.for_a_name(evidence, beside, counts)
        return None if place == best and testable[best] < UNLIKELY else self._asked(place)

    def _asked(self, place: int | None) -> Ask | None:
        return None if place is None else Ask(self._sha(place), 1)

    def _narrowed(
        self, belief: Belief, testable: Sequence[float], counts: Mapping[int, Tally], spent: bool
    ) -> Narrowed | Ask | None:
        """Where the answer is, when no commit is left that would split it and enough stands behind it."""
        if min(testable) >= UNLIKELY:
            return None
        chosen, sure = belief.within(self.confidence)
        members = [place for place, number in enumerate(belief.group_of) if number in chosen]
        inside = self.lineage.totals([float(number in chosen) for number in belief.group_of])
        splitting = any(
            0 < share < len(members) and chance >= UNLIKELY
            for share, chance in zip(inside, testable, strict=True)
        )
        if sure < self.confidence or len(members) == 1 or splitting:
            return None
        ran = [place for place in members if place in counts]
        evidence = belief.groups[chosen[0]].evidence
        more = self._unproven(evidence, ran[-1], testable, counts) if ran and not spent else None
        if more is not None:
            return more
        untried = [place for place in members if place not in counts and testable[place] > 0]
        return Narrowed(self._shas(members), sure, self._shas(untried))

    def _cannot_tell(self, belief: Belief) -> CannotTell:
        ranked = sorted(range(len(self.history)), key=belief.probability, reverse=True)
        likeliest = tuple(
            Suspicion(self.history.sha(place), belief.probability(place)) for place in ranked[:10]
        )
        return CannotTell(likeliest, belief.nothing)

    def _ask(self, belief: Belief, testable: Sequence[float], last: int, costs: Costs) -> Ask:
        """The commit and the number of runs that tell most per second."""
        worth = [gain * chance for gain, chance in zip(gains(belief, self.lineage), testable, strict=True)]
        best = max(range(len(worth)), key=worth.__getitem__)
        if end_gain(belief) > worth[best]:
            best = OLD_END
        if not costs.switch:
            return Ask(self._sha(best), 1)
        plans = [
            (batch_gain(self.history, belief, place, runs) * chance / seconds, place, runs)
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
    """For each commit the chance that it can be tested. A commit that ran once can, until it is given up."""
    tried: dict[int, bool] = {}
    in_vain: dict[int, int] = {}
    for seen in observations:
        place = history.place(seen.commit)
        if place is not None and seen.judgement is not Judgement.ERROR:
            skipped = seen.judgement is Judgement.SKIP
            tried[place] = tried.get(place, False) or not skipped
            in_vain[place] = in_vain.get(place, 0) + 1 if skipped else 0
    found = [1.0] * len(history) if all(tried.values()) else chances(len(history), tried)
    for place, times in in_vain.items():
        if times >= GIVEN_UP:
            found[place] = 0.0
    return found
