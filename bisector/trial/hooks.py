"""What interpreters of a trial's environment are made to run at their start."""

from __future__ import annotations

from pathlib import Path

from bisector.environments import Ready
from bisector.process.leftovers import is_below

HOOK = "_bisector_hook"
WITNESS = "_bisector_witness"
READER = "_bisector_reader"


def hook(ready: Ready, scratch: Path, module: str, source: str) -> None:
    """Python source that every interpreter of this trial's environment runs before anything else."""
    for site in ready.venv.glob("lib/python*/site-packages"):
        for name, text in ((f"{module}.py", source), (f"{module}.pth", f"import {module}\n")):
            # The proof or a run has been here: what either laid in the way must not be followed.
            if is_below(site, scratch):
                (site / name).unlink(missing_ok=True)
                (site / name).write_text(text, encoding="utf-8")
