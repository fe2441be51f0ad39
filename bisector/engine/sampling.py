"""How often a trial runs its repro and what it keeps of it: the recipe's policy laid on a request. Pure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bisector.model import Ran, Run, Trial, Trouble
from bisector.plan import TrialRequest
from bisector.recipe.schema import Policy, Times, Until


def sampled(asked: TrialRequest, policy: Policy, at_least: int) -> TrialRequest:
    """With the recipe's number of runs, or more where more are needed to prove something."""
    keep = policy.compare.file if policy.compare is not None else None
    match policy.runs:
        case Times(count):
            return replace(asked, runs=max(count, at_least), keep=keep)
        case Until(most, bad_after):
            enough = max(bad_after, at_least)
            return replace(asked, runs=max(most, at_least), stop_after=enough, keep=keep)
        case _:
            return replace(asked, runs=at_least, keep=keep)


def answers(trial: Trial, asked: TrialRequest) -> bool:
    """Whether what this trial observed is all that is asked for."""
    outcome = trial.outcome
    if isinstance(outcome, Trouble):
        return False
    if not isinstance(outcome, Ran):
        return True
    if not all(_is_kept(run) for run in outcome.runs):
        return False
    return len(outcome.runs) >= asked.runs or stopped_early(outcome, asked)


def stopped_early(ran: Ran, asked: TrialRequest) -> bool:
    """Enough runs did not exit 0, so the others were not made."""
    if asked.stop_after is None or len(ran.runs) >= asked.runs:
        return False
    return sum(run.exit_status != 0 for run in ran.runs) >= asked.stop_after


def _is_kept(run: Run) -> bool:
    """Its file, where it had one, has not been cleaned away since."""
    return run.saved is None or Path(run.saved).exists()
