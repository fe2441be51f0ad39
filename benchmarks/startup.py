"""How long somebody waits for `--help`, beside what the interpreter alone takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.clock import BISECTOR, PYTHON, interleaved
from benchmarks.table import Row, at_most

ROUNDS = 25
TIMES = 10


def rows(folder: Path) -> Sequence[Row]:
    ours, bare = interleaved([[BISECTOR, "--help"], [PYTHON, "-c", "pass"]], folder, ROUNDS)
    note = f"{ours * 1000:.0f} ms beside {bare * 1000:.0f} ms"
    return [at_most("bisector --help / python -c pass", ours / bare, TIMES, "times", note)]
