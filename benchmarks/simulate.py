"""Plants culprits in histories and lets the real searches find them; only the trial is simulated.

`python -m benchmarks.simulate 1000` makes 1,000 hunts a cell and prints, cell by cell, how many runs it took, what
was claimed and how much of it held. Numbers after that choose cells.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path

from benchmarks.table import Row, Word
from benchmarks.worlds import OLD_END, Cell, Mode, Shape, Trouble, World, make
from bisector.engine.ends import INSIST, PATIENCE, PROOF_RUNS
from bisector.model import Judgement
from bisector.search import stretches
from bisector.search.answers import Contradiction, Found, Try
from bisector.search.flaky import Ask, CannotTell, Flaky, Named, Narrowed, NothingChanged, prepare

BUDGET = 1000
ENOUGH = 1000
"""Hunts a cell from which its figures are held against the targets."""
USUAL = 40
"""Hunts a cell in `make bench`, where BISECTOR_SIMULATE does not say another number."""
WRONG = 0.05


class Kind(Enum):
    RIGHT = "right"
    WRONG = "wrong"
    SUSPECTS = "suspects"
    NOTHING = "nothing changed"
    REFUSED = "ends refused"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True)
class Result:
    kind: Kind
    runs: int
    claimed: float | None
    """None: nothing is claimed, the hunt was as sure as one look and a second."""


def hunt(cell: Cell, seed: int) -> Result:
    """One hunt, the ends and the confirmation counted."""
    world = make(cell, random.Random(f"{cell}, {seed}"))
    if cell.mode is Mode.CONFIDENCE:
        return _asked_for(world)
    bad = [world.run(world.tip) for _ in range(PROOF_RUNS)]
    good = world.run(OLD_END)
    if Judgement.NEW not in bad or good is Judgement.NEW:
        return Result(Kind.REFUSED, len(world.seen), None)
    if Judgement.OLD not in bad:
        named = _deterministic(world)
        if named is not None:
            return named
    return _uncertain(world, prepare(world.history, OLD_END, budget=BUDGET))


def _asked_for(world: World) -> Result:
    """With a confidence: the bad end until it has failed twice, the good one once, then the search."""
    bad = [world.run(world.tip) for _ in range(PROOF_RUNS)]
    while bad.count(Judgement.NEW) < PROOF_RUNS and len(bad) < INSIST:
        bad += [world.run(world.tip) for _ in range(PATIENCE)]
    if Judgement.NEW not in bad:
        return Result(Kind.REFUSED, len(world.seen), None)
    world.run(OLD_END)
    return _uncertain(world, prepare(world.history, OLD_END, budget=BUDGET))


def _deterministic(world: World) -> Result | None:
    """The plain hunt and its confirmation: the first new commit and the last old ones once more."""
    verdicts: dict[str, Judgement] = {}
    while isinstance(answer := stretches.search(world.history, verdicts), Try):
        verdicts[answer.commits[0]] = world.run(answer.commits[0])
    if isinstance(answer, Contradiction):
        return None
    if not isinstance(answer, Found):
        return Result(_holds(world, answer.commits, Kind.SUSPECTS), len(world.seen), None)
    again = world.run(answer.commit)
    parents = [world.run(parent) for parent in world.history.parents_of(answer.commit) or (OLD_END,)]
    if again is Judgement.OLD or Judgement.NEW in parents:
        return None
    return Result(_holds(world, (answer.commit,), Kind.RIGHT), len(world.seen), None)


def _uncertain(world: World, search: Flaky) -> Result:
    """Goes on from what was seen, until somebody is named, or nobody can be."""
    while isinstance(answer := search.search(world.seen), Ask):
        for _ in range(answer.runs):
            world.run(answer.commit)
    runs = len(world.seen)
    match answer:
        case Named(commit, probability):
            return Result(_holds(world, (commit,), Kind.RIGHT), runs, probability)
        case Narrowed(commits, probability):
            return Result(_holds(world, commits, Kind.SUSPECTS), runs, probability)
        case NothingChanged(probability):
            same = world.cell.new == world.cell.old
            return Result(Kind.NOTHING if same else Kind.WRONG, runs, probability)
        case CannotTell():
            return Result(Kind.CANNOT_TELL, runs, None)


def _holds(world: World, commits: Collection[str], kind: Kind) -> Kind:
    """`kind`, if the culprit is among these and there is one."""
    there = world.cell.new > world.cell.old and world.history.sha(world.culprit) in commits
    return kind if there else Kind.WRONG


RATES = ((1.0, 0.0, 15), (0.9, 0.0, None), (0.9, 0.1, 28), (0.7, 0.3, 160), (0.5, 0.0, 55), (0.2, 0.0, 150))
UNTUNED = ((0.95, 0.02), (0.8, 0.05), (0.35, 0.0), (1.0, 0.2), (0.6, 0.2))
"""Rates that nobody looked at when the prior was set."""


def cells() -> Iterator[Cell]:
    for mode in Mode:
        for new, old, target in RATES:
            yield Cell(new, old, mode=mode, target=target if mode is Mode.CONFIDENCE or new == 1 else None)
    for commits, shape in (
        (64, Shape.LINEAR),
        (4096, Shape.LINEAR),
        (64, Shape.MERGED),
        (1024, Shape.MERGED),
        (4096, Shape.MERGED),
    ):
        for new, old, _ in RATES:
            yield Cell(new, old, commits, shape)
    for trouble in list(Trouble)[1:]:
        for new, old in ((1.0, 0.0), (0.9, 0.1), (0.5, 0.0)):
            yield Cell(new, old, trouble=trouble)
        yield Cell(1.0, 0.0, trouble=trouble, mode=Mode.DEFAULT)
    for mode in Mode:
        for rate in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0):
            yield Cell(rate, rate, mode=mode)
    for new, old in UNTUNED:
        yield Cell(new, old)


def figures(cell: Cell, results: Sequence[Result]) -> tuple[Row, Row]:
    """How many runs it took, and how often somebody was wronged; held against the targets where there are enough."""
    median = statistics.median(result.runs for result in results)
    claims = [result for result in results if result.claimed is not None]
    endings = ", ".join(
        f"{100 * count / len(results):.1f}% {kind.value}"
        for kind in Kind
        if (count := sum(result.kind is kind for result in results))
    )
    if claims:
        mean = statistics.mean(result.claimed for result in claims if result.claimed is not None)
        held = sum(result.kind is not Kind.WRONG for result in claims) / len(claims)
        endings += f"; claimed {100 * mean:.1f}%, held {100 * held:.1f}%"
    judged = [result for result in results if result.claimed is not None or cell.new == cell.old]
    wrong = sum(result.kind is Kind.WRONG for result in judged) / max(len(judged), 1)
    limit = 0.0 if (cell.new, cell.old) == (1.0, 0.0) else WRONG
    enough = len(results) >= ENOUGH
    return (
        Row(
            f"{cell}: runs, median of {len(results)}",
            f"{median:g}",
            f"<= {cell.target}" if cell.target else "",
            _word(median <= cell.target) if cell.target and enough else Word.SHOWN,
        ),
        Row(
            f"{cell}: wrong",
            f"{100 * wrong:.1f}% ({endings})",
            f"<= {100 * limit:g}%",
            _word(wrong <= limit) if enough else Word.SHOWN,
        ),
    )


def _word(met: bool) -> Word:
    return Word.MET if met else Word.MISSED


def simulated(hunts: int, chosen: Sequence[Cell]) -> Iterator[tuple[Row, Row]]:
    """Cell by cell, on all processors."""
    with ProcessPoolExecutor() as pool:
        for cell in chosen:
            yield figures(cell, list(pool.map(partial(hunt, cell), range(hunts), chunksize=5)))


def rows(folder: Path) -> list[Row]:
    """`folder` is not needed: nothing is run, nothing is written."""
    hunts = int(os.environ.get("BISECTOR_SIMULATE", USUAL))
    return [row for both in simulated(hunts, list(cells())) for row in both]


def main(hunts: int, only: Collection[int]) -> None:
    chosen = [cell for number, cell in enumerate(cells()) if not only or number in only]
    for both in simulated(hunts, chosen):
        for row in both:
            print(f"{row.figure:70} {row.target:>7} {row.word.value:7} {row.measured}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else USUAL, [int(number) for number in sys.argv[2:]])
