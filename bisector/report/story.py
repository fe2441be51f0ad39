"""Account -> Story: what a person wants to know, in reading order, harmless to show but not yet escaped.

Text, Markdown, HTML and JUnit tell the same story, each in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass

from bisector.harmless import block, line, web_link
from bisector.model import (
    Account,
    Confirmation,
    DependencyChange,
    End,
    Find,
    Judgement,
)
from bisector.report.build import build
from bisector.report.cards import CommitCard, CulpritCard, commit_card, culprit_card, short
from bisector.report.clean import washed
from bisector.report.evidence import exhibits
from bisector.report.figures import duration
from bisector.report.funnel import Funnel, funnel
from bisector.report.rows import Row, Shown, State, row, shown, state_of
from bisector.report.shape import Report, ReportedEnvironment
from bisector.report.wording import WORDING, Tone


@dataclass(frozen=True, slots=True)
class Range:
    """One end as the recipe names it."""

    term: str
    ref: str
    short: str


@dataclass(frozen=True, slots=True)
class Proof:
    """One part of the confirmation: what was tested and what came out."""

    what: str
    commit: str | None
    state: State
    expected: bool | None
    """None: it speaks neither for nor against the culprit."""

    @property
    def word(self) -> str:
        return {True: "as expected", False: "not as expected", None: "tells nothing"}[self.expected]


@dataclass(frozen=True, slots=True)
class Story:
    name: str
    label: str
    tone: Tone
    sentence: str
    advice: str | None
    description: str
    notices: tuple[str, ...]
    repo: str
    repo_url: str | None
    old: Range
    new: Range
    compare_url: str | None
    states: tuple[State, ...]
    """Those that came up, for a legend."""
    fix: bool
    """Whether the new state is the one that works."""
    culprit_heading: str
    culprit: CulpritCard | None
    suspects: tuple[CommitCard, ...]
    dependency: DependencyChange | None
    proofs: tuple[Proof, ...]
    confidence: str | None
    figures: tuple[tuple[str, str], ...]
    funnel: Funnel
    shown: tuple[Shown, ...]
    environment: ReportedEnvironment | None
    environment_note: str
    """What may be said of the difference between the two sides."""
    rows: tuple[Row, ...]
    reproduce: str
    recipe: str
    bisect_log: str
    version: str
    hunt: str


def tell(account: Account) -> Story:
    account = washed(account)
    report = build(account)
    wording = WORDING[account.ending]
    return Story(
        name=line(account.name),
        label=wording.label,
        tone=wording.tone,
        sentence=line(account.message, 1000),
        advice=wording.advice,
        description=block(account.description or "").strip(),
        notices=tuple(line(notice, 1000) for notice in account.notices),
        repo=line(account.repo),
        repo_url=web_link(account.repo),
        old=_range(account.terms.old, account.good),
        new=_range(account.terms.new, account.bad),
        compare_url=web_link(account.compare_url),
        states=_states(account),
        fix=account.find is Find.FIX,
        culprit_heading=f"The first {line(account.terms.new, 60)} commit",
        culprit=culprit_card(account.culprit) if account.culprit else None,
        suspects=tuple(commit_card(commit) for commit in account.suspects),
        dependency=_dependency(account.dependency) if account.dependency else None,
        proofs=_proofs(account, account.confirmation) if account.confirmation else (),
        confidence=_confidence(account.confirmation),
        figures=_figures(report),
        funnel=funnel(account),
        shown=tuple(shown(account, exhibit) for exhibit in exhibits(account)),
        environment=_environment(report.environment) if report.environment else None,
        environment_note=_environment_note(report),
        rows=tuple(row(account, number, judged) for number, judged in enumerate(account.trials, start=1)),
        reproduce=block(account.reproduce).strip(),
        recipe=block(account.recipe).strip("\n"),
        bisect_log=block(account.bisect_log).strip("\n"),
        version=line(account.version),
        hunt=line(account.hunt),
    )


def _states(account: Account) -> tuple[State, ...]:
    came_up = {judged.verdict.judgement for judged in account.trials}
    return tuple(state_of(account, judgement) for judgement in Judgement if judgement in came_up)


def _range(term: str, end: End) -> Range:
    return Range(line(term, 60), line(end.ref, 120), short(end.commit))


def _dependency(change: DependencyChange) -> DependencyChange:
    return DependencyChange(line(change.name), line(change.good), line(change.bad))


def _proofs(account: Account, confirmation: Confirmation) -> tuple[Proof, ...]:
    """What was expected: the culprit new, every parent old, the new end without the culprit old again."""
    culprit = short(account.culprit.commit.sha) if account.culprit else None
    tested = [("the commit itself", culprit, confirmation.culprit, Judgement.NEW)]
    tested += [
        ("its parent", short(sha), judgement, Judgement.OLD) for sha, judgement in confirmation.parents
    ]
    if confirmation.reverted is not None:
        where = f"reverted at the {line(account.terms.new, 60)} end"
        tested.append((where, None, confirmation.reverted, Judgement.OLD))
    return tuple(
        Proof(what, commit, state_of(account, judgement), _as_expected(commit, judgement, expected))
        for what, commit, judgement, expected in tested
    )


def _as_expected(commit: str | None, judgement: Judgement, expected: Judgement) -> bool | None:
    """A revert that conflicts, or leaves what cannot be tested, tells nothing."""
    return None if commit is None and judgement is Judgement.SKIP else judgement is expected


def _confidence(confirmation: Confirmation | None) -> str | None:
    if confirmation is None or confirmation.confidence is None:
        return None
    return f"{confirmation.confidence * 100:.4g} %"


def _figures(report: Report) -> tuple[tuple[str, str], ...]:
    counts, seconds = report.counts, report.seconds
    return (
        ("commits in question", f"{counts.commits:,}"),
        ("trials", f"{counts.trials:,}"),
        ("trials expected", f"{counts.expected:,}"),
        ("reused", f"{counts.reused:,}"),
        ("skipped", f"{counts.skipped:,}"),
        ("time in all", duration(seconds.total)),
        ("preparing", duration(seconds.prepare)),
        ("installing", duration(seconds.install)),
        ("running the repro", duration(seconds.repro)),
    )


def _environment(environment: ReportedEnvironment) -> ReportedEnvironment:
    return ReportedEnvironment(
        python=line(environment.python) if environment.python else None,
        good=tuple(line(package) for package in environment.good),
        bad=tuple(line(package) for package in environment.bad),
        changed=tuple(line(change) for change in environment.changed),
        good_build=tuple(map(line, environment.good_build)),
        bad_build=tuple(map(line, environment.bad_build)),
    )


def _environment_note(report: Report) -> str:
    environment = report.environment
    if environment is None or bool(environment.good) != bool(environment.bad):
        return "There are not two sides to compare."
    if not environment.changed:
        return "Nothing else changed between the two sides."
    return f"What changed from {line(report.terms.old, 60)} to {line(report.terms.new, 60)}:"
