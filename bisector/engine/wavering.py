"""The hunt for a failure that comes and goes: a probability over the commits, fed with every run there was.

It goes on from all that the hunt has seen: what is on record decides what is run next, also after an interruption.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log
from statistics import median

from bisector.engine.confirm import reverted, reverting
from bisector.engine.hunter import Hunter
from bisector.engine.narrow import candidates, known_skips
from bisector.errors import EndpointFault, Interrupted
from bisector.git.ledger import open_ledger
from bisector.history import History, build
from bisector.model import Confirmation, Judgement, Purpose, Ran, Trial, Untestable
from bisector.recipe.schema import Confidence
from bisector.recipe.schema import History as Way
from bisector.report.figures import counted
from bisector.search.belief import Observation
from bisector.search.flaky import Ask, CannotTell, Costs, Named, Narrowed, NothingChanged, prepare

USUAL = 0.95
"""How sure is sure enough, where the recipe does not say."""
MOST_AGAIN = 20
"""Runs of the named commit and of each parent, at the most, before it is announced."""
BUDGET = 1000
"""Runs after which the hunt says that it cannot tell."""
_SEEN = (Purpose.END, Purpose.SEARCH, Purpose.CONFIRM, Purpose.SAMPLE)


@dataclass(frozen=True, slots=True)
class Wavered:
    """Where a search with probabilities ended, and a log that git replays to the same end."""

    commits: tuple[str, ...]
    """One: it is named. Several, the newest first: it is one of these. None: it has stopped before one was named."""
    confidence: float
    log: str
    is_sure: bool
    has_stopped: bool = False
    """It failed in the beginning and never since: something else than a commit changed."""


def waver(hunter: Hunter, old: str, new: str, bases: tuple[str, ...]) -> Wavered:
    """The commit that changed how often it fails."""
    way = hunter.recipe.history
    history = build(
        candidates(
            hunter.mirror.git,
            new,
            [old, *bases],
            first_parent=way is not Way.FULL,
            paths=hunter.recipe.paths,
        )
    )
    hunter.history = history
    search = prepare(history, old, confidence(hunter), BUDGET)
    skips = known_skips(hunter.mirror, hunter.recipe.skip, history)
    hunter.recall(Purpose.SAMPLE)
    while True:
        if hunter.stop.is_set():
            raise Interrupted("interrupted")
        seen = [*(Observation(sha, Judgement.SKIP) for sha in skips), *_observations(hunter)]
        match search.search(seen, _costs(hunter)):
            case Ask(commit, runs):
                hunter.sample(commit, runs, f"{counted(len(seen), 'run')} so far")
            case Named(commit, probability):
                if not _looked_again(hunter, commit, new):
                    log = _log(hunter, history, old, bases, commit)
                    return Wavered((commit,), probability, log, True, _has_stopped(hunter, commit, new))
            case Narrowed(commits, probability):
                return Wavered(tuple(reversed(commits)), probability, "", True)
            case NothingChanged(probability):
                if _stopped_at_the_end(hunter):
                    return Wavered((), probability, "", True, has_stopped=True)
                raise _unchanged(hunter, old, new, probability)
            case CannotTell(likeliest):
                return Wavered(tuple(one.commit for one in likeliest), likeliest[0].probability, "", False)


def _has_stopped(hunter: Hunter, culprit: str, new: str) -> bool:
    """Not one failure on the new side since one run was no longer enough."""
    hunter.sample(new, runs_to_show(hunter, culprit, new), "does it still fail?")
    since = [one.trial for one in hunter.told if one.trial.purpose is Purpose.SAMPLE]
    ran = [one.outcome for one in since if one.commit in (culprit, new) and isinstance(one.outcome, Ran)]
    return not any(hunter.tally(outcome).failing for outcome in ran)


def _stopped_at_the_end(hunter: Hunter) -> bool:
    """The failing end failed in the beginning, and never since one run was no longer enough."""
    own = [one.trial for one in hunter.told if one.trial.commit == hunter.end(hunter.recipe.failing)]
    before, since = (
        [
            hunter.tally(trial.outcome).failing
            for trial in own
            if trial.purpose is purpose and isinstance(trial.outcome, Ran)
        ]
        for purpose in (Purpose.END, Purpose.SAMPLE)
    )
    return any(before) and bool(since) and not any(since)


def _looked_again(hunter: Hunter, culprit: str, new: str) -> bool:
    """Whether the named commit or a parent still had fewer runs than the failure's own rate demands."""
    wanted = runs_to_show(hunter, culprit, new)
    parents = hunter.commit(culprit).parents
    for sha in (culprit, *(parents if hunter.recipe.history is Way.FULL else parents[:1])):
        trials = [one.trial for one in hunter.told if one.trial.commit == sha and one.trial.purpose in _SEEN]
        made = sum(len(trial.outcome.runs) for trial in trials if isinstance(trial.outcome, Ran))
        untestable = any(isinstance(trial.outcome, Untestable) for trial in trials)
        if made < wanted and not untestable:
            hunter.sample(sha, wanted - made, "the named commit" if sha == culprit else "its parent")
            return True
    return False


def runs_to_show(hunter: Hunter, culprit: str, new: str) -> int:
    """So many runs without a failure are worth a word: at the rate seen, one in twenty would have none."""
    counts = [_count(hunter, sha) for sha in {culprit, new}]
    failing, working = sum(one[0] for one in counts), sum(one[1] for one in counts)
    rate = (failing + 0.5) / (failing + working + 1)
    return max(2, min(MOST_AGAIN, ceil(log(0.05) / log(1 - rate))))


def confidence(hunter: Hunter) -> float:
    runs = hunter.recipe.verdict.runs
    return runs.level if isinstance(runs, Confidence) else USUAL


def _observations(hunter: Hunter) -> Iterator[Observation]:
    """Every run at a commit as it is, in the order in which they were made."""
    for judged in hunter.told:
        if judged.trial.purpose in _SEEN:
            yield from _runs(hunter, judged.trial)


def _runs(hunter: Hunter, trial: Trial) -> Iterator[Observation]:
    if isinstance(trial.outcome, Untestable):
        yield Observation(trial.commit, Judgement.SKIP)
    if isinstance(trial.outcome, Ran):
        count = hunter.tally(trial.outcome)
        recipe = hunter.recipe
        for judgement, number in (
            (recipe.failing, count.failing),
            (recipe.working, count.working),
            (Judgement.SKIP, count.unclear),
        ):
            yield from [Observation(trial.commit, judgement)] * number


def _costs(hunter: Hunter) -> Costs:
    """What a run and what another commit cost here, by the middle of the trials so far."""
    ran = [judged.trial for judged in hunter.told if isinstance(judged.trial.outcome, Ran)]
    if not ran:
        return Costs()
    runs = [trial.repro_seconds / len(trial.outcome.runs) for trial in ran if isinstance(trial.outcome, Ran)]
    return Costs(median(runs), median(trial.seconds - trial.repro_seconds for trial in ran))


def _log(hunter: Hunter, history: History, old: str, bases: tuple[str, ...], culprit: str) -> str:
    """Told to git as verdicts: the named commit is new, its parents are old."""
    recipe = hunter.recipe
    new = history.sha(len(history) - 1)
    ledger = open_ledger(
        hunter.mirror,
        hunter.id,
        hunter.folder,
        recipe.terms,
        first_parent=recipe.history is not Way.FULL,
        paths=recipe.paths,
    )
    ledger.start(new, [old, *bases], [])
    if culprit != new:
        ledger.record(Judgement.NEW, culprit)
    for parent in history.parents_of(culprit):
        ledger.record(Judgement.OLD, parent)
    return ledger.log()


def _unchanged(hunter: Hunter, old: str, new: str, probability: float) -> EndpointFault:
    """The hypothesis that nothing changed has won."""
    terms = hunter.recipe.terms
    return EndpointFault(
        f"the ends do not differ: it fails {share(hunter, new)} at {terms.new} and {share(hunter, old)} at "
        f"{terms.old}; {probability:.0%} sure that it fails as often on both sides",
        "take ends that lie further apart, or a repro that fails more surely",
    )


def share(hunter: Hunter, sha: str) -> str:
    """`3 of 10`: failing runs of all that could be told."""
    failing, working = _count(hunter, sha)
    return f"{failing} of {failing + working}"


def failures_at(hunter: Hunter, sha: str) -> int:
    """In so many runs the failure was seen there."""
    return _count(hunter, sha)[0]


def _count(hunter: Hunter, sha: str) -> tuple[int, int]:
    trials = [one.trial for one in hunter.told if one.trial.commit == sha and one.trial.purpose in _SEEN]
    counts = [hunter.tally(trial.outcome) for trial in trials if isinstance(trial.outcome, Ran)]
    return sum(one.failing for one in counts), sum(one.working for one in counts)


@dataclass(frozen=True, slots=True)
class Weighed:
    confirmation: Confirmation
    sentence: str


def weighed(hunter: Hunter, culprit: str, new: str, probability: float) -> Weighed:
    """What speaks for the named commit, in shares of runs."""
    parents = hunter.commit(culprit).parents
    parents = parents if hunter.recipe.history is Way.FULL else parents[:1]
    without = reverted(hunter, culprit, new, runs_to_show(hunter, culprit, new))
    words = [f"fails {share(hunter, culprit)} at {culprit[:12]}"]
    for parent in parents:
        name = "its parent" if len(parents) == 1 else f"its parent {parent[:12]}"
        words.append(f"{share(hunter, parent)} at {name}")
    if without is not None:
        words.append(reverting(hunter, without))
    confirmation = Confirmation(
        Judgement.NEW,
        tuple((parent, Judgement.OLD) for parent in parents),
        without.verdict.judgement if without is not None else None,
        probability,
    )
    return Weighed(confirmation, f"{', '.join(words)}; {min(probability, 0.999):.1%} sure")
