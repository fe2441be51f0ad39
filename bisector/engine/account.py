"""What a hunt amounts to: its records, git's facts on the culprit and the forge's word, in one Account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bisector import __version__
from bisector.engine.altered import altered
from bisector.engine.hunter import Hunter
from bisector.engine.inquiry import Dossier, Inquiry
from bisector.engine.locking import locks
from bisector.engine.placing import placed
from bisector.engine.reproduction import command_line
from bisector.forges.repository import recognise
from bisector.git import commits
from bisector.history import expected_trials
from bisector.model import (
    Account,
    Confirmation,
    DependencyChange,
    End,
    Ending,
    EnvironmentFacts,
    Purpose,
)
from bisector.recipe.load import effective_text

ENDS_AND_PROOF = 4
"""Trials besides the search: two ends, the culprit again and a parent of it."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a hunt ended and what was shown; what does not apply is empty."""

    ending: Ending
    message: str
    culprit: str | None = None
    suspects: tuple[str, ...] = ()
    confirmation: Confirmation | None = None
    log: str = ""
    dependency: DependencyChange | None = None


def account(
    hunter: Hunter,
    conclusion: Conclusion,
    seconds: float,
    machine: Mapping[str, str],
    inquiry: Inquiry[Dossier],
) -> Account:
    row, recipe = hunter.row, hunter.recipe
    repository = recognise(hunter.mirror.source.shown, machine)
    culprit, notices = None, [*hunter.notices, *altered(hunter)]
    if conclusion.culprit is not None:
        told = inquiry.answer(conclusion.culprit)
        culprit, repository = told.culprit, told.repository
        notices += told.notices
    old, new = row.old_commit or "", row.new_commit or ""
    count = len(hunter.history) if hunter.history is not None else 0
    shown = conclusion.culprit or new
    return Account(
        version=__version__,
        hunt=row.id,
        name=recipe.name,
        description=recipe.description,
        recipe=effective_text(row.recipe, row.recipe_name, row.overrides),
        locks=locks(hunter),
        repo=hunter.mirror.source.shown,
        terms=recipe.terms,
        find=recipe.find,
        good=End(row.old_ref or recipe.old, old),
        bad=End(row.new_ref or recipe.new, new),
        ending=conclusion.ending,
        message=conclusion.message,
        culprit=culprit,
        suspects=tuple(commits.read(hunter.mirror.git, conclusion.suspects)),
        confirmation=conclusion.confirmation,
        commits=count,
        expected=expected_trials(count) + ENDS_AND_PROOF,
        trials=placed(hunter.told, hunter.history, conclusion.culprit),
        total_seconds=seconds,
        bisect_log=conclusion.log,
        compare_url=repository.compare_url(old, new) if old and new else None,
        reproduce=command_line(recipe, shown, _environment(hunter, shown)) if shown else "",
        notices=tuple(notices),
        dependency=conclusion.dependency,
    )


def _environment(hunter: Hunter, sha: str) -> EnvironmentFacts | None:
    trials = [judged.trial for judged in hunter.told if judged.trial.commit == sha]
    made = [trial.environment for trial in trials if trial.purpose is not Purpose.CROSS]
    return next((one for one in reversed(made) if one is not None), None)
