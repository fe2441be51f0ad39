"""The doubt after the search: the culprit again and each of its parents, in fresh environments."""

from __future__ import annotations

from dataclasses import dataclass

from bisector.engine.hunter import Hunter
from bisector.model import Confirmation, JudgedTrial, Judgement, Purpose
from bisector.recipe.schema import History as Way


@dataclass(frozen=True, slots=True)
class Proof:
    confirmation: Confirmation
    doubt: str | None
    """Why the culprit is not confirmed; None: it is."""


def confirm(hunter: Hunter, culprit: str) -> Proof:
    parents = hunter.commit(culprit).parents
    if hunter.recipe.history is Way.FIRST_PARENT:
        parents = parents[:1]
    asked = [(culprit, "culprit again"), *((parent, "parent") for parent in parents)]
    again, *above = hunter.trials(asked, Purpose.CONFIRM)
    shown = Confirmation(
        again.verdict.judgement,
        tuple((judged.trial.commit, judged.verdict.judgement) for judged in above),
    )
    return Proof(shown, _doubt(hunter, again, above))


def _doubt(hunter: Hunter, again: JudgedTrial, above: list[JudgedTrial]) -> str | None:
    terms = hunter.recipe.terms
    if again.verdict.judgement is not Judgement.NEW:
        return (
            f"{again.trial.commit[:12]} was {terms.new} in the search and on a second look is "
            f"{terms.name(again.verdict.judgement)} ({again.verdict.reason}): the repro is not stable"
        )
    for judged in above:
        if judged.verdict.judgement is not Judgement.OLD:
            return (
                f"the parent {judged.trial.commit[:12]} of {again.trial.commit[:12]} is not {terms.old} "
                f"but {terms.name(judged.verdict.judgement)} ({judged.verdict.reason})"
            )
    return None
