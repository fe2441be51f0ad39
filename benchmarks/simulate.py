"""Plants culprits in histories and lets the real searches find them; only the trial is simulated.

Prints, cell by cell, how many runs it took and how often the wrong commit was named. `simulate.py 1000` makes
1,000 hunts a cell.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from bisector.history import History, build
from bisector.model import Judgement
from bisector.search import stretches
from bisector.search.answers import Contradiction, Found, Try
from bisector.search.belief import Observation
from bisector.search.flaky import Ask, CannotTell, Flaky, Named, Narrowed, NothingChanged, prepare

OLD_END = "f" * 40


class Shape(Enum):
    LINEAR = "linear"
    MERGED = "merged"


class Mode(Enum):
    """Deterministic until the first contradiction, as by default; or uncertain from the first run."""

    DEFAULT = "default"
    CONFIDENCE = "confidence"


class Untestable(Enum):
    NONE = "none"
    TENTH = "10% of the commits"
    FOUR_TENTHS = "40% of the commits"
    STRETCH = "a stretch of an eighth"


@dataclass(frozen=True)
class Cell:
    """What is simulated. `new` and `old` are the rates of failure; equal ones mean that nothing changed."""

    new: float
    old: float
    commits: int = 1024
    shape: Shape = Shape.LINEAR
    untestable: Untestable = Untestable.NONE
    mode: Mode = Mode.CONFIDENCE
    target: int | None = None
    """At most so many runs in the median."""


class Kind(Enum):
    RIGHT = "right"
    WRONG = "wrong"
    SUSPECTS = "suspects"
    NOTHING = "nothing"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True)
class Result:
    kind: Kind
    runs: int
    claimed: float


@dataclass(frozen=True)
class World:
    """The truth of one hunt, and the dice."""

    history: History
    cell: Cell
    culprit: int
    news: bytearray
    skips: frozenset[int]
    dice: random.Random
    seen: list[Observation] = field(default_factory=list)

    def run(self, commit: str) -> Judgement:
        place = self.history.place(commit)
        if place is not None and place in self.skips:
            judgement = Judgement.SKIP
        else:
            rate = self.cell.new if place is not None and self.news[place] else self.cell.old
            judgement = Judgement.NEW if self.dice.random() < rate else Judgement.OLD
        self.seen.append(Observation(commit, judgement))
        return judgement


@lru_cache(maxsize=1)
def linear(commits: int) -> History:
    return build((_sha(number), [_sha(number - 1)] if number else []) for number in range(commits))


def merged(commits: int, dice: random.Random) -> History:
    """Side branches of one to eight commits off a trunk, at times off each other, merged after a while."""
    graph: list[tuple[int, ...]] = [()]
    trunk = 0
    open_branches: list[int] = []
    while len(graph) < commits - 1:
        if open_branches and dice.random() < 0.3:
            parents: tuple[int, ...] = (trunk, open_branches.pop(dice.randrange(len(open_branches))))
            trunk = len(graph)
        elif open_branches and dice.random() < 0.7:
            which = dice.randrange(len(open_branches))
            parents, open_branches[which] = (open_branches[which],), len(graph)
        elif len(open_branches) < 4 and dice.random() < 0.3:
            parents = (trunk,)
            open_branches.append(len(graph))
        else:
            parents, trunk = (trunk,), len(graph)
        graph.append(parents)
    graph.append((trunk, *open_branches))
    return build((_sha(number), [_sha(parent) for parent in parents]) for number, parents in enumerate(graph))


def _sha(number: int) -> str:
    return f"{number + 1:040x}"


def make(cell: Cell, dice: random.Random) -> World:
    history = linear(cell.commits) if cell.shape is Shape.LINEAR else merged(cell.commits, dice)
    culprit = dice.randrange(len(history))
    skips = frozenset(_skips(cell, culprit, dice)) - {len(history) - 1}
    return World(history, cell, culprit, _containing(history, culprit), skips, dice)


def _containing(history: History, culprit: int) -> bytearray:
    news = bytearray(len(history))
    news[culprit] = 1
    for place, parents in enumerate(history.parents):
        if any(news[parent] for parent in parents):
            news[place] = 1
    return news


def _skips(cell: Cell, culprit: int, dice: random.Random) -> Collection[int]:
    if cell.untestable is Untestable.NONE:
        return ()
    if cell.untestable is Untestable.STRETCH:
        length = cell.commits // 8
        start = max(culprit - dice.randrange(2 * length), 0)
        return range(start, min(start + length, cell.commits))
    share = 0.1 if cell.untestable is Untestable.TENTH else 0.4
    return [place for place in range(cell.commits) if dice.random() < share]


def hunt(cell: Cell, seed: int, budget: int = 600) -> Result:
    """One hunt, the ends and the confirmation counted."""
    world = make(cell, random.Random(f"{cell}{seed}"))
    tip = world.history.sha(len(world.history) - 1)
    judged = [world.run(OLD_END), world.run(tip), world.run(tip)]
    if cell.mode is Mode.DEFAULT and judged == [Judgement.OLD, Judgement.NEW, Judgement.NEW]:
        _deterministic(world)
    return _uncertain(world, prepare(world.history, OLD_END, budget=budget))


def _deterministic(world: World) -> None:
    """The plain hunt and its confirmation: the first new commit and the last old ones once more."""
    verdicts: dict[str, Judgement] = {}
    while isinstance(answer := stretches.search(world.history, verdicts), Try):
        verdicts[answer.commits[0]] = world.run(answer.commits[0])
    if isinstance(answer, Contradiction):
        return
    suspects = (answer.commit,) if isinstance(answer, Found) else answer.commits
    world.run(suspects[-1])
    outside = {parent for suspect in suspects for parent in world.history.parents_of(suspect)}.difference(
        suspects
    )
    for parent in sorted(outside) or (OLD_END,):
        world.run(parent)


def _uncertain(world: World, search: Flaky) -> Result:
    """Goes on from what was seen, until somebody is named, or nobody can be."""
    while isinstance(answer := search.search(world.seen), Ask):
        for _ in range(answer.runs):
            world.run(answer.commit)
    runs = len(world.seen)
    if isinstance(answer, Named):
        right = world.cell.new > world.cell.old and answer.commit == world.history.sha(world.culprit)
        return Result(Kind.RIGHT if right else Kind.WRONG, runs, answer.probability)
    if isinstance(answer, Narrowed):
        inside = world.cell.new > world.cell.old and world.history.sha(world.culprit) in answer.commits
        return Result(Kind.SUSPECTS if inside else Kind.WRONG, runs, answer.probability)
    if isinstance(answer, NothingChanged):
        right = world.cell.new == world.cell.old
        return Result(Kind.NOTHING if right else Kind.WRONG, runs, answer.probability)
    assert isinstance(answer, CannotTell)
    return Result(Kind.CANNOT_TELL, runs, 0.0)


RATES = ((1.0, 0.0, 15), (0.9, 0.0, None), (0.9, 0.1, 28), (0.7, 0.3, 160), (0.5, 0.0, 55), (0.2, 0.0, 150))


def cells() -> Iterator[Cell]:
    for mode in Mode:
        for new, old, target in RATES:
            yield Cell(new, old, mode=mode, target=target)
    for commits, shape in (
        (64, Shape.LINEAR),
        (4096, Shape.LINEAR),
        (64, Shape.MERGED),
        (1024, Shape.MERGED),
    ):
        for new, old, _ in RATES:
            yield Cell(new, old, commits, shape, mode=Mode.DEFAULT)
    for new, old in ((1.0, 0.0), (0.9, 0.1), (0.5, 0.0)):
        yield Cell(new, old, 4096, Shape.MERGED, mode=Mode.DEFAULT)
        for untestable in (Untestable.TENTH, Untestable.FOUR_TENTHS, Untestable.STRETCH):
            yield Cell(new, old, untestable=untestable, mode=Mode.DEFAULT)
    for rate in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0):
        yield Cell(rate, rate, mode=Mode.DEFAULT)


HEADING = (
    f"{'rates':9}{'commits':>16} {'mode':11}{'untestable':24}{'runs':>6}{'target':>8}{'claimed':>9}  endings"
)


def row(cell: Cell, results: Sequence[Result]) -> str:
    claims = [result.claimed for result in results if result.kind is not Kind.CANNOT_TELL]
    claimed = f"{statistics.mean(claims):.3f}" if claims else "-"
    endings = ", ".join(
        f"{100 * count / len(results):.1f}% {kind.value}"
        for kind in Kind
        if (count := sum(result.kind is kind for result in results))
    )
    return (
        f"{cell.new:g}/{cell.old:g}".ljust(9)
        + f"{cell.commits} {cell.shape.value}".rjust(16)
        + f" {cell.mode.value:11}{cell.untestable.value:24}"
        + f"{statistics.median(result.runs for result in results):>6g}{cell.target or '-':>8}{claimed:>9}  {endings}"
    )


def main(hunts: int, only: Collection[int]) -> None:
    print(HEADING)
    for number, cell in enumerate(cells()):
        if only and number not in only:
            continue
        started = time.monotonic()
        results = [hunt(cell, seed) for seed in range(hunts)]
        runs = sum(result.runs for result in results)
        print(f"{row(cell, results)}; {1000 * (time.monotonic() - started) / runs:.1f} ms a run", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, [int(number) for number in sys.argv[2:]])
