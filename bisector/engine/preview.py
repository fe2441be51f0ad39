"""What a hunt would do, before anything runs: how much is in question, which commits get which environment.

Reads the mirror; judges nothing and runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from bisector.engine import narrow
from bisector.engine.account import ENDS_AND_PROOF
from bisector.engine.ends import relate
from bisector.git import commits
from bisector.git.membership import Membership
from bisector.git.mirror import Mirror, Say
from bisector.git.refs import resolve
from bisector.history import History, build, expected_trials
from bisector.model import Commit, End, EnvironmentRequest
from bisector.plan import environment, package_of
from bisector.recipe.alterations import Pin
from bisector.recipe.schema import AUTO, Recipe
from bisector.recipe.schema import History as Way
from bisector.report.figures import counted


@dataclass(frozen=True, slots=True)
class Stretch:
    """Commits with the same pins, and the environment that these make."""

    commits: int
    first: str
    last: str
    pins: tuple[int, ...]
    ends: tuple[str, ...]
    """The ends and merge bases that have these pins too, in words."""
    request: EnvironmentRequest


@dataclass(frozen=True, slots=True)
class Preview:
    old: End | None
    """None: `auto`, to be looked for."""
    new: End
    named: tuple[Commit, ...]
    """The ends that are known, as commits."""
    bases: tuple[str, ...]
    commits: int
    skipped: int
    expected: int
    """Trials of the search alone."""
    stretches: tuple[Stretch, ...]
    remarks: tuple[str, ...]

    @property
    def trials(self) -> int:
        return self.expected + ENDS_AND_PROOF + len(self.bases)


def preview(recipe: Recipe, mirror: Mirror, say: Say) -> Preview:
    """EndpointFault where the ends cannot be what they are said to be."""
    new = resolve(mirror, recipe.new, say)
    old = None if recipe.old == AUTO else resolve(mirror, recipe.old, say, tip=new)
    bases = () if old is None else relate(mirror, recipe, old, new)
    olds = [] if old is None else [old, *bases]
    first_parent = recipe.history is not Way.FULL
    history = build(narrow.candidates(mirror.git, new, olds, first_parent=first_parent, paths=recipe.paths))
    count = len(history)
    held = _Held(recipe, mirror, history, new, olds)
    skips = narrow.known_skips(mirror, recipe.skip, history)
    return Preview(
        old=None if old is None else End(recipe.old, old),
        new=End(recipe.new, new),
        named=tuple(commits.read(mirror.git, [new] if old is None else [old, new])),
        bases=bases,
        commits=count,
        skipped=len(skips),
        expected=expected_trials(count - len(skips)),
        stretches=held.stretches(),
        remarks=(*_skipping_nothing(recipe, mirror, history), *held.remarks()),
    )


def _skipping_nothing(recipe: Recipe, mirror: Mirror, history: History) -> Iterator[str]:
    for number, revs in enumerate(recipe.skip):
        if not narrow.known_skips(mirror, [revs], history):
            yield f"skip.{number} ({revs}) names no commit in question"


class _Held:
    """Which pins hold where: for the commits in question, and for the ends beside them."""

    def __init__(
        self, recipe: Recipe, mirror: Mirror, history: History, new: str, olds: Sequence[str]
    ) -> None:
        self._recipe = recipe
        self._mirror = mirror
        self._history = history
        self._olds = olds
        self._membership = Membership(mirror.git, mirror.source.key)
        asked = set(history)
        self._members = [self._membership.among(pin.where, new, olds) & asked for pin in recipe.pins]
        self._outside = {commit.sha: self._pins_of(commit) for commit in commits.read(mirror.git, list(olds))}

    def _pins_of(self, commit: Commit) -> tuple[int, ...]:
        pins = enumerate(self._recipe.pins)
        return tuple(number for number, pin in pins if self._membership.holds(pin.where, commit))

    def stretches(self) -> tuple[Stretch, ...]:
        """Oldest first; the commits of one may lie apart where history has side branches."""
        found: dict[tuple[int, ...], list[str]] = {}
        for pins in self._outside.values():
            found.setdefault(pins, [])
        for sha in self._history:
            pins = tuple(number for number, members in enumerate(self._members) if sha in members)
            found.setdefault(pins, []).append(sha)
        return tuple(self._stretch(pins, shas) for pins, shas in found.items())

    def _stretch(self, pins: tuple[int, ...], shas: Sequence[str]) -> Stretch:
        own = [sha for sha, held in self._outside.items() if held == pins]
        words = tuple(self._end_in_words(sha) for sha in own)
        some = [*own, *shas]
        [newest] = commits.read(self._mirror.git, [some[-1]])
        request = environment(self._recipe, newest, [self._recipe.pins[number] for number in pins])
        return Stretch(len(shas), some[0], some[-1], pins, words, request)

    def _end_in_words(self, sha: str) -> str:
        return f"the {self._recipe.terms.old} end" if sha == self._olds[0] else f"merge base {sha[:10]}"

    def remarks(self) -> Iterator[str]:
        """Pins that hold nowhere, and where two of them meet."""
        pins = self._recipe.pins
        everywhere = [
            members | {sha for sha, held in self._outside.items() if number in held}
            for number, members in enumerate(self._members)
        ]
        for number, members in enumerate(everywhere):
            if not members:
                yield f"pins.{number} holds for no commit of the range"
        for one, other in combinations(range(len(pins)), 2):
            count = len(everywhere[one] & everywhere[other])
            if count:
                both = f"pins.{one} and pins.{other} both hold for {counted(count, 'commit')}"
                yield f"{both}: {_meeting(one, other, pins)}"


def _meeting(one: int, other: int, pins: Sequence[Pin]) -> str:
    """What comes of two pins where both hold: the later one wins."""
    replaced = sorted(_subjects(pins[one]) & _subjects(pins[other]))
    if not replaced:
        return "they add up"
    return f"there pins.{other} decides on {', '.join(replaced)}"


def _subjects(pin: Pin) -> set[str]:
    """What a pin says something about."""
    about = {package_of(text) for text in pin.requirements}
    about |= {f"{package_of(text)} (build)" for text in pin.build_requirements}
    about |= {"python"} if pin.python else set()
    return about | ({"build_isolation"} if pin.build_isolation is not None else set())
