"""What else is worth saying of a culprit that was proven: where a merge's sides meet, flips, files never loaded.

None of it takes the proof back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from bisector.engine import flips
from bisector.engine.hunter import Hunter
from bisector.engine.looks import Looks
from bisector.engine.meeting import where_sides_meet
from bisector.model import Purpose, Ran, Trial
from bisector.recipe.schema import History as Way

SPEAKS = "PYTHONVERBOSE"
"""With it, Python says what it imports from where."""


def remark(hunter: Hunter, culprit: str, old: str, looks: Looks) -> None:
    commit, git = hunter.commit(culprit), hunter.mirror.git
    if len(commit.parents) > 1 and hunter.recipe.history is Way.FULL:
        hunter.notice(f"of the merge {culprit[:12]}, {where_sides_meet(git, culprit, commit.parents)}")
    flips.tell(hunter, looks.flips, old)
    if looks.unmentioned:
        _doubt_unloaded(hunter, culprit, looks.unmentioned)


def _doubt_unloaded(hunter: Hunter, culprit: str, paths: Sequence[str]) -> None:
    """Where nobody mentions the modules that were changed, Python itself is asked whether they are loaded."""
    asked = hunter.request(culprit)
    repro = replace(asked.repro, env=(*asked.repro.env, (SPEAKS, "1")))
    asked = replace(asked, repro=repro, runs=1, stop_after=None, keep=None, turns=None)
    trial = hunter.make(asked, Purpose.CROSS, "which files it loads").trial
    if loads_none(trial, paths):
        hunter.notice(
            f"the repro loads nothing that {culprit[:12]} changes ({', '.join(paths[:3])}): "
            "doubt the environment or flakiness"
        )


def loads_none(trial: Trial, paths: Sequence[str]) -> bool:
    """Whether it says what it loads of the tree, and none of these files is among it."""
    if not isinstance(trial.outcome, Ran):
        return False
    log, tree = Path(trial.log), trial.outcome.places.tree
    said = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    names = [PurePosixPath(path).stem for path in paths]
    loaded = any(f"{tree}/{path}" in said for path in paths)
    # A loader of its own, like pytest's for tests, tells the name alone.
    imported = any(f"{name}' #" in said for name in names)
    speaks = re.search(rf"code object from '?{re.escape(tree)}/", said) is not None
    return speaks and not loaded and not imported
