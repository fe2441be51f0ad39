"""A history of 100,000 commits: what bisector itself takes of memory, and how long it plans."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.clock import PYTHON, seconds
from benchmarks.table import Row, at_most, shown
from bisector import demo
from bisector.git import commits
from bisector.git.mirror import Mirror
from bisector.git.refs import resolve
from bisector.git.source import locate
from bisector.history import build, expected_trials

COMMITS = 100_000
PEAK = 300
"""MiB."""
TIMES = 2
ROOT = Path(__file__).parent.parent


def rows(folder: Path) -> Sequence[Row]:
    made = demo.make(folder / "large", COMMITS)
    recipe = folder / "large.yaml"
    recipe.write_text(made.recipe)
    hunt, peak = _hunt(folder, recipe)
    ours = _plan(folder, made.repository)
    start = seconds(["git", "bisect", "start", "--no-checkout", "main", "v1.0"], made.repository)
    count = seconds(["git", "rev-list", "--count", "v1.0..main"], made.repository)
    theirs = start + count
    note = f"{ours:.2f} s beside {theirs:.2f} s"
    of = f"on {COMMITS:,} commits"
    return [
        at_most(f"bisector's peak memory, {of}", peak / 2**20, PEAK, "MiB"),
        at_most(f"planning / git bisect start + rev-list --count, {of}", ours / theirs, TIMES, "times", note),
        shown(f"the whole hunt, {of}", hunt, "s"),
    ]


def _hunt(folder: Path, recipe: Path) -> tuple[float, int]:
    """A whole hunt; its seconds and the peak memory of its process."""
    told, state = folder / "peak", str(folder / "large-state")
    argv = [PYTHON, "-m", "benchmarks.witness", str(told), "run", str(recipe), "--state", state, "--quiet"]
    taken = seconds(argv, folder, {"PYTHONPATH": str(ROOT)})
    return taken, int(told.read_text())


def _plan(folder: Path, repository: Path) -> float:
    """What a hunt works out before its first trial, from a mirror that is there: ends, graph, expectation."""
    source = locate(str(repository), None)
    mirror = Mirror(folder / "large-state" / "mirrors" / source.key, source, dict(os.environ))
    began = time.perf_counter()
    new = resolve(mirror, "main", print)
    old = resolve(mirror, "v1.0", print, tip=new)
    if not commits.is_ancestor(mirror.git, old, new):
        raise SystemExit("benchmark: the generated history is not what it should be")
    expected_trials(len(build(commits.parents(mirror.git, new, [old]))))
    return time.perf_counter() - began
