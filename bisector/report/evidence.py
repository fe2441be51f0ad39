"""Which trials a report shows: the failing one and the passing one, their output, their environments.

Chooses among the trials of an account; judges nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bisector.model import (
    ALTERED,
    Account,
    Ending,
    EnvironmentFacts,
    Find,
    JudgedTrial,
    Judgement,
    Purpose,
    Ran,
    Run,
    Trial,
)
from bisector.report.shape import ReportedEnvironment

_PACKAGE = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:===?|@)\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A trial worth showing and what it stands for."""

    heading: str
    judged: JudgedTrial


def failing_state(account: Account) -> Judgement:
    return Judgement.OLD if account.find is Find.FIX else Judgement.NEW


def exhibits(account: Account) -> tuple[Exhibit, ...]:
    """What to look at first, the failing side before the passing one.

    | ending     | shown                                                |
    |------------|------------------------------------------------------|
    | endpoints  | the last trial of each end                           |
    | failed     | the last trial that met trouble or was not testable  |
    | suspects   | the pair, and the last trial that was not testable   |
    | any other  | the pair: the last failing and the last passing one  |
    """
    if account.ending is Ending.ENDPOINTS:
        return _ends(account)
    if account.ending is Ending.FAILED:
        return _untested(account, "What went wrong")
    pair = _pair(account)
    if account.ending is Ending.SUSPECTS:
        return pair + _untested(account, "Could not be tested")
    return pair


def environment(account: Account) -> ReportedEnvironment | None:
    """The environments of both states, preferably those of the culprit and its parent."""
    old, new = (_facts(account, state) for state in (Judgement.OLD, Judgement.NEW))
    known = new or old
    if known is None:
        return None
    return ReportedEnvironment(
        python=known.python,
        good=old.packages if old else (),
        bad=new.packages if new else (),
        changed=_changes(old, new) if old and new else (),
        good_build=old.building if old else (),
        bad_build=new.building if new else (),
    )


def words(trial: Trial) -> str:
    """What the trial wrote; where its repro never ran, why not."""
    run = telling_run(trial)
    if run is not None:
        return run.output
    return "" if isinstance(trial.outcome, Ran) else trial.outcome.reason


def telling_run(trial: Trial) -> Run | None:
    """Of several runs the last that failed; when none did, the last."""
    runs = trial.outcome.runs if isinstance(trial.outcome, Ran) else ()
    failed = (run for run in reversed(runs) if run.exit_status != 0)
    return next(failed, runs[-1] if runs else None)


def _pair(account: Account) -> tuple[Exhibit, ...]:
    failing = failing_state(account)
    passing = Judgement.OLD if failing is Judgement.NEW else Judgement.NEW
    chosen = ((state, _representative(account, state)) for state in (failing, passing))
    return tuple(Exhibit(_state_heading(account, state), judged) for state, judged in chosen if judged)


def _state_heading(account: Account, state: Judgement) -> str:
    return f"The {account.terms.name(state)} side"


def _ends(account: Account) -> tuple[Exhibit, ...]:
    ends = ((account.terms.new, account.bad), (account.terms.old, account.good))
    found = ((f"The {term} end, {end.ref}", _last(account, _is_end_at(end.commit))) for term, end in ends)
    return tuple(Exhibit(heading, judged) for heading, judged in found if judged)


def _is_end_at(commit: str) -> Callable[[JudgedTrial], bool]:
    return lambda judged: judged.trial.purpose is Purpose.END and judged.trial.commit == commit


def _untested(account: Account, heading: str) -> tuple[Exhibit, ...]:
    judged = _last(account, lambda each: each.verdict.judgement in (Judgement.SKIP, Judgement.ERROR))
    return (Exhibit(heading, judged),) if judged else ()


def _last(account: Account, wanted: Callable[[JudgedTrial], bool]) -> JudgedTrial | None:
    return next((judged for judged in reversed(account.trials) if wanted(judged)), None)


def _representative(account: Account, state: Judgement) -> JudgedTrial | None:
    """The culprit or its parent when tested, in the confirmation rather than before; else the last trial.

    Where a dependency did it, the trials that tell its releases apart go before all.
    """
    best = _beside_culprit(account, state)
    proof = Purpose.CROSS if account.ending is Ending.DEPENDENCY else Purpose.CONFIRM
    foreign = ALTERED - {proof}
    candidates = [
        judged
        for judged in account.trials
        if judged.verdict.judgement is state and judged.trial.purpose not in foreign
    ]
    return max(
        enumerate(candidates),
        key=lambda row: (row[1].trial.commit in best, row[1].trial.purpose is proof, row[0]),
        default=(0, None),
    )[1]


def _beside_culprit(account: Account, state: Judgement) -> tuple[str, ...]:
    if account.culprit is None:
        return ()
    commit = account.culprit.commit
    return (commit.sha,) if state is Judgement.NEW else commit.parents


def _facts(account: Account, state: Judgement) -> EnvironmentFacts | None:
    judged = _representative(account, state)
    return judged.trial.environment if judged else None


def _changes(old: EnvironmentFacts, new: EnvironmentFacts) -> tuple[str, ...]:
    packages = _moved(old.packages, new.packages)
    python = _change("python", old.python, new.python)
    building = (f"{change} (its build)" for change in _moved(old.building, new.building))
    return (*((python,) if python else ()), *packages, *building)


def _moved(old: Iterable[str], new: Iterable[str]) -> Iterator[str]:
    before, after = _versions(old), _versions(new)
    names = sorted(before.keys() | after.keys())
    changes = (_change(name, before.get(name), after.get(name)) for name in names)
    yield from (change for change in changes if change)


def _change(name: str, old: str | None, new: str | None) -> str | None:
    return None if old == new else f"{name} {old or 'absent'} -> {new or 'absent'}"


def _versions(packages: Iterable[str]) -> dict[str, str]:
    return dict(map(_name_and_version, packages))


def _name_and_version(package: str) -> tuple[str, str]:
    """The name is normalised (PEP 503), so that a change of spelling is no change."""
    match = _PACKAGE.fullmatch(package)
    if match is None:
        return package.strip(), "present"
    return re.sub(r"[-_.]+", "-", match[1]).lower(), match[2]
