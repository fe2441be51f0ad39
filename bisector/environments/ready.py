"""What goes into the making of an environment and what comes out: values and two small ports."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bisector.environments.builder import Builder
from bisector.environments.interpreters import Interpreter
from bisector.installers import Runner
from bisector.model import EnvironmentFacts, EnvironmentRequest


class TreeFacts(Protocol):
    """What git knows of the tree as it lies on the disk (fixups and overlays included)."""

    def files(self) -> Mapping[str, str]:
        """Every path, with the id of its content."""
        ...


class Locks(Protocol):
    """The exact versions a hunt resolved, recorded: a resumed hunt installs the same."""

    def get(self, fingerprint: str) -> tuple[str, ...] | None: ...

    def put(self, fingerprint: str, lines: tuple[str, ...]) -> None: ...


@dataclass(frozen=True)
class Desk:
    """Where an installer can be asked. `scratch` is fresh."""

    scratch: Path
    log: Path
    runner: Runner
    cancelled: threading.Event


@dataclass(frozen=True, kw_only=True)
class Place(Desk):
    """Where one trial's environment is made. `tree` is a slot's, clean, at the commit."""

    tree: Path
    facts: TreeFacts
    locks: Locks
    keeps_failures: bool = True
    """What cannot be built or installed fails at once when it is asked for again."""
    restore: Callable[[], object] = lambda: None
    """Brings the tree back to what it was before a build failed in it."""
    beside: Place | None = None
    """For what is done while a build goes on here. Its `cancelled` is its own, and follows this one's."""
    hurry: Callable[[], object] = lambda: None
    """What it goes on beside is through: programs that run here need not stand back behind it any more."""
    builder: Builder | None = None
    """May do the build, if there is one."""
    may_defer: bool = False
    """A run here may take a little longer than the next: it is not measured, and has time."""


@dataclass(frozen=True, slots=True)
class Ready:
    """An environment to run in: a thin virtualenv of this trial alone, over layers that are read-only."""

    interpreter: Interpreter
    python: Path
    venv: Path
    variables: Mapping[str, str] = field(repr=False)
    """All but PATH, on which `bin` must come first: see `environment`."""
    readable: tuple[Path, ...]
    """What must be visible, read-only: the layers and the base interpreter."""
    modules: tuple[str, ...]
    """To be imported from `origins`, else the trial proves nothing."""
    origins: tuple[Path, ...]
    facts: EnvironmentFacts
    request: EnvironmentRequest
    """What was asked for, or what the ladder made of it."""

    @property
    def bin(self) -> Path:
        return self.venv / "bin"

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """`base`, turned to this environment."""
        rest = {name: value for name, value in base.items() if name not in {"PYTHONHOME", "PYTHONPATH"}}
        path = base.get("PATH", "/usr/local/bin:/usr/bin:/bin")
        return {**rest, **self.variables, "PATH": f"{self.bin}:{path}"}
