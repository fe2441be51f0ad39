"""What one hunt amounts to: everything a report is derived from."""

from __future__ import annotations

from dataclasses import dataclass

from bisector.model.environment import DependencyChange, Lock
from bisector.model.history import Change, Commit, End, PullRequest
from bisector.model.trials import Trial
from bisector.model.words import Ending, Find, Judgement, Terms, Verdict


@dataclass(frozen=True, slots=True)
class JudgedTrial:
    """A trial and the verdict on it, in the order of the hunt. `left`: commits in question after it.

    `place`: where its commit stands among those in question, counted from 1; None: not among them, or not known.
    """

    trial: Trial
    verdict: Verdict
    reused: bool
    left: int | None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Culprit:
    commit: Commit
    change: Change
    url: str | None
    pull_request: PullRequest | None


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What the proof showed; `reverted` and `confidence` are None where they were not asked for."""

    culprit: Judgement
    parents: tuple[tuple[str, Judgement], ...]
    reverted: Judgement | None = None
    """With the culprit reverted at the new end; SKIP: it cannot be reverted there, or not tested then."""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """Everything a report is derived from: the facts of one hunt and what was concluded."""

    version: str
    hunt: str
    name: str
    description: str | None
    recipe: str
    repo: str
    """Cleaned of credentials."""
    terms: Terms
    find: Find
    good: End
    """The old end, whatever its term."""
    bad: End
    """The new end, whatever its term."""
    ending: Ending
    message: str
    """The ending in one sentence."""
    culprit: Culprit | None
    suspects: tuple[Commit, ...]
    confirmation: Confirmation | None
    commits: int
    expected: int
    trials: tuple[JudgedTrial, ...]
    total_seconds: float
    bisect_log: str
    compare_url: str | None
    reproduce: str
    notices: tuple[str, ...] = ()
    locks: tuple[Lock, ...] = ()
    """Oldest commit first."""
    dependency: DependencyChange | None = None
