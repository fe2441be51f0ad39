"""What a hunt that goes on does not believe of its own records: the trials that no hunt can get past.

Whoever gives the same command again has mended something, or hopes that it has mended itself.
"""

from __future__ import annotations

from bisector.engine.hunter import Hunter
from bisector.model import Judgement, Purpose, Trial, Untestable
from bisector.verdict import judge


def stops_hunts(hunter: Hunter) -> frozenset[Trial]:
    """The trials on record that would end this hunt again at once: they are made once more."""
    return frozenset(trial for trial in hunter.store.trials(hunter.id) if _stops(hunter, trial))


def _stops(hunter: Hunter, trial: Trial) -> bool:
    """An end that could not be tested; anywhere what the recipe wants to be stopped by."""
    if trial.purpose not in (Purpose.END, Purpose.SEARCH):
        return False
    ends = (hunter.row.old_commit, hunter.row.new_commit)
    if isinstance(trial.outcome, Untestable) and trial.commit in ends:
        return True
    return judge(trial, hunter.standard, hunter.look).judgement is Judgement.ERROR
