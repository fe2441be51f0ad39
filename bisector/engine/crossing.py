"""The code or the environment? The culprit's code in its parent's environment, and the other way round.

Asked only where the two environments differ: pins, releases of the commits' dates, another python, another rung.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bisector.engine.exact import Difference, Exact, asking_for, differences, environment_of, in_words
from bisector.engine.hunter import Hunter
from bisector.model import JudgedTrial, Judgement, Purpose, Ran


@dataclass(frozen=True, slots=True)
class Alike:
    """Nothing to cross: the environments are the same, or not on record."""


@dataclass(frozen=True, slots=True)
class CodeDecides:
    sentence: str


@dataclass(frozen=True, slots=True)
class EnvironmentDecides:
    """The parent's own code turns new in the culprit's environment."""

    parent: JudgedTrial
    culprit: JudgedTrial
    here: Exact
    """The parent's environment, in which its code is old."""
    there: Exact
    """The culprit's, in which the parent's code is new."""


@dataclass(frozen=True, slots=True)
class Doubtful:
    """Neither by itself, or it cannot be told: no commit is proven."""

    reason: str


@dataclass(frozen=True, slots=True)
class Untried:
    """The cross could not be tested; the finding stands, but not against the environment."""

    notice: str


Crossed = Alike | CodeDecides | EnvironmentDecides | Doubtful | Untried


def cross(hunter: Hunter, culprit: JudgedTrial, parents: Sequence[JudgedTrial]) -> Crossed:
    """One answer for all parents.

    | the parents' answers                               | together           |
    |----------------------------------------------------|--------------------|
    | all alike                                          | alike              |
    | doubtful for one of them                           | doubtful           |
    | the environment, for every parent                  | the environment    |
    | the environment for some, the code for others      | doubtful           |
    | untried for one of them, the code for the others   | untried            |
    | the code, or alike                                 | the code           |
    """
    answers = [_cross_one(hunter, culprit, parent) for parent in parents]
    doubts = [one for one in answers if isinstance(one, Doubtful)]
    environments = [one for one in answers if isinstance(one, EnvironmentDecides)]
    if doubts:
        return doubts[0]
    if environments and len(environments) == len(answers):
        return environments[0]
    if environments:
        return _on_one_side(hunter, environments[0])
    told = [one for one in answers if isinstance(one, Untried)] + [
        one for one in answers if isinstance(one, CodeDecides)
    ]
    return told[0] if told else Alike()


def states_in_words(hunter: Hunter) -> dict[Judgement, str]:
    """What the repro does in the two states."""
    if hunter.recipe.working is Judgement.NEW:
        return {Judgement.OLD: "fails", Judgement.NEW: "works"}
    return {Judgement.OLD: "works", Judgement.NEW: "fails"}


def runs_of(judged: JudgedTrial) -> int:
    """As often as the confirmation ran it: what comes and goes must not decide here either."""
    outcome = judged.trial.outcome
    return len(outcome.runs) if isinstance(outcome, Ran) else 1


def _cross_one(hunter: Hunter, culprit: JudgedTrial, parent: JudgedTrial) -> Crossed:
    here, there = exact_environment(hunter, parent), exact_environment(hunter, culprit)
    if here is None or there is None or not (found := differences(here, there)):
        return Alike()
    moved = _in_environment(hunter, culprit, here, "its code, its parent's environment")
    moved_parent = _in_environment(hunter, parent, there, "the parent's code, its environment")
    return _answer(hunter, culprit, parent, (here, there), (moved, moved_parent), found)


def _answer(
    hunter: Hunter,
    culprit: JudgedTrial,
    parent: JudgedTrial,
    environments: tuple[Exact, Exact],
    crossed: tuple[JudgedTrial, JudgedTrial],
    found: Sequence[Difference],
) -> Crossed:
    """What the two crossed trials show; `?` cannot be tested.

    | culprit's code, parent's environment | parent's code, culprit's environment | decides             |
    |--------------------------------------|--------------------------------------|---------------------|
    | new                                  | old                                  | the code            |
    | new                                  | new                                  | either; so the code |
    | new                                  | ?                                    | the code            |
    | ?                                    | old                                  | the code            |
    | old or ?                             | new                                  | the environment     |
    | old                                  | old                                  | both together       |
    | old                                  | ?                                    | cannot be told      |
    | ?                                    | ?                                    | cannot be told      |
    """
    said, changed = states_in_words(hunter), in_words(found)
    name = culprit.trial.commit[:12]
    match [one.verdict.judgement for one in crossed]:
        case [Judgement.NEW, Judgement.OLD]:
            return CodeDecides(f"in the same environment just so: {changed} makes no difference")
        case [Judgement.NEW, other]:
            if other is Judgement.NEW:
                does = "breaks" if said[Judgement.NEW] == "fails" else "repairs"
                hunter.notice(f"{changed} {does} its parent as well, by itself: there are two causes")
            else:
                hunter.notice(_not_tested("the parent's code in the culprit's environment", crossed[1]))
            return CodeDecides(f"and it {said[Judgement.NEW]} in its parent's environment, too")
        case [_, Judgement.NEW]:
            return EnvironmentDecides(parent, culprit, *environments)
        case [Judgement.OLD, Judgement.OLD]:
            return Doubtful(
                f"neither the code of {name} nor its environment ({changed}) does it by itself: "
                f"it {said[Judgement.NEW]} only with both"
            )
        case [Judgement.OLD, _]:
            return Doubtful(
                f"{name} {said[Judgement.OLD]} in its parent's environment: {changed} has a part in it; "
                f"whether its code has one cannot be told, {_reason(crossed[1])}"
            )
        case [_, Judgement.OLD]:
            hunter.notice(_not_tested("the culprit's code in its parent's environment", crossed[0]))
            return CodeDecides(f"and its parent {said[Judgement.OLD]} in its environment, too")
        case _:
            return Untried(
                f"whether its code decides or its environment ({changed}) could not be tested: "
                f"{_reason(crossed[0])}"
            )


def exact_environment(hunter: Hunter, judged: JudgedTrial) -> Exact | None:
    facts = judged.trial.environment
    return None if facts is None else environment_of(hunter.request(judged.trial.commit), facts)


def _in_environment(hunter: Hunter, judged: JudgedTrial, exact: Exact, label: str) -> JudgedTrial:
    asked = hunter.request(judged.trial.commit, runs_of(judged), Purpose.CROSS)
    return hunter.make(asking_for(asked, exact), Purpose.CROSS, label)


def _on_one_side(hunter: Hunter, decided: EnvironmentDecides) -> Doubtful:
    """A merge: one side is new already as soon as it runs where the merge runs."""
    changed = in_words(differences(decided.here, decided.there))
    side, state = decided.parent.trial.commit[:12], hunter.recipe.terms.new
    return Doubtful(
        f"its parent {side} is {state} in its environment ({changed}), too: it began on that side, "
        f"before the merge; pin what changed and hunt again"
    )


def _not_tested(what: str, judged: JudgedTrial) -> str:
    return f"{what} could not be tested: {_reason(judged)}"


def _reason(judged: JudgedTrial) -> str:
    lines = [line.strip() for line in judged.verdict.reason.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason was given"
