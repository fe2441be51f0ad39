"""What the verdicts leave in question. Knows git's rule for it; which commit to try next it does not know."""

from __future__ import annotations

from collections.abc import Mapping

from bisector.history import History
from bisector.model import Judgement
from bisector.search.answers import Contradiction

Verdicts = Mapping[str, Judgement]


def said(history: History, verdicts: Verdicts, judgement: Judgement) -> list[str]:
    """The commits of this history of which that was said. Errors say nothing, nor does what lies outside."""
    return [sha for sha, spoken in verdicts.items() if spoken is judgement and sha in history]


def in_question(history: History, verdicts: Verdicts) -> History | Contradiction:
    """The commits that may have brought the change; the last of them is known to be new.

    The last commit of `history` counts as new from the start. Of several new ones that counts which leaves
    the fewest: git too knows only one at a time. Skipped commits stay in question.
    """
    olds = said(history, verdicts, Judgement.OLD)
    news = [*said(history, verdicts, Judgement.NEW), history.sha(len(history) - 1)]
    excluded = history.reach(place for place in map(history.place, olds) if place is not None)
    for new in news:
        place = history.place(new)
        if place is not None and excluded[place]:
            return Contradiction(next(old for old in olds if history.is_ancestor(new, old)), new)
    return min((history.between(olds, new) for new in news), key=len)
