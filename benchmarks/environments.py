"""Hunts whose environments hold numpy, scipy and pandas, beside scripts that install by pip at each commit.

Where BISECTOR_BENCH_MIRRORS names a folder of real mirrors (`owner+name/repo` each), on those too.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import heavy, plain_pip
from benchmarks.clock import BISECTOR, rest, run
from benchmarks.heavy import Case
from benchmarks.plain_pip import Bisected
from benchmarks.records import accounts, running
from benchmarks.table import Row, at_least, at_most, shown
from bisector.environments.budget import bytes_below
from bisector.model import Account

COMMITS = 1000
FASTER_THAN_FRESH = 20
FASTER_THAN_SHARED = 4
WARM_PYTHONPATH = 50
WARM_EDITABLE = 80
"""Milliseconds."""
TRIALS = 200
ADDED = 60
"""MiB."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Where one case is measured. The download caches are warm for all, as `variables` name them."""

    folder: Path
    python: str

    @property
    def variables(self) -> dict[str, str]:
        return {
            "UV_CACHE_DIR": str(self.folder / "uv-cache"),
            "PIP_CACHE_DIR": str(self.folder / "pip-cache"),
        }

    def hunt(self, case: Case, state: str, *options: str) -> tuple[float, Account]:
        """Its seconds and what it left; another culprit than the known one ends the benchmark."""
        recipe = self.folder / f"{case.name}-{state}.yaml"
        recipe.write_text(case.recipe(self.python))
        argv = [BISECTOR, "run", str(recipe), "--state", str(self.folder / state), "--quiet", *options]
        began = time.perf_counter()
        run(argv, self.folder, self.variables)
        taken = time.perf_counter() - began
        account = accounts(self.folder / state)[0]
        if account.culprit is None or account.culprit.commit.sha != case.culprit:
            raise SystemExit(f"benchmark: {case.name} ended otherwise than is known: {account.message}")
        return taken, account


def rows(folder: Path) -> Sequence[Row]:
    python = str(Path(sys.executable).resolve())
    project = heavy.generated(folder / "project", COMMITS)
    desk = _desk(folder / "generated", python)
    found = [*_beside_pip(desk, project), *_warm(desk, project), _disk(desk, project)]
    mirrors = os.environ.get("BISECTOR_BENCH_MIRRORS")
    for case in heavy.real(Path(mirrors)) if mirrors else ():
        desk = _desk(folder / case.name, python)
        found += [*_beside_pip(desk, case), *_warm(desk, case)]
    return found


def _desk(folder: Path, python: str) -> Desk:
    folder.mkdir()
    return Desk(folder, python)


def _beside_pip(desk: Desk, case: Case) -> list[Row]:
    """The first hunt fills the download cache, the second makes its layers, the third has them; two workers again.

    A hunt is over before a busy moment of the machine is, plain pip's outlasts many of them: ours is measured before,
    between and after the two. Each begins on a disk at rest.
    """
    plain = plain_pip.prepare(desk.folder / "plain", case, desk.python, desk.variables)
    desk.hunt(case, "downloading")
    first = _hunted(desk, case, "state")
    fresh = plain.with_fresh()
    second = _hunted(desk, case, "second")
    shared = plain.with_shared()
    rounds = (first, second, _hunted(desk, case, "third"))
    cold, warm = (statistics.median(seconds) for seconds in zip(*rounds, strict=True))
    cold_by_two, _ = desk.hunt(case, "two", "--jobs", "2")
    warm_by_two, account = desk.hunt(_another(case), "two", "--jobs", "2")
    return [
        at_least(
            f"{case.name}: virtualenv and pip install a commit / hunt, first of its kind",
            fresh.seconds / cold,
            FASTER_THAN_FRESH,
            "times",
            _note(fresh, [one[0] for one in rounds]),
        ),
        shown(
            f"{case.name}: virtualenv and pip install a commit / hunt, layers there",
            fresh.seconds / warm,
            "times",
        ),
        shown(
            f"{case.name}: the same, two workers (--jobs 2), first of its kind",
            fresh.seconds / cold_by_two,
            "times",
        ),
        shown(
            f"{case.name}: the same, two workers, layers there",
            fresh.seconds / warm_by_two,
            "times",
        ),
        at_least(
            f"{case.name}: pip install -e . into one shared environment / hunt, layers there",
            shared.seconds / warm,
            FASTER_THAN_SHARED,
            "times",
            _note(shared, [one[1] for one in rounds]),
        ),
        shown(f"{case.name}: the repro alone", 1000 * _repro(account), "ms", "median"),
    ]


def _hunted(desk: Desk, case: Case, state: str) -> tuple[float, float]:
    """The seconds of a first hunt of its kind, and of another one with its layers."""
    rest()
    cold, _ = desk.hunt(case, state)
    rest()
    warm, _ = desk.hunt(_another(case), state)
    return cold, warm


def _another(case: Case) -> Case:
    """The same hunt, with nothing of an earlier one's answers to reuse."""
    return replace(case, repro=f"# once more\n{case.repro}")


def _note(plain: Bisected, ours: Sequence[float]) -> str:
    each = ", ".join(f"{seconds:.1f}" for seconds in ours)
    return f"{plain.trials} trials in {plain.seconds:.1f} s / median of {each} s"


def _repro(account: Account) -> float:
    return statistics.median(running(judged.trial) for judged in account.trials)


def _warm(desk: Desk, case: Case) -> list[Row]:
    """What the environment of a trial costs once the layers are there, in both modes where both are asked."""
    found = []
    for asked, limit in ((case, WARM_EDITABLE), (case.on_pythonpath(), WARM_PYTHONPATH)):
        if asked.path is None or asked is not case:
            named = replace(asked, name=f"{case.name} {asked.path}")
            desk.hunt(named, "modes")
            _, account = desk.hunt(_another(named), "modes")
            costs = [1000 * judged.trial.install_seconds for judged in account.trials]
            mode = "editable" if asked.path is None else "pythonpath"
            found.append(
                at_most(
                    f"{case.name}: environment of a warm trial, {mode}",
                    statistics.median(costs),
                    limit,
                    "ms",
                    f"median of {len(costs)}, {min(costs):.0f} to {max(costs):.0f}",
                )
            )
    return found


def _disk(desk: Desk, project: Case) -> Row:
    """Hunts for one culprit after another, until enough commits had an environment in them."""
    state = desk.folder / "state"
    before, tried, number = bytes_below(state), 0, 0
    while tried < TRIALS:
        number += 67
        sha = run(["git", "rev-parse", f"main~{COMMITS - number}"], project.repository).strip()
        asked = replace(project, name=f"disk {number}", culprit=sha, repro=heavy.asks(number))
        _, account = desk.hunt(asked, "state")
        tried += len(account.trials)
    added = (bytes_below(state) - before) / 2**20
    return at_most(
        f"disk that {TRIALS} commits add", added, ADDED, "MiB", f"{tried} trials, {number // 67} hunts"
    )
