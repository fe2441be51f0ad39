"""A trial as a reader meets it: its verdict's term and look, what it wrote, where it stood when it was stopped."""

from __future__ import annotations

from dataclasses import dataclass

from bisector.harmless import head, line, tail
from bisector.model import ALTERED, Account, JudgedTrial, Judgement, Purpose
from bisector.report.build import peak_memory
from bisector.report.cards import short
from bisector.report.evidence import Exhibit, failing_state, telling_run, words
from bisector.report.figures import duration, size

_EVIDENCE_LINES, _EVIDENCE_CHARACTERS = 200, 20_000
_LOG_LINES, _LOG_CHARACTERS = 60, 6_000


@dataclass(frozen=True, slots=True)
class State:
    """A verdict's term, and how it looks: `pass`, `fail`, `skip` or `error`."""

    term: str
    look: str


@dataclass(frozen=True, slots=True)
class Row:
    """One trial as a line of a table, with what it wrote."""

    number: int
    commit: str
    state: State
    purpose: str
    reason: str
    reused: bool
    seconds: str
    install: str
    memory: str
    python: str
    output: str
    stack: str
    log: str


@dataclass(frozen=True, slots=True)
class Shown:
    """The output beside the other output."""

    heading: str
    commit: str
    state: State
    reason: str
    output: str
    stack: str
    """Where it stood when it was stopped, the innermost call first; empty: it was not, or nobody saw."""


_PURPOSES = {
    Purpose.END: "an end",
    Purpose.SEARCH: "search",
    Purpose.CONFIRM: "confirmation",
    Purpose.REVERT: "the culprit reverted",
    Purpose.SAMPLE: "another look",
    Purpose.CROSS: "another environment",
    Purpose.BEHIND: "without its other failure",
    Purpose.TRY: "a try",
}


def _reason(judged: JudgedTrial) -> str:
    """A commit that was not tested as it is says so."""
    reason, purpose = line(judged.verdict.reason), judged.trial.purpose
    return f"{_PURPOSES[purpose]}: {reason}" if purpose in ALTERED else reason


def state_of(account: Account, judgement: Judgement) -> State:
    """`fail` is the failing state, whichever end that is: with `find: fix` it is the old one."""
    if judgement in (Judgement.SKIP, Judgement.ERROR):
        return State(judgement.value, judgement.value)
    look = "fail" if judgement is failing_state(account) else "pass"
    return State(line(account.terms.name(judgement), 60), look)


def shown(account: Account, exhibit: Exhibit) -> Shown:
    judged = exhibit.judged
    return Shown(
        heading=line(exhibit.heading),
        commit=short(judged.trial.commit),
        state=state_of(account, judged.verdict.judgement),
        reason=_reason(judged),
        output=tail(words(judged.trial), _EVIDENCE_LINES, _EVIDENCE_CHARACTERS),
        stack=_stack(judged),
    )


def row(account: Account, number: int, judged: JudgedTrial) -> Row:
    trial = judged.trial
    memory = peak_memory(trial)
    return Row(
        number=number,
        commit=short(trial.commit),
        state=state_of(account, judged.verdict.judgement),
        purpose=_PURPOSES[trial.purpose],
        reason=_reason(judged),
        reused=judged.reused,
        seconds=duration(trial.seconds),
        install=duration(trial.install_seconds),
        memory=size(memory) if memory is not None else "",
        python=line(trial.environment.python) if trial.environment else "",
        output=tail(words(trial), _LOG_LINES, _LOG_CHARACTERS),
        stack=_stack(judged),
        log=line(trial.log, 1000),
    )


def _stack(judged: JudgedTrial) -> str:
    run = telling_run(judged.trial)
    return head(run.stack, _LOG_LINES, _LOG_CHARACTERS) if run and run.stack else ""
