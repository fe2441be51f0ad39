"""The shape of report.json, format 1: these field names are the file's keys and stay as they are.

The keys `good` and `bad` are the old and the new end whatever the recipe's terms; verdicts carry the terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bisector.model import DependencyChange, End, Terms

FORMAT = 1


@dataclass(frozen=True, slots=True)
class ReportedPullRequest:
    number: int | str
    url: str | None
    title: str | None
    found_by: str


@dataclass(frozen=True, slots=True)
class ReportedCulprit:
    commit: str
    parents: tuple[str, ...]
    subject: str
    author: str
    date: str
    url: str | None
    files: tuple[str, ...]
    insertions: int
    deletions: int
    pull_request: ReportedPullRequest | None


@dataclass(frozen=True, slots=True)
class ReportedConfirmation:
    culprit: str
    parents: Mapping[str, str]
    reverted: str | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Counts:
    """`trials`: really run for this hunt; `reused`: known before; `skipped`: of both together."""

    commits: int
    trials: int
    reused: int
    skipped: int
    expected: int


@dataclass(frozen=True, slots=True)
class Seconds:
    """`total`: the hunt's clock; the rest: sums over the trials run, `prepare` neither install nor repro."""

    total: float
    prepare: float
    install: float
    repro: float


@dataclass(frozen=True, slots=True)
class ReportedTrial:
    commit: str
    verdict: str
    reason: str
    seconds: float
    install_seconds: float
    peak_memory: int | None
    cached: bool
    log: str | None
    stack: str | None


@dataclass(frozen=True, slots=True)
class ReportedEnvironment:
    """`changed`: what differs from good to bad, a line each."""

    python: str | None
    good: tuple[str, ...]
    bad: tuple[str, ...]
    changed: tuple[str, ...]
    good_build: tuple[str, ...] = ()
    bad_build: tuple[str, ...] = ()
    """What the project was built with."""


@dataclass(frozen=True, slots=True)
class Report:
    bisector: int
    version: str
    hunt: str
    name: str
    outcome: str
    message: str
    repo: str
    terms: Terms
    good: End
    bad: End
    culprit: ReportedCulprit | None
    suspects: tuple[str, ...]
    dependency: DependencyChange | None
    confirmation: ReportedConfirmation | None
    counts: Counts
    seconds: Seconds
    trials: tuple[ReportedTrial, ...]
    environment: ReportedEnvironment | None
    compare_url: str | None
    notices: tuple[str, ...]
    bisect_log: str
    recipe: str
    reproduce: str
