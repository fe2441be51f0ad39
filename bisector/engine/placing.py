"""Where the tested commits stand among those in question: the places of the chart of the search.

A history with side branches has many orders. Of those it allows this is the one in which every verdict took its
commits from one end: what was left after it is one piece, whatever was skipped or judged anew in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from bisector.history import History
from bisector.model import ALTERED, JudgedTrial, Judgement


def placed(
    told: Iterable[JudgedTrial], history: History | None, culprit: str | None
) -> tuple[JudgedTrial, ...]:
    """The trials with their commits' places, counted from 1 at the old end; None where a commit is not listed."""
    trials = tuple(told)
    if history is None:
        return trials
    said = (
        (judged.trial.commit, judged.verdict.judgement)
        for judged in trials
        if judged.trial.purpose not in ALTERED
    )
    places = {sha: place for place, sha in enumerate(_in_order(history, said, culprit), start=1)}
    return tuple(replace(judged, place=places.get(judged.trial.commit)) for judged in trials)


def _in_order(history: History, said: Iterable[tuple[str, Judgement]], culprit: str | None) -> Iterator[str]:
    """Before: ruled out from the old side. After: from the new side, the last to go first. The rest lies between.

    A verdict that would rule out the culprit, or everything, was not believed and moves nothing.
    """
    rest = history
    before: list[str] = []
    after: list[list[str]] = []
    for sha, judgement in said:
        if judgement not in (Judgement.OLD, Judgement.NEW) or sha not in rest:
            continue
        contained = rest.reach([rest.places[bytes.fromhex(sha)]])
        stays = int(judgement is Judgement.NEW)
        kept = rest.only([place for place, inside in enumerate(contained) if inside == stays])
        if not kept or (culprit is not None and culprit in rest and culprit not in kept):
            continue
        gone = [one for one in rest if one not in kept]
        if judgement is Judgement.OLD:
            before += gone
        else:
            after.append(gone)
        rest = kept
    yield from before
    yield from rest
    for gone in reversed(after):
        yield from gone
