"""How often a trial runs its repro and what it keeps of it: the recipe's policy laid on a request. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from bisector.model import Ran, Run, Trial, Trouble
from bisector.oracles.exit_status import SKIPS
from bisector.oracles.finding import Limit
from bisector.oracles.paired import Gauge, Side, pairs_of
from bisector.oracles.patterns import Search
from bisector.plan import TrialRequest, Turns
from bisector.recipe.schema import Metric, Policy, Times, Until

MOST_PAIRS = 24
"""Pairs that may be measured of one commit, where the recipe does not say how many runs."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What the ends' numbers showed."""

    limit: Limit
    exact: bool
    """The numbers repeat to the last digit: one run tells, and nothing needs to run beside it."""


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


def goes_in_turns(metric: Metric | None, yardstick: Yardstick | None) -> bool:
    """Does a trial run beside the working end's code?"""
    if metric is None or not metric.goes_in_turns:
        return False
    return yardstick is None or not yardstick.exact


def in_turns(
    asked: TrialRequest, beside: TrialRequest, policy: Policy, yardstick: Yardstick | None
) -> TrialRequest:
    assert policy.metric is not None
    side = Side.WORKING_END if asked.commit == beside.commit else Side.COMMIT
    gauge = Gauge(policy.metric, yardstick.limit if yardstick is not None else None, side)
    match policy.runs:
        case Times(most) | Until(most):
            return replace(asked, stop_after=None, turns=Turns(beside, gauge, most))
        case _:
            return replace(asked, turns=Turns(beside, gauge, MOST_PAIRS))


def answers(trial: Trial, asked: TrialRequest, look: Search) -> bool:
    """Whether what this trial observed is all that is asked for."""
    outcome = trial.outcome
    if isinstance(outcome, Trouble):
        return False
    if not isinstance(outcome, Ran):
        return True
    if asked.turns is not None:
        return _pairs_suffice(outcome, asked.turns, look)
    if not all(map(_is_kept, outcome.runs)):
        return False
    return len(outcome.runs) >= asked.runs or _stopped_early(outcome, asked)


def may_tell_more(trial: Trial, asked: TrialRequest) -> bool:
    """Runs were left out because enough had failed; where all of those said 125, there is nothing to wait for."""
    outcome = trial.outcome
    if not isinstance(outcome, Ran) or not _stopped_early(outcome, asked):
        return False
    return any(run.exit_status not in (0, SKIPS) for run in outcome.runs)


def _stopped_early(ran: Ran, asked: TrialRequest) -> bool:
    if asked.stop_after is None or len(ran.runs) >= asked.runs:
        return False
    return sum(run.exit_status != 0 for run in ran.runs) >= asked.stop_after


def _pairs_suffice(ran: Ran, turns: Turns, look: Search) -> bool:
    pairs = pairs_of(ran, turns.gauge.metric, look)
    is_measured = len(pairs) == len(ran.beside)
    return not is_measured or len(pairs) >= turns.most or turns.gauge.has_enough(pairs)


def _is_kept(run: Run) -> bool:
    """Its file, where it had one, has not been cleaned away since."""
    return run.saved is None or Path(run.saved).exists()
