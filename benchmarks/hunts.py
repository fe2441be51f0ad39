"""A whole hunt on the demo's history beside plain git, and what bisector itself costs a trial."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks.clock import BISECTOR, run
from benchmarks.plain_git import bisect
from benchmarks.records import accounts, running
from benchmarks.table import Row, at_most, shown
from bisector import demo
from bisector.model import Trial

COMMITS = 500
OWN_COST = 60
"""Milliseconds a trial."""


def rows(folder: Path) -> Sequence[Row]:
    made = demo.make(folder / "demo", COMMITS)
    recipe = folder / "recipe.yaml"
    python = str(Path(sys.executable).resolve())
    recipe.write_text(f"python: {python}\n{made.recipe}")
    state = folder / "state"
    began = time.perf_counter()
    run([BISECTOR, "run", str(recipe), "--state", str(state), "--quiet"], folder)
    seconds = time.perf_counter() - began
    account = accounts(state)[0]
    trials = [judged.trial for judged in account.trials]
    plain = bisect(folder / "plain", made.repository, ("v1.0", "main"), "tally", python, demo.REPRO)
    if account.culprit is None or account.culprit.commit.sha != plain.culprit:
        raise SystemExit(f"benchmark: bisector and git disagree: {account.message}; git: {plain.culprit}")
    each = f"{len(trials)} trials in {seconds:.1f} s beside {plain.trials} in {plain.seconds:.1f} s"
    own = [1000 * cost for cost in own_seconds(trials)]
    spread = f"median of {len(own)}, most {max(own):.0f}"
    return [
        shown("hunt / git bisect run, same install and repro", seconds / plain.seconds, "times", each),
        at_most("bisector's own cost of a trial", statistics.median(own), OWN_COST, "ms", spread),
        *_parts(trials),
    ]


def own_seconds(trials: Sequence[Trial]) -> list[float]:
    """From one trial's start to the next one's, less checkout, install and the runs themselves.

    Judging, recording and git's own steps between two trials count as ours, the cage around a run too.
    """
    return [
        (following.started - trial.started).total_seconds()
        - trial.checkout_seconds
        - trial.install_seconds
        - running(trial)
        for trial, following in pairwise(trials)
    ]


def _parts(trials: Sequence[Trial]) -> list[Row]:
    """Where the rest of a trial goes."""
    parts = {
        "a trial's checkout": [trial.checkout_seconds for trial in trials],
        "a trial's environment, import proven": [trial.install_seconds for trial in trials],
        "a trial's runs": [running(trial) for trial in trials],
    }
    return [shown(name, 1000 * statistics.median(taken), "ms", "median") for name, taken in parts.items()]
