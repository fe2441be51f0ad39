"""The words everything else is said in: frozen values without behaviour of their own.

Facts (what was observed) and opinions (what was concluded) stay apart: a Trial is a fact, a Verdict is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


class Judgement(Enum):
    """What may be said of a commit. OLD and NEW are the two states; their names are the recipe's `terms`."""

    OLD = "old"
    NEW = "new"
    SKIP = "skip"
    ERROR = "error"


class Find(Enum):
    REGRESSION = "regression"
    FIX = "fix"


@dataclass(frozen=True, slots=True)
class Terms:
    """How a recipe calls the two states: good/bad, broken/fixed, fast/slow."""

    old: str = "good"
    new: str = "bad"

    def name(self, judgement: Judgement) -> str:
        return {Judgement.OLD: self.old, Judgement.NEW: self.new}.get(judgement, judgement.value)


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    parents: tuple[str, ...]
    subject: str
    body: str
    author_name: str
    author_email: str
    author_date: datetime
    commit_date: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit touched, against its first parent."""

    files: tuple[str, ...]
    insertions: int
    deletions: int


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes; None: no limit."""

    timeout: float = 60.0
    install_timeout: float = 900.0
    memory: int | None = None
    processes: int | None = None
    cpus: float | None = None
    disk: int | None = None
    output: int = 10 * 1024 * 1024
    gpu_memory: int | None = None
    network: bool = True


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


class Stopped(Enum):
    """Why bisector itself ended a run; a run that ended by itself has none."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    DISK = "disk"
    PROCESSES = "processes"
    CANCELLED = "cancelled"


class Cap(Enum):
    """What is limited; the values are the recipe's keys under `limits`."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    PROCESSES = "processes"
    CPUS = "cpus"
    DISK = "disk"
    OUTPUT = "output"
    GPU_MEMORY = "gpu_memory"
    NETWORK = "network"


@dataclass(frozen=True, slots=True)
class CapHit:
    """A cap that was reached: what it was, and the figure seen (seconds, bytes or a count)."""

    cap: Cap
    limit: float
    seen: float


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
    TRY = "try"


@dataclass(frozen=True, slots=True)
class EnvironmentFacts:
    """What the trial ran in: exact versions, for the report and for a repetition."""

    python: str
    packages: tuple[str, ...]
    installer: str
    rungs: tuple[str, ...] = ()
    """What was tried before it succeeded, in words; empty: as pinned."""


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


@dataclass(frozen=True, slots=True)
class Verdict:
    judgement: Judgement
    reason: str


class FoundBy(Enum):
    SUBJECT = "subject"
    MERGE = "merge"
    REFS = "refs"
    API = "api"


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request, merge request, change or review that brought a commit in."""

    number: int | str
    url: str | None
    found_by: FoundBy
    title: str | None = None
    author: str | None = None
    state: str | None = None


class Ending(Enum):
    """How a hunt ended; the report's `outcome`."""

    FOUND = "found"
    DEPENDENCY = "dependency"
    SUSPECTS = "suspects"
    UNCONFIRMED = "unconfirmed"
    ENDPOINTS = "endpoints"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class JudgedTrial:
    """A trial and the verdict on it, in the order of the hunt. `left`: commits in question after it."""

    trial: Trial
    verdict: Verdict
    reused: bool
    left: int | None


@dataclass(frozen=True, slots=True)
class End:
    """One end of the hunt: what the recipe says and which commit that was."""

    ref: str
    commit: str


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
class Lock:
    """The exact versions that the trials had from a commit on."""

    since: str | None
    """None: from the beginning."""
    python: str
    packages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DependencyChange:
    """The release of a dependency that did it, where no commit of the repository did."""

    name: str
    good: str
    """The version at the old state."""
    bad: str
    """The version at the new state."""


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
