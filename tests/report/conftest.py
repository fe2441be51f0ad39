"""Accounts of hunts that ended in every way there is, put together from a few plain parts."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from bisector.model import (
    Account,
    Change,
    Commit,
    Confirmation,
    Culprit,
    DependencyChange,
    End,
    Ending,
    EnvironmentFacts,
    Find,
    FoundBy,
    JudgedTrial,
    Judgement,
    Outcome,
    PullRequest,
    Purpose,
    Ran,
    Run,
    Stage,
    Stopped,
    Terms,
    Trial,
    Trouble,
    Untestable,
    Verdict,
)

_BEGAN = datetime(2024, 3, 1, 9, 0, tzinfo=timezone.utc)
_OLD, _NEW, _SKIP, _ERROR = Judgement.OLD, Judgement.NEW, Judgement.SKIP, Judgement.ERROR

_RECIPE = """\
name: to_numpy_array loses weights
repo: https://forge.example/graphs/graphs
good: graphs-2.8
bad: main
repro: python repro.py
"""

_FAILURE = """\
Traceback (most recent call last):
  File "repro.py", line 4, in <module>
    check(graph)
  File "repro.py", line 2, in check
    assert graph.total() == 6, graph.total()
AssertionError: 3
"""


def sha(number: int) -> str:
    return f"{number:04x}" * 10


def commit(number: int, subject: str | None = None) -> Commit:
    when = datetime(2023, 1, 1, 12, 0, tzinfo=timezone(timedelta(hours=1))) + timedelta(days=number)
    return Commit(
        sha=sha(number),
        parents=(sha(number - 1),),
        subject=subject or f"Change number {number}",
        body="",
        author_name="Ada Example",
        author_email="ada@mail.example",
        author_date=when,
        commit_date=when,
    )


def ran(output: str, exit_status: int = 0, stopped: Stopped | None = None) -> Ran:
    run = Run(
        exit_status=None if stopped else exit_status,
        signal=9 if stopped else None,
        stopped=stopped,
        seconds=0.5,
        cpu_seconds=0.4,
        peak_memory=48 * 1024 * 1024,
        output=output,
        output_bytes=len(output),
        stack="Thread 1 (idle)\n    solve (graphs/solve.py:12)" if stopped else None,
    )
    return Ran((run,))


def trial(
    number: int,
    outcome: Outcome,
    purpose: Purpose = Purpose.SEARCH,
    packages: tuple[str, ...] = ("numpy==1.26.4", "scipy==1.11.0"),
) -> Trial:
    return Trial(
        commit=sha(number),
        key=f"key-{number}",
        purpose=purpose,
        started=_BEGAN,
        outcome=outcome,
        environment=None
        if isinstance(outcome, Trouble)
        else EnvironmentFacts("3.11.7", packages, "uv", building=("setuptools==80.9.0",)),
        seconds=1.5,
        checkout_seconds=0.1,
        install_seconds=0.75,
        repro_seconds=0.5,
        log=f"logs/{number}.log",
    )


def old(number: int, left: int | None, purpose: Purpose = Purpose.SEARCH) -> JudgedTrial:
    return JudgedTrial(
        trial(number, ran("6\n"), purpose), Verdict(_OLD, "exit 0"), False, left, number or None
    )


def new(number: int, left: int | None, purpose: Purpose = Purpose.SEARCH) -> JudgedTrial:
    observed = trial(number, ran(_FAILURE, 1), purpose, ("numpy==2.0.0", "tomli==2.0.1"))
    return JudgedTrial(observed, Verdict(_NEW, "same failure: AssertionError: 3"), False, left, number)


def skip(number: int, left: int | None) -> JudgedTrial:
    reason = "cannot build: error: command 'gcc' failed"
    observed = trial(number, Untestable(Stage.INSTALL, reason))
    return JudgedTrial(observed, Verdict(_SKIP, reason), False, left, number)


def _found() -> Account:
    culprit = Culprit(
        commit=commit(73, "Speed up to_numpy_array (#512)"),
        change=Change(("graphs/convert.py", "graphs/tests/test_convert.py"), 31, 12),
        url=f"https://forge.example/graphs/graphs/commit/{sha(73)}",
        pull_request=PullRequest(
            512,
            "https://forge.example/graphs/graphs/pull/512",
            FoundBy.SUBJECT,
            title="Speed up to_numpy_array",
        ),
    )
    trials = (
        old(0, None, Purpose.END),
        new(100, None, Purpose.END),
        old(50, 50),
        new(75, 25),
        skip(63, 25),
        old(65, 10),
        replace(old(70, 5), reused=True),
        old(72, 3),
        new(73, 1),
        new(73, None, Purpose.CONFIRM),
        old(72, None, Purpose.CONFIRM),
        old(100, None, Purpose.TRY),
    )
    return Account(
        version="0.1.0",
        hunt="graphs-4f2a91",
        name="to_numpy_array loses weights",
        description="Edge weights are gone after the conversion.",
        recipe=_RECIPE,
        repo="https://forge.example/graphs/graphs",
        terms=Terms(),
        find=Find.REGRESSION,
        good=End("graphs-2.8", sha(0)),
        bad=End("main", sha(100)),
        ending=Ending.FOUND,
        message="00490049 is the first bad commit, confirmed.",
        culprit=culprit,
        suspects=(),
        confirmation=Confirmation(_NEW, ((sha(72), _OLD),), _OLD, 0.99),
        commits=100,
        expected=7,
        trials=trials,
        total_seconds=21.5,
        bisect_log=f"git bisect start '{sha(100)}' '{sha(0)}'\n# good: [{sha(50)}] Change number 50\n",
        compare_url=f"https://forge.example/graphs/graphs/compare/{sha(0)}...{sha(100)}",
        reproduce="bisector run https://forge.example/recipe.yaml",
    )


def _fix_found() -> Account:
    found = _found()
    return replace(
        found,
        name="when was the hang repaired?",
        find=Find.FIX,
        terms=Terms("broken", "fixed"),
        message="00490049 is the first fixed commit, confirmed.",
        trials=(
            JudgedTrial(
                trial(0, ran("waiting\n", stopped=Stopped.TIMEOUT), Purpose.END),
                Verdict(_OLD, "timed out after 60 s"),
                False,
                None,
            ),
            JudgedTrial(trial(100, ran("6\n"), Purpose.END), Verdict(_NEW, "exit 0"), False, None, 100),
            JudgedTrial(trial(73, ran("6\n")), Verdict(_NEW, "exit 0"), False, 1, 73),
        ),
    )


def _suspects(count: int = 3) -> Account:
    return replace(
        _found(),
        ending=Ending.SUSPECTS,
        message=f"The first bad commit is one of {count}: those between could not be tested.",
        culprit=None,
        suspects=tuple(commit(number) for number in range(60, 60 + count)),
        confirmation=None,
        trials=(old(0, None, Purpose.END), new(100, None, Purpose.END), old(59, 41), new(62, 3), skip(60, 3)),
    )


def _unconfirmed() -> Account:
    found = _found()
    return replace(
        found,
        ending=Ending.UNCONFIRMED,
        message="00490049 would be the first bad commit, but its parent fails too.",
        confirmation=Confirmation(_NEW, ((sha(72), _NEW),)),
        trials=(*found.trials[:9], new(73, None, Purpose.CONFIRM), new(72, None, Purpose.CONFIRM)),
        notices=("the forge did not answer: no title for the pull request",),
    )


def _endpoints() -> Account:
    return replace(
        _found(),
        ending=Ending.ENDPOINTS,
        message="The good end, graphs-2.8, fails as the bad end does.",
        culprit=None,
        confirmation=None,
        trials=(new(100, None, Purpose.END), new(0, None, Purpose.END)),
    )


def _failed() -> Account:
    trouble = trial(50, Trouble("no space left on the device", lasting=True))
    return replace(
        _found(),
        ending=Ending.FAILED,
        message="The disk of the state directory is full.",
        culprit=None,
        confirmation=None,
        trials=(
            old(0, None, Purpose.END),
            new(100, None, Purpose.END),
            JudgedTrial(trouble, Verdict(_ERROR, "no space left on the device"), False, None),
        ),
    )


def _interrupted() -> Account:
    found = _found()
    return replace(
        found,
        ending=Ending.INTERRUPTED,
        message="Interrupted with 25 commits in question.",
        culprit=None,
        confirmation=None,
        trials=found.trials[:4],
    )


def _dependency() -> Account:
    return replace(
        _found(),
        ending=Ending.DEPENDENCY,
        message="numpy 2.0.0 did it: with 1.26.4 the bad end passes.",
        culprit=None,
        confirmation=None,
        trials=(old(0, None, Purpose.END), new(100, None, Purpose.END)),
        dependency=DependencyChange("numpy", "1.26.4", "2.0.0"),
    )


def _nothing() -> Account:
    """A hunt that failed before it could try anything."""
    return replace(_failed(), trials=(), commits=0, expected=0, description=None, bisect_log="")


@pytest.fixture
def samples() -> dict[str, Account]:
    return {
        "found": _found(),
        "fix": _fix_found(),
        "suspects": _suspects(),
        "thousand": _suspects(1000),
        "unconfirmed": _unconfirmed(),
        "endpoints": _endpoints(),
        "failed": _failed(),
        "interrupted": _interrupted(),
        "dependency": _dependency(),
        "nothing": _nothing(),
    }
