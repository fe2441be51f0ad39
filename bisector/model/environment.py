"""What a commit's environment must be, and what it turned out to be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name


class InstallMode(Enum):
    EDITABLE = "editable"
    PYTHONPATH = "pythonpath"
    WHEEL = "wheel"
    NONE = "none"


class AsOf(Enum):
    """Which releases of a dependency may be chosen, where the recipe gives no date of its own."""

    LATEST = "latest"
    COMMIT = "commit"


@dataclass(frozen=True, slots=True)
class Index:
    """Where packages come from when not from the machine's own configuration; credentials and all."""

    find_links: tuple[str, ...] = ()
    index_url: str | None = None
    extra_index_url: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EnvironmentRequest:
    """What one commit's environment must be, pins already applied. Paths are relative to its tree."""

    commit: str
    commit_date: datetime
    python: str | None
    """A version ("3.11", "3.11.7"), a path to an interpreter, or None: the newest that the commit allows."""
    mode: InstallMode
    paths: tuple[str, ...] = (".",)
    extras: tuple[str, ...] = ()
    module: str | None = None
    """The module that must come from the tree; None: find it out."""
    build: tuple[str, ...] = ()
    build_requirements: tuple[str, ...] = ()
    build_isolation: bool = True
    requirements: tuple[str, ...] = ()
    declared: bool = True
    exact: bool = False
    """The requirements are all that is installed, as they stand: nothing is resolved."""
    as_of: AsOf | datetime = AsOf.LATEST
    index: Index = Index()
    timeout: float = 900.0
    own_build: bool = False
    """Of the project nothing is taken that was built for another commit; compiled code alone is."""


@dataclass(frozen=True, slots=True)
class EnvironmentFacts:
    """What the trial ran in: exact versions, for the report and for a repetition."""

    python: str
    packages: tuple[str, ...]
    installer: str
    rungs: tuple[str, ...] = ()
    """What was tried before it succeeded, in words; empty: as the recipe says."""
    in_vain: tuple[str, ...] = ()
    """What was tried because the module could not be imported, and did not help."""
    needs: str = ""
    """What the project may lack to be imported at all; empty: nothing that is known."""
    building: tuple[str, ...] = ()
    """The exact versions of what the project's own build saw; empty: nothing was built."""
    borrowed: bool = False
    """The project's build was another commit's: all that it was seen to read is the same here."""


@dataclass(frozen=True, slots=True)
class Lock:
    """The exact versions that the trials had from a commit on."""

    since: str | None
    """None: from the beginning."""
    python: str
    packages: tuple[str, ...]
    building: tuple[str, ...] = ()
    """Those that the project was built with."""


@dataclass(frozen=True, slots=True)
class DependencyChange:
    """The release of a dependency that did it, where no commit of the repository did."""

    name: str
    good: str
    """The version at the old state."""
    bad: str
    """The version at the new state."""


def package_of(line: str) -> str:
    """The package that a requirement is of, by its one name; of what names none, the line."""
    try:
        return str(canonicalize_name(Requirement(line).name))
    except InvalidRequirement:
        return line
