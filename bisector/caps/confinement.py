"""What is asked of a cage, and what a fence must be able to do. Values and a Protocol, no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bisector.model import Limits

UNLIMITED = Limits()


@dataclass(frozen=True, slots=True)
class Confinement:
    """One command of the hunted project, and all that it may have."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    """Complete: nothing of our own environment is added."""
    log: Path
    """Appended to: stdout and stderr together."""
    timeout: float
    limits: Limits = UNLIMITED
    """Its two timeouts are not looked at: `timeout` is the one that counts here."""
    writable: tuple[Path, ...] = ()
    """Where it may write (in the sandbox, nowhere else); the disk cap is over these."""
    readable: tuple[Path, ...] = ()
    """What the sandbox shows besides the system: interpreters, layers, mirrors."""
    sandbox: bool = False
    stdin: int | None = None
    """A descriptor that it reads from; None: there is nothing to read."""
    stack_dump: bool = True
    """Take the Python stacks before a run that timed out is killed."""


class Fence(Protocol):
    """A means to hold a process tree together: none of it outlives the fence, nor the fence us.

    A fence speaks on the `words` pipe, line by line: see `witness`.
    """

    @property
    def name(self) -> str: ...

    @property
    def overhead(self) -> int:
        """Processes of its own, which must not count against the cap."""
        ...

    @property
    def on_leash(self) -> bool:
        """It kills everything and ends when the other end of `leash` closes; otherwise we kill it."""
        ...

    @property
    def guards(self) -> bool:
        """What is `readable` cannot be written to inside, sandbox or not."""
        ...

    def command(self, confinement: Confinement, words: int, leash: int) -> list[str]:
        """What runs the confinement inside. It inherits `leash` where it is on one, else `words`; stderr is
        the latter in both cases."""
        ...
