"""No commit but a release: what changed in the environment is narrowed to one package, then to one release.

Every trial is of one fixed commit; nothing changes between two of them but packages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from packaging.version import InvalidVersion, Version

from bisector.engine.crossing import Doubtful, EnvironmentDecides, runs_of, states_in_words
from bisector.engine.exact import (
    Difference,
    Exact,
    asking_for,
    differences,
    environment_of,
    in_words,
    moved,
    with_line,
)
from bisector.engine.hunter import Hunter
from bisector.environments import Between
from bisector.errors import MachineFault
from bisector.model import AsOf, DependencyChange, Judgement, Purpose, Trouble, Untestable
from bisector.plan import TrialRequest

MOST_PARTS = 12
"""Ways tried to split what changed, where most of them cannot be tested."""

Differences = tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class ReleaseFound:
    change: DependencyChange
    message: str


def blame(hunter: Hunter, decided: EnvironmentDecides, new: str) -> ReleaseFound | Doubtful:
    """The one release that makes the difference, confirmed beside the one before it."""
    fixed = _Fixed(hunter, decided.parent.trial.commit, runs_of(decided.parent))
    cause = _one(fixed, decided.here, decided.there)
    if isinstance(cause, Doubtful):
        return cause
    changed = in_words(differences(decided.here, decided.there))
    hunter.notice(
        f"the search ended at {decided.culprit.trial.commit[:12]} because trials had {changed} from there on; "
        "its code makes no difference"
    )
    if cause.before or cause.with_it:
        hunter.notice(f"{cause.lead.words} together with {in_words((*cause.before, *cause.with_it))}")
    change = DependencyChange(cause.lead.name, cause.lead.old, cause.lead.new)
    if cause.is_numbered:
        change = _Releases(fixed, cause, decided).between(change)
    _tell_elsewhere(hunter, decided, cause, change, new)
    doubt = _confirmed(fixed, cause, change)
    if doubt is not None:
        return doubt
    does = "breaks" if states_in_words(hunter)[Judgement.NEW] == "fails" else "repairs"
    return ReleaseFound(
        change,
        f"{change.name} {change.good} -> {change.bad} {does} every commit it was tried with; "
        "no commit of this repository is to blame",
    )


@dataclass(frozen=True, slots=True)
class _Cause:
    """`lead` turns the verdict; `with_it` had to move along, `before` was moved and alone changes nothing."""

    here: Exact
    there: Exact
    lead: Difference
    with_it: Differences
    before: Differences

    @property
    def is_numbered(self) -> bool:
        """Whether there may be releases in between."""
        try:
            return self.lead.is_package and Version(self.lead.old) != Version(self.lead.new)
        except InvalidVersion:
            return False

    def at(self, version: str) -> Exact:
        """The fixed commit's environment with that release."""
        along = () if version == self.lead.old else self.with_it
        return self.placed(moved(self.here, self.there, (*self.before, *along)), version)

    def placed(self, base: Exact, version: str) -> Exact:
        """Any environment with that release; it may be none at all, a URL or an interpreter."""
        side = {self.lead.old: self.here, self.lead.new: self.there}.get(version)
        if not self.lead.is_package:
            return replace(base, python=side.python, version=side.version) if side else base
        line = f"{self.lead.name}=={version}" if side is None else side.lines.get(self.lead.name)
        return with_line(base, self.lead.name, line)


@dataclass(frozen=True, slots=True)
class _Fixed:
    """One commit, tried in one environment after the other."""

    hunter: Hunter
    commit: str
    runs: int

    def judge(self, exact: Exact, label: str) -> Judgement:
        return self._judge(
            asking_for(self.hunter.request(self.commit, self.runs, Purpose.CROSS), exact), label
        )

    def judge_release(self, exact: Exact, label: str, more: int = 0) -> Judgement:
        """A release in between may need what neither side has: then with what it requires."""
        asked = asking_for(self.hunter.request(self.commit, self.runs + more, Purpose.CROSS), exact)
        judgement = self._judge(asked, label)
        if judgement is not Judgement.SKIP:
            return judgement
        resolved = replace(asked.environment, exact=False, as_of=AsOf.LATEST)
        return self._judge(replace(asked, environment=resolved), f"{label} and what it requires")

    def _judge(self, asked: TrialRequest, label: str) -> Judgement:
        judgement = self.hunter.make(asked, Purpose.CROSS, label).verdict.judgement
        return Judgement.SKIP if judgement is Judgement.ERROR else judgement


def _one(fixed: _Fixed, here: Exact, there: Exact) -> _Cause | Doubtful:
    """Halving what differs."""
    before: Differences = ()
    rest = differences(here, there)
    # Invariant: `here` with `before` moved is old; with `rest` moved as well it is new.
    while len(rest) > 1:
        split = _split(fixed, here, there, before, rest)
        if split is None:
            break
        before, rest = split
    # What came or went with a release that needs it, or no longer does, is not what did it.
    leads = [one for one in rest if one.here is not None and one.there is not None] if rest[1:] else [*rest]
    if len(leads) != 1:
        return Doubtful(
            f"the environment decides, no commit; which package cannot be told, one of: {in_words(rest)}"
        )
    if before and fixed.judge(moved(here, there, rest), f"{in_words(rest, 1)} alone") is Judgement.NEW:
        before = ()
    return _Cause(here, there, leads[0], tuple(one for one in rest if one != leads[0]), before)


def _split(
    fixed: _Fixed, here: Exact, there: Exact, before: Differences, rest: Differences
) -> tuple[Differences, Differences] | None:
    """The first part of `rest` that can be tested by itself shows on which side of it the cause lies."""
    for part in islice(_parts(rest), MOST_PARTS):
        judgement = fixed.judge(moved(here, there, (*before, *part)), in_words(part, 2))
        if judgement is Judgement.NEW:
            return before, part
        if judgement is Judgement.OLD:
            return (*before, *part), tuple(one for one in rest if one not in part)
    return None


def _parts(rest: Differences) -> Iterator[Differences]:
    """Both halves, then each one and all but one: packages may be usable only together."""
    half = len(rest) // 2
    yield rest[:half]
    yield rest[half:]
    for one in rest if len(rest) > 2 else ():
        yield (one,)
        yield tuple(other for other in rest if other != one)


@dataclass(frozen=True, slots=True)
class _Releases:
    """Bisects the releases of one package at the fixed commit."""

    fixed: _Fixed
    cause: _Cause
    decided: EnvironmentDecides

    def between(self, change: DependencyChange) -> DependencyChange:
        """The nearest two releases that differ; what lies between them then cannot be tested."""
        skipped: set[str] = set()
        # Asked again inside: sources are offered only where no wheel is.
        while offered := [one for one in self._offered(change) if one not in skipped]:
            change, skips = self._bisect(change, offered)
            skipped |= skips
        inside = sorted((one for one in skipped if _lies_within(one, change)), key=Version)
        if inside:
            self.fixed.hunter.notice(
                f"{change.name} {', '.join(inside)} cannot be tested: it may have begun there already"
            )
        return change

    def _bisect(self, change: DependencyChange, offered: Sequence[str]) -> tuple[DependencyChange, set[str]]:
        backwards = Version(change.good) > Version(change.bad)
        line = [change.good, *sorted(offered, key=Version, reverse=backwards), change.bad]
        low, high = 0, len(line) - 1
        skipped: set[str] = set()
        # Invariant: line[low] is old, line[high] is new.
        while places := [place for place in range(low + 1, high) if line[place] not in skipped]:
            middle = min(places, key=lambda place: abs(2 * place - low - high))
            version = line[middle]
            judgement = self.fixed.judge_release(self.cause.at(version), f"{change.name} {version}")
            if judgement is Judgement.OLD:
                low = middle
            elif judgement is Judgement.NEW:
                high = middle
            else:
                skipped.add(version)
        return DependencyChange(change.name, line[low], line[high]), skipped

    def _offered(self, change: DependencyChange) -> Sequence[str]:
        """By the culprit's rules on its own date, or the fixed commit's where that is the later one."""
        hunter = self.fixed.hunter
        asked = asking_for(hunter.request(self.fixed.commit), self.cause.at(change.good))
        culprit = hunter.commit(self.decided.culprit.trial.commit)
        later = max(culprit.commit_date, asked.environment.commit_date)
        asked = replace(asked, environment=replace(asked.environment, commit_date=later))
        offered = hunter.releases(Between(change.name, change.good, change.bad), asked)
        if isinstance(offered, Trouble):
            raise MachineFault(offered.reason, "the same command goes on from here once that is mended")
        if isinstance(offered, Untestable):
            hunter.notice(f"the releases of {change.name} in between are not known: {offered.reason}")
            return ()
        return offered


def _lies_within(version: str, change: DependencyChange) -> bool:
    low, high = sorted((Version(change.good), Version(change.bad)))
    return low < Version(version) < high


def _confirmed(fixed: _Fixed, cause: _Cause, change: DependencyChange) -> Doubtful | None:
    """Both neighbours once more, with more runs than were made before; None: as said."""
    for version, expected in ((change.good, Judgement.OLD), (change.bad, Judgement.NEW)):
        judgement = fixed.judge_release(cause.at(version), f"{change.name} {version} again", more=1)
        if judgement is not expected:
            terms = fixed.hunter.recipe.terms
            return Doubtful(
                f"the environment decides, no commit; but {change.name} {version} was {terms.name(expected)} "
                f"at {fixed.commit[:12]} and on a second look is {terms.name(judgement)}"
            )
    return None


def _tell_elsewhere(
    hunter: Hunter, decided: EnvironmentDecides, cause: _Cause, change: DependencyChange, new: str
) -> None:
    """What taking the release back does where the search ended, and at the new end."""
    culprit = decided.culprit.trial
    ends = (one.trial for one in hunter.told if one.trial.purpose is Purpose.END and one.trial.commit == new)
    at_end = next(ends, culprit)
    places = {culprit.commit[:12]: culprit, f"the {hunter.recipe.terms.new} end": at_end}
    told: list[tuple[str, str]] = []
    for name, trial in places.items():
        if trial.environment is not None and trial.commit not in [commit for commit, _ in told]:
            base = environment_of(hunter.request(trial.commit), trial.environment)
            fixed = _Fixed(hunter, trial.commit, runs_of(decided.culprit))
            judgement = fixed.judge_release(cause.placed(base, change.good), f"{change.name} {change.good}")
            does = states_in_words(hunter).get(judgement, "cannot be tested")
            told.append((trial.commit, f"it {does} at {name}"))
    hunter.notice(f"with {change.name} {change.good}: {', '.join(words for _, words in told)}")
