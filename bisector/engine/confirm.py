"""The doubt after the search: the culprit again, each of its parents, the new end without the culprit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bisector.engine import unseen
from bisector.engine.ahead import Wish
from bisector.engine.crossing import (
    Alike,
    CodeDecides,
    Crossed,
    Doubtful,
    EnvironmentDecides,
    cross,
    states_in_words,
)
from bisector.engine.hunter import Hunter
from bisector.engine.inquiry import Inquiry
from bisector.engine.looks import Looks
from bisector.engine.measuring import figure_of
from bisector.git.commits import is_ancestor
from bisector.model import ALTERED, Confirmation, JudgedTrial, Judgement, Purpose, Ran, Stage, Untestable
from bisector.plan import Revert, TrialRequest
from bisector.recipe.schema import History as Way


@dataclass(frozen=True, slots=True)
class Proof:
    confirmation: Confirmation
    doubt: str | None
    """Why the culprit is not confirmed; None: it is."""
    wavers: bool
    """The doubt is that a commit was not the same twice, or that a parent fails as well."""
    sentence: str
    """What was shown, so that a maintainer can check it."""
    crossed: Crossed
    """Whether the code or the environment makes the difference."""


def confirm(hunter: Hunter, culprit: str, new: str, looks: Inquiry[Looks]) -> Proof:
    parents = hunter.commit(culprit).parents
    if hunter.recipe.history is not Way.FULL:
        # A merge was found on the main line; its sides were not searched, or do not have the change alone.
        parents = parents[:1]
    # Either way the search ended, the commit that it tried last is one of them: it may lie ready.
    last = hunter.told[-1].trial.commit
    asked = [(culprit, "culprit again"), *((parent, "parent") for parent in parents)]
    asked.sort(key=lambda one: one[0] != last)
    proving = Purpose.CONFIRM
    wishes = [Wish(hunter.request(sha, purpose=proving), proving) for sha, _ in asked]
    if culprit != new:
        wishes.append(Wish(_without(hunter, culprit, new), Purpose.REVERT))
    hunter.expect(wishes)
    made = {judged.trial.commit: judged for judged in hunter.trials(asked, proving)}
    again, above = made[culprit], [made[parent] for parent in parents]
    doubt = _doubt(hunter, again, above)
    tested = [judged for judged in above if judged.verdict.judgement is Judgement.OLD]
    crossed = Alike() if doubt else cross(hunter, again, tested)
    if isinstance(crossed, Doubtful):
        doubt = crossed.reason
    if doubt is None and not isinstance(crossed, EnvironmentDecides) and len(tested) == 1:
        seen = looks.answer(culprit).unseen
        doubt = unseen.doubt(hunter, again, seen) if seen is not None else None
    proven = doubt is None and not isinstance(crossed, EnvironmentDecides)
    without = reverted(hunter, culprit, new) if proven else None
    shown = Confirmation(
        again.verdict.judgement,
        tuple((judged.trial.commit, judged.verdict.judgement) for judged in above),
        without.verdict.judgement if without is not None else None,
    )
    words = [_sentence(hunter, again, above, without)]
    if len(tested) > 1:
        words.insert(0, f"neither side {states_in_words(hunter)[Judgement.NEW]} alone")
    words += [crossed.sentence] if isinstance(crossed, CodeDecides) else []
    return Proof(shown, doubt, _wavers(hunter, again, above), ", ".join(words), crossed)


def _wavers(hunter: Hunter, again: JudgedTrial, above: list[JudgedTrial]) -> bool:
    policy = hunter.recipe.verdict
    if policy.runs or policy.metric or policy.compare or hunter.recipe.paths:
        return False
    contradicted = again.verdict.judgement is Judgement.OLD
    return contradicted or any(judged.verdict.judgement is Judgement.NEW for judged in above)


def _doubt(hunter: Hunter, again: JudgedTrial, above: list[JudgedTrial]) -> str | None:
    terms = hunter.recipe.terms
    if again.verdict.judgement is not Judgement.NEW:
        return (
            f"{again.trial.commit[:12]} was {terms.new} in the search and on a second look is "
            f"{terms.name(again.verdict.judgement)} ({again.verdict.reason}): the repro is not stable"
        )
    for judged in above:
        if judged.verdict.judgement is not Judgement.OLD and _vouching(hunter, judged) is None:
            return (
                f"the parent {judged.trial.commit[:12]} of {again.trial.commit[:12]} is not {terms.old} "
                f"but {terms.name(judged.verdict.judgement)} ({judged.verdict.reason})"
            )
    return None


def _vouching(hunter: Hunter, parent: JudgedTrial) -> str | None:
    """For a parent that cannot be tested: an old commit that contains it, so that it did not bring the change.

    A merge's parent may lie far back, where nothing can be installed any more.
    """
    if parent.verdict.judgement is not Judgement.SKIP:
        return None
    as_they_are = [one for one in hunter.told if one.trial.purpose not in ALTERED]
    olds = dict.fromkeys(one.trial.commit for one in as_they_are if one.verdict.judgement is Judgement.OLD)
    git, sha = hunter.mirror.git, parent.trial.commit
    return next((old for old in olds if is_ancestor(git, sha, old)), None)


def reverted(hunter: Hunter, culprit: str, new: str, runs: int = 1) -> JudgedTrial | None:
    """The new end with the culprit taken back; None where that is only its parent."""
    if culprit == new:
        return None
    changed = _without(hunter, culprit, new, runs)
    return hunter.make(changed, Purpose.REVERT, f"culprit reverted at the {hunter.recipe.terms.new} end")


def _without(hunter: Hunter, culprit: str, new: str, runs: int = 1) -> TrialRequest:
    asked = hunter.request(new, runs)
    return replace(asked, fixups=(*asked.fixups, Revert(culprit)))


def _sentence(
    hunter: Hunter, again: JudgedTrial, above: list[JudgedTrial], without: JudgedTrial | None
) -> str:
    """`0.3 beside 0.1 at its parent, fails 5 of 5 at X, works 5 of 5 at its parent, reverting it repairs it`."""
    culprit = again.trial.commit
    said = states_in_words(hunter)
    words = [*_figures(hunter, again, above), f"{_counted(hunter, again, said)} at {culprit[:12]}"]
    for judged in above:
        name = _name(judged, above)
        vouching = _vouching(hunter, judged)
        if vouching is None:
            words.append(f"{_counted(hunter, judged, said)} at {name}")
        else:
            words.append(
                f"{name} cannot be tested but {vouching[:12]}, which contains it, {said[Judgement.OLD]}"
            )
    if without is not None:
        words.append(reverting(hunter, without))
    return ", ".join(words)


def _figures(hunter: Hunter, again: JudgedTrial, above: list[JudgedTrial]) -> Iterator[str]:
    """Where a number decides: `0.3 beside 0.1 at its parent`."""
    own = figure_of(hunter, again)
    beside = [(figure_of(hunter, judged), _name(judged, above)) for judged in above]
    told = [f"{figure} at {name}" for figure, name in beside if figure is not None]
    if own is not None and told:
        yield f"{own} beside {' and '.join(told)}"


def _name(parent: JudgedTrial, above: list[JudgedTrial]) -> str:
    return "its parent" if len(above) == 1 else f"its parent {parent.trial.commit[:12]}"


def reverting(hunter: Hunter, without: JudgedTrial) -> str:
    """What became of the new end without the culprit."""
    end, said = hunter.row.new_ref, states_in_words(hunter)
    outcome = without.trial.outcome
    if isinstance(outcome, Untestable) and outcome.stage is Stage.FIXUP:
        return f"reverting it at {end} conflicts"
    judgement = without.verdict.judgement
    if judgement not in said:
        return f"reverting it at {end} leaves what cannot be tested"
    if hunter.recipe.working is Judgement.NEW:
        change = "breaks it again" if judgement is Judgement.OLD else "does not break it again"
    else:
        change = "repairs it" if judgement is Judgement.OLD else "does not repair it"
    return f"reverting it at {end} {change}"


def _counted(hunter: Hunter, judged: JudgedTrial, said: dict[Judgement, str]) -> str:
    """In how many of all the runs at this commit it was so."""
    judgement, sha = judged.verdict.judgement, judged.trial.commit
    if judgement not in said:
        return "cannot be told"
    same = [one.trial for one in hunter.told if one.trial.commit == sha]
    trials = {id(trial): trial.outcome for trial in same if trial.purpose not in ALTERED}
    ran = [outcome for outcome in trials.values() if isinstance(outcome, Ran)]
    counts = [hunter.tally(one) for one in ran]
    fails = said[judgement] == "fails"
    shown = sum(count.failing if fails else count.working for count in counts)
    return f"{said[judgement]} {shown} of {sum(len(one.runs) for one in ran)}"
