"""What every installer can do: resolve requirements to exact versions, and install those.

Knows nothing of layers, commits or recipes; tells a commit's failure from the machine's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from bisector.model import Index, Trouble, Untestable
from bisector.process import Finished, ProgramMissing

Say = Callable[[str], None]


def unheard(words: str) -> None:
    """Where nobody listens."""


class Runner(Protocol):
    """Runs code that is not ours (builds, hunted interpreters): the caller decides in which cage."""

    def __call__(
        self,
        argv: Sequence[str | Path],
        cwd: Path,
        env: Mapping[str, str],
        timeout: float | None,
        writable: tuple[Path, ...],
        readable: tuple[Path, ...],
        stdin: int | None = None,
    ) -> Finished | ProgramMissing: ...


@dataclass(frozen=True, slots=True)
class Bench:
    """Where and with what an installer works."""

    environ: Mapping[str, str] = field(repr=False)
    """The user's environment; an installer takes from it what it needs."""
    index: Index = field(repr=False)
    cache: Path
    """The installer's download cache, on the same file system as the layers."""
    scratch: Path
    log: Path
    runner: Runner
    timeout: float
    cancelled: threading.Event
    readable: tuple[Path, ...] = ()
    share_files: bool = False
    """Hard links into the cache: only where nobody can write through them."""
    wheels_only: bool = False
    """No source archive is looked at where no wheel serves."""
    offline: bool = False
    """No registry is asked: what the installer has kept of its answers must do."""
    tools: datetime | None = None
    """Source archives are built by nothing newer, where today's build tools have failed; None: by the newest."""
    pauses: tuple[float, ...] = (1.0, 5.0)
    """Before each further attempt when the registry does not answer."""
    say: Say = field(default=unheard, repr=False)
    """Hears why it takes so long."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Requirements for one interpreter; `cutoff`: no release uploaded later.

    `alone`: without what they require themselves.
    """

    python: Path
    requirements: tuple[str, ...]
    cutoff: datetime | None = None
    alone: bool = False


class Installer(Protocol):
    """A program that resolves and installs."""

    @property
    def name(self) -> str: ...

    def unavailable(self) -> str | None:
        """Why it cannot be used on this machine."""
        ...

    def unfit(self, version: tuple[int, int]) -> str | None:
        """Why it cannot serve that Python."""
        ...

    def resolve(self, wanted: Wanted, bench: Bench) -> tuple[str, ...] | Untestable | Trouble:
        """The exact versions, one requirement line each, sorted."""
        ...

    def install(self, python: Path, lines: tuple[str, ...], bench: Bench) -> Untestable | Trouble | None:
        """Install exactly `lines`, nothing more, into the virtualenv of `python`; None: done."""
        ...
