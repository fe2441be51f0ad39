"""The working end's saved file, known before anything is compared with it."""

from __future__ import annotations

from bisector.engine.hunter import Hunter
from bisector.errors import EndpointFault
from bisector.model import Purpose, Ran

TWICE = 2
"""Runs of the working end: what does not agree with itself is no reference."""


def take_reference(hunter: Hunter, working: str, label: str) -> None:
    """EndpointFault where the working end saves nothing to compare with."""
    compare = hunter.recipe.verdict.compare
    if compare is None:
        return
    hunter.comparer.working = working
    ran = hunter.trial(working, Purpose.END, label, TWICE).trial.outcome
    if not isinstance(ran, Ran) or hunter.comparer.reference is not None:
        return
    last = ran.runs[-1]
    reason = last.unsaved or f"the repro exits with {last.exit_status or last.signal}"
    raise EndpointFault(
        f"the {label} ({working[:12]}) gives nothing to compare with: {reason}",
        f"the repro must save {compare.file} where it runs; `bisector try` shows it live",
    )
