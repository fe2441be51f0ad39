"""Exact environments: every package with its version. What two of them differ in, one moved towards the other.

Pure: knows requests and recorded facts, makes no trial.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bisector.installers.settings import redact
from bisector.model import EnvironmentFacts, package_of
from bisector.plan import TrialRequest

PYTHON = "python"
ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Exact:
    """An interpreter, and the requirement line of each package by its name."""

    python: str
    version: str
    """The interpreter's: `python` may be a path."""
    lines: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """What one thing is here and there; a package that is not there has no line."""

    name: str
    here: str | None
    there: str | None

    @property
    def is_package(self) -> bool:
        return self.name != PYTHON

    @property
    def words(self) -> str:
        return f"{self.name} {self.old} -> {self.new}"

    @property
    def old(self) -> str:
        return version_of(self.here)

    @property
    def new(self) -> str:
        return version_of(self.there)


def environment_of(asked: TrialRequest, facts: EnvironmentFacts) -> Exact:
    """What a trial ran in, so that it can be asked for again."""
    python = asked.environment.python
    named = python if python is not None and "/" in python else facts.python
    # What is on record lost its passwords; the request still has them.
    own = {redact(line): line for line in asked.environment.requirements}
    lines = (own.get(line, line) for line in facts.packages)
    return Exact(named, facts.python, {package_of(line): line for line in lines})


def differences(here: Exact, there: Exact) -> tuple[Difference, ...]:
    """Python first, then the packages by name."""
    names = sorted(here.lines.keys() | there.lines.keys())
    packages = [Difference(name, here.lines.get(name), there.lines.get(name)) for name in names]
    found = [Difference(PYTHON, here.version, there.version), *packages]
    return tuple(one for one in found if one.here != one.there)


def moved(base: Exact, towards: Exact, changes: Iterable[Difference]) -> Exact:
    """`base` with some of its differences from `towards` taken over."""
    python, version, lines = base.python, base.version, dict(base.lines)
    for change in changes:
        if not change.is_package:
            python, version = towards.python, towards.version
        elif change.there is None:
            lines.pop(change.name, None)
        else:
            lines[change.name] = change.there
    return Exact(python, version, lines)


def with_line(base: Exact, name: str, line: str | None) -> Exact:
    """`base` with another release of one package, or without it."""
    others = {known: kept for known, kept in base.lines.items() if known != name}
    return replace(base, lines=others if line is None else {**others, name: line})


def asking_for(asked: TrialRequest, exact: Exact) -> TrialRequest:
    """The same commit's trial, in this environment and no other."""
    environment = replace(
        asked.environment,
        python=exact.python,
        requirements=tuple(sorted(exact.lines.values())),
        declared=False,
        exact=True,
    )
    return replace(asked, environment=environment, ladder=False)


def version_of(line: str | None) -> str:
    """The version that a line names; a line without one stands for itself."""
    if line is None:
        return ABSENT
    found = re.fullmatch(r"[^=@;\s]+\s*===?\s*([^;\s]+).*", line)
    return found[1] if found else line


def in_words(found: Sequence[Difference], most: int = 4) -> str:
    """`a 1 -> 2, b 3 -> 4 and 2 more`."""
    said = ", ".join(one.words for one in found[:most])
    return said if len(found) <= most else f"{said} and {len(found) - most} more"
