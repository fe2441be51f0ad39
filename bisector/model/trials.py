"""What was observed at one commit: facts, never opinions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from bisector.model.environment import EnvironmentFacts
from bisector.model.limits import CapHit, Stopped


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the repro, as observed. Exactly one of exit_status and signal is set."""

    exit_status: int | None
    signal: int | None
    stopped: Stopped | None
    seconds: float
    cpu_seconds: float
    peak_memory: int | None
    output: str
    """The end of what it wrote, stdout and stderr together, as text; the log file holds the rest."""
    output_bytes: int
    stack: str | None = None
    hits: tuple[CapHit, ...] = ()
    saved: str | None = None
    """Where the file is that the recipe compares, kept of this run; None: none was asked for, or kept."""
    unsaved: str | None = None
    """Why it was asked for and not kept."""


class Stage(Enum):
    """Where a trial ended before its repro could speak."""

    CHECKOUT = "checkout"
    FIXUP = "fixup"
    INTERPRETER = "interpreter"
    INSTALL = "install"
    IMPORT = "import"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class Places:
    """Where a trial's parts lay, spelt as its own output spells them: they differ from slot to slot."""

    tree: str = ""
    scratch: str = ""
    environment: str = ""


@dataclass(frozen=True, slots=True)
class Ran:
    """The repro ran, once or several times."""

    runs: tuple[Run, ...]
    places: Places = Places()
    beside: tuple[Run, ...] = ()
    """The working end's runs, each made next to the run of its number; empty: not run in turns."""


@dataclass(frozen=True, slots=True)
class Untestable:
    """This commit cannot be tested here; says nothing about the regression."""

    stage: Stage
    reason: str
    """Its first line tells, what follows is detail."""

    @property
    def headline(self) -> str:
        return self.reason.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Our own or the machine's failure: never a verdict. `lasting`: every further trial would meet it too."""

    reason: str
    lasting: bool = False


Outcome = Ran | Untestable | Trouble


class Purpose(Enum):
    """Why a trial was made."""

    END = "end"
    SEARCH = "search"
    CONFIRM = "confirm"
    REVERT = "revert"
    SAMPLE = "sample"
    CROSS = "cross"
    """One commit's code in an environment that is not its own."""
    BEHIND = "behind"
    """A commit without the other failure that may hide the hunted one there."""
    TRY = "try"


ALTERED = frozenset({Purpose.REVERT, Purpose.CROSS, Purpose.BEHIND})
"""Trials of a commit that do not show the commit as it is."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What was observed at one commit. `key` is equal for two trials that must observe the same."""

    commit: str
    key: str
    purpose: Purpose
    started: datetime
    outcome: Outcome
    environment: EnvironmentFacts | None
    seconds: float
    checkout_seconds: float
    install_seconds: float
    repro_seconds: float
    log: str
