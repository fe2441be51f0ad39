"""The doubt after a search by probabilities: does the named commit do it, or what it ran in, or neither?"""

from __future__ import annotations

from bisector.engine.crossing import Alike, Crossed, Doubtful, Untried, cross, exact_environment
from bisector.engine.exact import differences, in_words
from bisector.engine.hunter import Hunter
from bisector.engine.unseen import nothing_seen
from bisector.engine.wavering import failures_at, runs_to_show
from bisector.model import JudgedTrial, Judgement, Purpose
from bisector.recipe.schema import History as Way


def crossed(hunter: Hunter, culprit: str, new: str) -> Crossed:
    """As in a hunt without chance, each trial run as often as the rates seen demand, where anything differs."""
    repro = hunter.recipe.repro.action.text
    unseen = nothing_seen(hunter.mirror.git, hunter.commit(culprit), repro)
    if unseen is not None and not unseen.may_be_read:
        return Doubtful(
            f"{culprit[:12]} changes nothing that the repro can see ({unseen.only}); "
            "doubt the environment or flakiness"
        )
    parents = hunter.commit(culprit).parents
    parents = parents if hunter.recipe.history is Way.FULL else parents[:1]
    changed = next(filter(None, (_changed(hunter, parent, culprit) for parent in parents)), None)
    if changed is None:
        return Alike()
    quiet = (culprit,) if hunter.recipe.working is Judgement.NEW else parents
    if any(failures_at(hunter, sha) for sha in quiet):
        return Untried(
            f"whether its code decides or its environment ({changed}) was not tested: "
            "on both sides it fails at times"
        )
    asked = [(culprit, "culprit again"), *((parent, "parent") for parent in parents)]
    again, *above = hunter.trials(asked, Purpose.CONFIRM, runs_to_show(hunter, culprit, new))
    tested = [judged for judged in above if judged.verdict.judgement is Judgement.OLD]
    if again.verdict.judgement is not Judgement.NEW or len(tested) < len(above):
        return Doubtful(
            f"{culprit[:12]} and its parents run in different environments ({changed}), and on another look they "
            "did not differ as before"
        )
    return cross(hunter, again, tested)


def _changed(hunter: Hunter, parent: str, culprit: str) -> str | None:
    here, there = _last(hunter, parent), _last(hunter, culprit)
    environments = [exact_environment(hunter, one) for one in (here, there) if one is not None]
    if len(environments) < 2 or environments[0] is None or environments[1] is None:
        return None
    found = differences(environments[0], environments[1])
    return in_words(found) if found else None


def _last(hunter: Hunter, sha: str) -> JudgedTrial | None:
    """The newest trial of that commit as it is that had an environment."""
    own = (
        one
        for one in reversed(hunter.told)
        if one.trial.commit == sha and one.trial.purpose is not Purpose.CROSS and one.trial.environment
    )
    return next(own, None)
