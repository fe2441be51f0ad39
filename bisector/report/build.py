"""Account -> Report: every figure and name of report.json, derived from the trials. Pure."""

from __future__ import annotations

from bisector.model import (
    Account,
    Confirmation,
    Culprit,
    JudgedTrial,
    Judgement,
    PullRequest,
    Ran,
    Terms,
    Trial,
)
from bisector.report.clean import washed
from bisector.report.evidence import environment, telling_run
from bisector.report.shape import (
    FORMAT,
    Counts,
    Report,
    ReportedConfirmation,
    ReportedCulprit,
    ReportedPullRequest,
    ReportedTrial,
    Seconds,
)


def build(account: Account) -> Report:
    account = washed(account)
    return Report(
        bisector=FORMAT,
        version=account.version,
        hunt=account.hunt,
        name=account.name,
        outcome=account.ending.value,
        message=account.message,
        repo=account.repo,
        terms=account.terms,
        good=account.good,
        bad=account.bad,
        culprit=_culprit(account.culprit) if account.culprit else None,
        suspects=tuple(commit.sha for commit in account.suspects),
        dependency=account.dependency,
        confirmation=_confirmation(account.confirmation, account.terms) if account.confirmation else None,
        counts=_counts(account),
        seconds=_seconds(account),
        trials=tuple(_trial(judged, account.terms) for judged in account.trials),
        environment=environment(account),
        compare_url=account.compare_url,
        notices=account.notices,
        bisect_log=account.bisect_log,
        recipe=account.recipe,
        reproduce=account.reproduce,
    )


def peak_memory(trial: Trial) -> int | None:
    """The most that any of its runs used, where that was measured."""
    runs = trial.outcome.runs if isinstance(trial.outcome, Ran) else ()
    return max((run.peak_memory for run in runs if run.peak_memory is not None), default=None)


def _culprit(culprit: Culprit) -> ReportedCulprit:
    commit = culprit.commit
    return ReportedCulprit(
        commit=commit.sha,
        parents=commit.parents,
        subject=commit.subject,
        author=f"{commit.author_name} <{commit.author_email}>",
        date=commit.author_date.isoformat(),
        url=culprit.url,
        files=culprit.change.files,
        insertions=culprit.change.insertions,
        deletions=culprit.change.deletions,
        pull_request=_pull_request(culprit.pull_request) if culprit.pull_request else None,
    )


def _pull_request(request: PullRequest) -> ReportedPullRequest:
    return ReportedPullRequest(request.number, request.url, request.title, request.found_by.value)


def _confirmation(confirmation: Confirmation, terms: Terms) -> ReportedConfirmation:
    return ReportedConfirmation(
        culprit=terms.name(confirmation.culprit),
        parents={sha: terms.name(judgement) for sha, judgement in confirmation.parents},
        reverted=terms.name(confirmation.reverted) if confirmation.reverted else None,
        confidence=confirmation.confidence,
    )


def _counts(account: Account) -> Counts:
    reused = sum(judged.reused for judged in account.trials)
    skipped = sum(judged.verdict.judgement is Judgement.SKIP for judged in account.trials)
    return Counts(account.commits, len(account.trials) - reused, reused, skipped, account.expected)


def _seconds(account: Account) -> Seconds:
    """Trials that were reused cost nothing this time."""
    trials = [judged.trial for judged in account.trials if not judged.reused]
    install = sum(trial.install_seconds for trial in trials)
    repro = sum(trial.repro_seconds for trial in trials)
    # The clock of a trial may run a hair behind the sum of its parts.
    prepare = max(0.0, sum(trial.seconds for trial in trials) - install - repro)
    return Seconds(account.total_seconds, round(prepare, 6), round(install, 6), round(repro, 6))


def _trial(judged: JudgedTrial, terms: Terms) -> ReportedTrial:
    trial = judged.trial
    run = telling_run(trial)
    return ReportedTrial(
        commit=trial.commit,
        verdict=terms.name(judged.verdict.judgement),
        reason=judged.verdict.reason,
        seconds=trial.seconds,
        install_seconds=trial.install_seconds,
        peak_memory=peak_memory(trial),
        cached=judged.reused,
        log=trial.log or None,
        stack=run.stack if run else None,
    )
