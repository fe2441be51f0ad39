"""Both ends are proven before anything is searched; the failure seen there is what the hunt is for.

git tests neither: a repro that always fails would blame the commit after the good end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bisector.engine.ahead import Wish
from bisector.engine.hunter import Hunter
from bisector.engine.measuring import measure_ends
from bisector.engine.mending import mending
from bisector.engine.reference import take_reference
from bisector.errors import EndpointFault, MachineFault
from bisector.git import commits
from bisector.git.mirror import Mirror
from bisector.git.refs import SHALLOW
from bisector.model import AsOf, Find, JudgedTrial, Judgement, Purpose, Ran, Stopped, Untestable
from bisector.oracles.departed import departed
from bisector.oracles.signatures import OutOfMemory, Raised, TimedOut
from bisector.recipe.schema import Confidence, Reaction, Recipe
from bisector.search import plain
from bisector.search.answers import Try
from bisector.verdict import failure_at_end

_NOT_STARTED = (126, 127)
"""A shell's word for: cannot be executed, not found."""
FRESH = (
    "the repro runs in a fresh directory: give its files by `repro.files`, or say `cwd: tree`; "
    "`bisector try` shows it live"
)
_ALIKE = {
    "work": f"it fails at both ends: is it the repro that is broken? {FRESH}",
    "fail": "it works at both ends: does the repro show the failure at all? `bisector try` shows it live; "
    "a failure that comes and goes wants `verdict: {runs: {confidence: 0.95}}`",
}
"""What to say of both ends, by what was asked of the one that is wrong."""
_DRIFTED = (
    "it fails at both ends while the project is imported: a release newer than these commits may be why; "
    "`dependencies: {as_of: commit}` takes those of each commit's own date, a pin names one"
)
_SWAP = {
    Find.REGRESSION: "swap them, or say `find: fix` if the older commit is the broken one",
    Find.FIX: "swap them, or leave `find: fix` out if it is the older commit that works",
}
INSIST = 50
"""Runs of the failing end before it counts as one that does not fail, where the failure may be rare."""
PATIENCE = 1
"""Runs of it at a time."""
PROOF_RUNS = 2
"""The failing end is run this often: what it does only once is no base to search from."""


def relate(mirror: Mirror, recipe: Recipe, old: str, new: str) -> tuple[str, ...]:
    """What must hold before a trial is worth its time; the merge bases, where `old` is on a side branch."""
    git, terms = mirror.git, recipe.terms
    if old == new:
        raise EndpointFault(
            f"{terms.old} and {terms.new} are the same commit, {old[:12]}",
            "give two commits between which it changed",
        )
    if commits.is_ancestor(git, old, new):
        return ()
    if commits.is_ancestor(git, new, old):
        raise EndpointFault(
            f"the ends are reversed: {terms.old} ({old[:12]}) contains {terms.new} ({new[:12]})",
            _SWAP[recipe.find],
        )
    bases = commits.merge_bases(git, old, new)
    if bases:
        return tuple(bases)
    if mirror.is_shallow():
        raise MachineFault(
            "the history of the repository ends before the two ends meet",
            f"{SHALLOW}; the same command goes on from here",
        )
    raise EndpointFault(f"{terms.old} ({old[:12]}) and {terms.new} ({new[:12]}) have no common history")


@dataclass(frozen=True, slots=True)
class Wavers:
    """The failing end does not fail every time: one run at a commit says little."""

    reason: str


def prove(hunter: Hunter, old: str, new: str, bases: tuple[str, ...]) -> Wavers | None:
    """The failing end fails, twice alike; the working end works; so do the merge bases like the old end."""
    failing, working = (new, old) if hunter.recipe.find is Find.REGRESSION else (old, new)
    take_reference(hunter, working, _label(hunter, hunter.recipe.working))
    measure_ends(hunter, failing, working)
    if hunter.workers.count > 1:
        hunter.speculate([working], _label(hunter, hunter.recipe.working))
    _expect(hunter, [failing, working, *bases])
    bad = hunter.trial(failing, Purpose.END, _label(hunter, hunter.recipe.failing), PROOF_RUNS)
    learn(hunter, bad)
    bad = _judged_again(hunter, bad)
    if isinstance(hunter.recipe.verdict.runs, Confidence):
        return _comes_and_goes(hunter, failing, working)
    _expect(hunter, [working, *bases])
    good = hunter.trial(working, Purpose.END, _label(hunter, hunter.recipe.working))
    _must_be_testable(hunter, bad, hunter.recipe.failing)
    _must_be_testable(hunter, good, hunter.recipe.working)
    _must_differ(hunter, bad, good)
    for judged in hunter.trials([(base, "merge base") for base in bases], Purpose.END):
        _must_be_old(hunter, judged, old)
    return _wavers(hunter, bad)


def _expect(hunter: Hunter, ends: Sequence[str]) -> None:
    """These, and what the search will begin with."""
    answer = plain.search(hunter.history, {}) if hunter.history is not None else None
    first = answer.commits if isinstance(answer, Try) else ()
    hunter.expect(Wish(hunter.request(sha), Purpose.END) for sha in (*ends, *first))


def _wavers(hunter: Hunter, bad: JudgedTrial) -> Wavers | None:
    """Where the recipe says how many runs decide, or a number or an array does, nothing wavers."""
    policy, outcome = hunter.recipe.verdict, bad.trial.outcome
    if policy.runs or policy.metric or policy.compare or not isinstance(outcome, Ran):
        return None
    count = hunter.tally(outcome)
    if not (count.failing and count.working):
        return None
    _insist(hunter, bad.trial.commit)
    return Wavers(f"the failing end fails {count.failing} of {count.failing + count.working} times")


def _comes_and_goes(hunter: Hunter, failing: str, working: str) -> Wavers:
    """The recipe says so: one failure at the failing end is enough, and the other end need not always work."""
    hunter.trial(failing, Purpose.END, _label(hunter, hunter.recipe.failing), PROOF_RUNS)
    _insist(hunter, failing)
    good = hunter.trial(working, Purpose.END, _label(hunter, hunter.recipe.working))
    _must_be_testable(hunter, good, hunter.recipe.working)
    return Wavers("the recipe asks for a confidence")


def _insist(hunter: Hunter, failing: str) -> None:
    """Run the failing end until it has failed twice: one failure cannot tell what varies in its words."""
    hunter.recall(Purpose.SAMPLE)
    hunter.signature, label = None, _label(hunter, hunter.recipe.failing)
    while sum(hunter.tally(ran).failing for ran in _ran_at(hunter, failing)) < PROOF_RUNS:
        made = sum(len(ran.runs) for ran in _ran_at(hunter, failing))
        if made >= INSIST:
            break
        seen = hunter.sample(failing, PATIENCE, f"{label}, until it fails again")
        _must_be_testable(hunter, seen, hunter.recipe.failing)
    outcomes = _ran_at(hunter, failing)
    if not any(hunter.tally(ran).failing for ran in outcomes):
        raise EndpointFault(
            f"the {label} ({failing[:12]}) does not fail as said: it works {INSIST} of {INSIST} times",
            "`bisector try` shows it live; does it need a load, a seed or a longer repro to fail?",
        )
    _take_signature(hunter, outcomes)


def _ran_at(hunter: Hunter, sha: str) -> list[Ran]:
    outcomes = [one.trial.outcome for one in hunter.told if one.trial.commit == sha]
    return [outcome for outcome in outcomes if isinstance(outcome, Ran)]


def learn(hunter: Hunter, bad: JudgedTrial) -> None:
    """The failure at the failing end: what every other failure is compared with."""
    outcome = bad.trial.outcome
    if hunter.signature is not None or not isinstance(outcome, Ran):
        return
    _take_signature(hunter, [outcome])


def _take_signature(hunter: Hunter, outcomes: list[Ran]) -> None:
    compared = [hunter.comparer.comparisons(outcome) for outcome in outcomes]
    failing = sum(hunter.tally(outcome).failing for outcome in outcomes)
    hunter.signature = failure_at_end(outcomes, hunter.standard, hunter.look, compared)
    if isinstance(hunter.signature, TimedOut) and hunter.recipe.verdict.on_timeout is Reaction.SKIP:
        hunter.notice("the failing end runs into its time limit: this is a hunt for a hang")
    elif isinstance(hunter.signature, OutOfMemory) and hunter.recipe.verdict.on_memory is Reaction.SKIP:
        hunter.notice("the failing end runs into its memory cap: this is a hunt for what takes the memory")
    elif hunter.signature is None and failing > 1:
        hunter.notice(
            "the failing end fails in a different way each time: any failure counts as the one hunted"
        )


def _judged_again(hunter: Hunter, judged: JudgedTrial) -> JudgedTrial:
    verdict = hunter.verdict(judged.trial)
    return JudgedTrial(judged.trial, verdict, judged.reused, judged.left)


def _label(hunter: Hunter, state: Judgement) -> str:
    return f"{hunter.recipe.terms.name(state)} end"


def _must_be_testable(hunter: Hunter, judged: JudgedTrial, state: Judgement) -> None:
    name, trial = hunter.recipe.terms.name(state), judged.trial
    if judged.verdict.judgement is Judgement.ERROR or isinstance(trial.outcome, Untestable):
        raise MachineFault(
            f"the {name} end ({trial.commit[:12]}) cannot be tested: {judged.verdict.reason}",
            f"{mending(hunter.recipe, trial.outcome)}; "
            f"`bisector try RECIPE {trial.commit[:12]}` shows it live; its log is {trial.log}",
        )


def _must_differ(hunter: Hunter, bad: JudgedTrial, good: JudgedTrial) -> None:
    """The failing end must be in the failing state, the working end in the working one."""
    recipe = hunter.recipe
    failing, working = recipe.failing, recipe.working
    fails, works = recipe.terms.name(failing), recipe.terms.name(working)
    bad_says, good_says = bad.verdict.judgement, good.verdict.judgement
    if bad_says is failing and good_says is working:
        return
    if bad_says is working and good_says is failing:
        other = (Find.FIX if recipe.find is Find.REGRESSION else Find.REGRESSION).value
        raise EndpointFault(
            f"the ends look swapped: it fails at {works} ({_short(good)}), works at {fails} ({_short(bad)})",
            f"to find what {'broke' if recipe.find is Find.FIX else 'repaired'} it, say `find: {other}`",
        )
    wrong, name, state = (bad, fails, "fail") if bad_says is not failing else (good, works, "work")
    alike = _alike(hunter, wrong, state) if bad_says is good_says is not Judgement.SKIP else ""
    raise EndpointFault(
        f"the {name} end ({_short(wrong)}) does not {state} as said: {wrong.verdict.reason}",
        _advice(wrong, recipe.terms.name(wrong.verdict.judgement), alike),
    )


def _alike(hunter: Hunter, wrong: JudgedTrial, state: str) -> str:
    needs = wrong.trial.environment.needs if wrong.trial.environment else ""
    if needs and state == "work":
        return f"it fails at both ends while the project is imported: {needs}"
    signature, newest = hunter.signature, hunter.recipe.dependencies.as_of is AsOf.LATEST
    drifted = state == "work" and newest and isinstance(signature, Raised) and signature.importing
    return _DRIFTED if drifted else _ALIKE[state]


def _advice(wrong: JudgedTrial, state: str, alike: str) -> str:
    """`alike`: what to say where both ends did the same."""
    outcome = wrong.trial.outcome
    last = outcome.runs[-1] if isinstance(outcome, Ran) else None
    if last is not None and last.stopped is Stopped.TIMEOUT:
        return "to hunt a hang say `verdict: {on_timeout: bad}`; else raise `limits.timeout`"
    if last is not None and last.exit_status in _NOT_STARTED:
        return f"is the command right? {FRESH}"
    if (gone := departed(wrong.verdict.reason)) is not None:
        return gone.hint
    if alike:
        return alike
    if wrong.verdict.judgement is Judgement.SKIP:
        return "its output does not tell the two states apart; `bisector try` shows it live"
    return f"choose another commit for this end: this one is {state}; `bisector try` shows it live"


def _must_be_old(hunter: Hunter, judged: JudgedTrial, old: str) -> None:
    """An old end on a side branch: what it shares with the new end must be old as well."""
    if judged.verdict.judgement is not Judgement.NEW:
        return
    terms, base = hunter.recipe.terms, judged.trial.commit
    change = "fixed" if hunter.recipe.find is Find.REGRESSION else "broken"
    raise EndpointFault(
        f"the merge base {base[:12]} of the two ends is {terms.new} already: it was {change} in between, "
        f"on the way from {base[:12]} to {terms.old} ({old[:12]})",
        f"take an older commit for {terms.old}, or hunt that change: {base[:12]} to {old[:12]}",
    )


def _short(judged: JudgedTrial) -> str:
    return judged.trial.commit[:12]
