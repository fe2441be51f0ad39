"""Regular expressions of a recipe, bounded in time: they run in a process that can be ended."""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from pathlib import Path

from bisector import process
from bisector.oracles.patterns import LONGEST_TEXT, SearchResult, TookTooLong, from_json

PATIENCE = 10.0
"""Seconds that a pattern may take over one run's output."""


@lru_cache(maxsize=256)
def patient_search(pattern: str, text: str) -> SearchResult:
    """The same output is looked at more than once: while it is measured, when it is judged, when it is told."""
    asked = json.dumps({"pattern": pattern, "text": text[-LONGEST_TEXT:]}).encode()
    ended = process.run(
        [sys.executable, "-I", "-m", "bisector.oracles.patterns"],
        cwd=Path("/"),
        env={},
        stdin=asked,
        timeout=PATIENCE,
    )
    if isinstance(ended, process.ProgramMissing) or not ended.ok:
        return TookTooLong(PATIENCE)
    return from_json(ended.stdout)
