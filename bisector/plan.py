"""What one commit's trial is made of: the recipe with everything that holds for this commit applied. Pure.

Which stretches a commit belongs to is asked of the caller, who knows git.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from enum import Enum

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bisector.model import AsOf, Commit, EnvironmentRequest, Judgement, Limits
from bisector.oracles.paired import Gauge
from bisector.recipe.alterations import CherryPick, Patch, Pin, Stretch
from bisector.recipe.schema import Recipe, Repro

SAID_APART = {"own_build"}
"""Only where it is so: what is on record from before keeps its key."""
SOME_DAY = datetime(2000, 1, 1, tzinfo=timezone.utc)
Holds = Callable[[Stretch], bool]
Resolve = Callable[[Judgement | str], str]
"""An end of the hunt, or a revision as the recipe calls it, as a commit."""


@dataclass(frozen=True, slots=True)
class Revert:
    """A commit taken back, by its full sha."""

    rev: str


@dataclass(frozen=True, slots=True)
class OverlayFiles:
    """Files of another commit, by its full sha."""

    commit: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turns:
    """Runs in turns with another commit's code, until the gauge has enough pairs or `most` were made."""

    beside: TrialRequest
    gauge: Gauge
    most: int


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """Everything that decides what a trial at this commit observes."""

    repository: str
    commit: str
    environment: EnvironmentRequest
    repro: Repro
    limits: Limits
    runs: int = 1
    ladder: bool = True
    """Where the module cannot be imported, try the releases of the commit's date."""
    fixups: tuple[Patch | CherryPick | Revert, ...] = ()
    """In the recipe's order; a pick by its full sha."""
    overlays: tuple[OverlayFiles, ...] = ()
    stop_after: int | None = None
    """No further run once so many have not exited 0."""
    keep: str | None = None
    """A file that each run saves, counted from where it runs."""
    turns: Turns | None = None

    @property
    def key(self) -> str:
        """Equal for requests that must observe the same; hunts share trials by it."""
        environment = self.environment
        if environment.as_of is not AsOf.COMMIT:
            environment = dataclasses.replace(environment, commit_date=datetime.min)
        said = [self.repository, self.commit, *map(_plain, (environment, self.repro, self.limits))]
        if environment.own_build:
            said.append("own build")
        if self.fixups or self.overlays:
            said += [_plain(self.fixups), _plain(self.overlays)]
        if self.keep:
            said.append(self.keep)
        if self.turns:
            said.append(f"beside {self.turns.beside.key}")
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]


def request(recipe: Recipe, repository: str, commit: Commit, holds: Holds, resolve: Resolve) -> TrialRequest:
    """The trial of one commit."""
    pins = [pin for pin in recipe.pins if holds(pin.where)]
    changes = [fixup.change for fixup in recipe.fixups if holds(fixup.where)]
    return TrialRequest(
        repository=repository,
        commit=commit.sha,
        environment=environment(recipe, commit, pins),
        repro=recipe.repro,
        limits=recipe.limits,
        fixups=tuple(
            CherryPick(resolve(change.rev)) if isinstance(change, CherryPick) else change
            for change in changes
        ),
        overlays=tuple(OverlayFiles(resolve(one.source), one.paths) for one in recipe.overlay),
    )


def environment(recipe: Recipe, commit: Commit, pins: list[Pin]) -> EnvironmentRequest:
    """The recipe's environment with the pins of this commit laid over it, in order."""
    return _environment(recipe, commit.sha, commit.commit_date, pins)


def environment_of_all(recipe: Recipe) -> EnvironmentRequest | None:
    """What the recipe asks for, whatever the commit; None: some commits have pins or dates of their own."""
    if recipe.pins or recipe.dependencies.as_of is AsOf.COMMIT:
        return None
    return _environment(recipe, "", SOME_DAY, [])


def _environment(recipe: Recipe, sha: str, day: datetime, pins: list[Pin]) -> EnvironmentRequest:
    install = recipe.install
    requirements = recipe.dependencies.requirements
    building = install.build_requirements
    python, isolated = recipe.python, install.build_isolation
    for pin in pins:
        requirements = overlay(requirements, pin.requirements)
        building = overlay(building, pin.build_requirements)
        python = pin.python or python
        isolated = isolated if pin.build_isolation is None else pin.build_isolation
    return EnvironmentRequest(
        commit=sha,
        commit_date=day,
        python=python,
        mode=install.mode,
        paths=install.path,
        extras=install.extras,
        module=install.module,
        build=install.build,
        build_requirements=building,
        build_isolation=isolated,
        requirements=requirements,
        declared=recipe.declared,
        as_of=_moment(recipe.dependencies.as_of),
        index=recipe.index,
        timeout=recipe.limits.install_timeout,
    )


def overlay(below: tuple[str, ...], above: tuple[str, ...]) -> tuple[str, ...]:
    """Requirements laid over others: one for the same package replaces the earlier one, in its place."""
    replaced = {package_of(text) for text in above}
    kept = tuple(text for text in below if package_of(text) not in replaced)
    return kept + above


def package_of(text: str) -> str:
    """Which package a requirement is about, however it is spelt."""
    return canonicalize_name(Requirement(text).name)


def _moment(as_of: AsOf | date) -> AsOf | datetime:
    """A plain date counts to its end; a datetime is exact."""
    if isinstance(as_of, AsOf | datetime):
        return as_of
    return datetime.combine(as_of + timedelta(days=1), time(), timezone.utc)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        said = (field.name for field in dataclasses.fields(value) if field.name not in SAID_APART)
        named = {name: _plain(getattr(value, name)) for name in said}
        return {"": type(value).__name__, **named}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    return value if value is None or isinstance(value, str | int | float) else str(value)
