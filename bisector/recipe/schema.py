"""What a recipe says, settled: frozen values in which every spelling of the text has become one.

How the text spells it is `sections` and `spellings`; what a commit makes of it is the plan's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from pathlib import Path

from bisector.model import AsOf, Find, Index, InstallMode, Judgement, Limits, Terms
from bisector.recipe.alterations import Fixup, Overlay, Pin
from bisector.recipe.canonical import digest, plain_fields
from bisector.recipe.location import from_folder

AUTO = "auto"
"""The old end's ref when it is to be found out."""

_GOOD_BAD = Terms()
_MACHINES_OWN = Index()
_LIMITS = Limits()


class OriginKind(Enum):
    """Where a recipe's text came from; only a FILE is the user's own."""

    FILE = "file"
    STDIN = "stdin"
    URL = "url"
    ISSUE = "issue"


class History(Enum):
    FULL = "full"
    FIRST_PARENT = "first-parent"
    PULL_REQUESTS = "pull-requests"


class Reaction(Enum):
    """What follows from an observation; good, bad, broken, fixed and own terms have become OLD or NEW."""

    SKIP = "skip"
    OLD = "old"
    NEW = "new"
    ABORT = "abort"


class Cwd(Enum):
    SCRATCH = "scratch"
    TREE = "tree"


@dataclass(frozen=True, slots=True)
class Install:
    mode: InstallMode = InstallMode.EDITABLE
    path: tuple[str, ...] = (".",)
    extras: tuple[str, ...] = ()
    module: str | None = None
    build: tuple[str, ...] = ()
    build_requirements: tuple[str, ...] = ()
    build_isolation: bool = True


@dataclass(frozen=True, slots=True)
class Dependencies:
    requirements: tuple[str, ...] = ()
    declared: bool | None = None
    """None: by the install mode, see `Recipe.declared`."""
    as_of: AsOf | datetime = AsOf.LATEST
    index: Index = _MACHINES_OWN


@dataclass(frozen=True, slots=True)
class ShellCommand:
    text: str


@dataclass(frozen=True, slots=True)
class PythonScript:
    text: str


@dataclass(frozen=True, slots=True)
class Repro:
    action: ShellCommand | PythonScript
    reset: str | None = None
    files: tuple[tuple[str, str], ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: Cwd = Cwd.SCRATCH


@dataclass(frozen=True, slots=True)
class Times:
    """This many runs of every trial."""

    count: int


@dataclass(frozen=True, slots=True)
class Until:
    """Up to `max` runs, ended by the failure number `bad_after`."""

    max: int
    bad_after: int


@dataclass(frozen=True, slots=True)
class Confidence:
    """As many runs as it takes to be this sure of the culprit."""

    level: float


Runs = Times | Until | Confidence


class Measure(Enum):
    """The numbers that bisector takes itself."""

    WALL_TIME = "wall_time"
    CPU_TIME = "cpu_time"
    PEAK_MEMORY = "peak_memory"


class Worse(Enum):
    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class Absolute:
    value: float


@dataclass(frozen=True, slots=True)
class Relative:
    """Times what the working end shows."""

    factor: float


@dataclass(frozen=True, slots=True)
class Metric:
    source: Measure | str
    """A str is a pattern whose first group is the number."""
    worse: Worse = Worse.HIGHER
    threshold: Absolute | Relative | None = None
    """None: between the ends."""

    @property
    def goes_in_turns(self) -> bool:
        """Memory does not drift with the machine's mood; all else is measured beside the working end's code."""
        return self.source is not Measure.PEAK_MEMORY


@dataclass(frozen=True, slots=True)
class Compare:
    file: str
    rtol: float = 1e-4
    atol: float = 1e-6


@dataclass(frozen=True, slots=True)
class Policy:
    """How observations become verdicts. The patterns are regular expressions that compile."""

    old_if: str | None = None
    new_if: str | None = None
    skip_if: str | None = None
    other_failure: Reaction = Reaction.SKIP
    on_timeout: Reaction = Reaction.SKIP
    on_memory: Reaction = Reaction.SKIP
    on_install_failure: Reaction = Reaction.SKIP
    runs: Runs | None = None
    """None: once, until a contradiction shows that once is not enough."""
    metric: Metric | None = None
    compare: Compare | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """One key of the matrix: `python` or `env.NAME`."""

    key: str
    values: tuple[str, ...]


_FOR_PEOPLE = ("name", "description", "base", "origin")


@dataclass(frozen=True, slots=True)
class Recipe:
    repo: str
    """As written; `location` is where it is."""
    old: str
    """The ref of the old end, or AUTO."""
    new: str
    repro: Repro
    format: int = 1
    name: str = ""
    description: str | None = None
    base: Path | None = None
    """The folder that relative paths start from: the recipe file's."""
    origin: OriginKind = OriginKind.FILE
    find: Find = Find.REGRESSION
    terms: Terms = _GOOD_BAD
    history: History = History.FULL
    paths: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    python: str | None = None
    install: Install = Install()
    dependencies: Dependencies = Dependencies()
    pins: tuple[Pin, ...] = ()
    fixups: tuple[Fixup, ...] = ()
    overlay: tuple[Overlay, ...] = ()
    verdict: Policy = Policy()
    limits: Limits = _LIMITS
    matrix: tuple[Axis, ...] = ()

    @property
    def foreign(self) -> bool:
        return self.origin is not OriginKind.FILE

    @property
    def location(self) -> str:
        """What git can be given: a URL as written, a path counted from the recipe's folder."""
        return from_folder(self.repo, self.base)

    @property
    def index(self) -> Index:
        """The index with its find-links folders counted from the recipe's."""
        written = self.dependencies.index
        return replace(written, find_links=tuple(from_folder(link, self.base) for link in written.find_links))

    @property
    def declared(self) -> bool:
        """Whether the commit's own metadata adds requirements."""
        if self.dependencies.declared is not None:
            return self.dependencies.declared
        return self.install.mode in (InstallMode.EDITABLE, InstallMode.WHEEL)

    @property
    def working(self) -> Judgement:
        """The state in which the repro exits 0."""
        return Judgement.OLD if self.find is Find.REGRESSION else Judgement.NEW

    @property
    def failing(self) -> Judgement:
        return Judgement.NEW if self.find is Find.REGRESSION else Judgement.OLD

    @property
    def digest(self) -> str:
        """Equal for recipes that must give the same answer: words for people and spelling do not count."""
        words = plain_fields(
            replace(self, repo=self.location, dependencies=replace(self.dependencies, index=self.index))
        )
        return digest({key: value for key, value in words.items() if key not in _FOR_PEOPLE})
