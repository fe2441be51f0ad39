"""A history of 100,000 commits: what bisector itself takes of memory, and how long it plans."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.clock import BISECTOR, PYTHON, seconds
from benchmarks.table import Row, at_most, shown
from bisector import demo

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
    ours = seconds([BISECTOR, "check", str(recipe), "--state", str(folder / "large-state")], folder)
    start = seconds(["git", "bisect", "start", "--no-checkout", "main", "v1.0"], made.repository)
    count = seconds(["git", "rev-list", "--count", "v1.0..main"], made.repository)
    theirs = start + count
    note = f"{ours:.2f} s beside {theirs:.2f} s"
    of = f"on {COMMITS:,} commits"
    return [
        at_most(f"bisector's peak memory, {of}", peak / 2**20, PEAK, "MiB"),
        at_most(
            f"bisector check / git bisect start + rev-list --count, {of}", ours / theirs, TIMES, "times", note
        ),
        shown(f"the whole hunt, {of}", hunt, "s"),
    ]


def _hunt(folder: Path, recipe: Path) -> tuple[float, int]:
    """A whole hunt; its seconds and the peak memory of its process."""
    told, state = folder / "peak", str(folder / "large-state")
    argv = [PYTHON, "-m", "benchmarks.witness", str(told), "run", str(recipe), "--state", state, "--quiet"]
    taken = seconds(argv, folder, {"PYTHONPATH": str(ROOT)})
    return taken, int(told.read_text())
