"""The oracle of arrays: what the comparison of the saved file with the working end's came to.

The comparing itself is `tensors`, in a process of its own.
"""

from __future__ import annotations

from bisector.oracles.failure import signature
from bisector.oracles.finding import (
    Alike,
    Apart,
    CannotTell,
    Fails,
    Finding,
    Incomparable,
    IsTheReference,
    Seen,
    Standard,
    Works,
)
from bisector.oracles.patterns import Search


def read(seen: Seen, standard: Standard, search: Search) -> Finding | None:
    """Speaks of runs that ended with status 0; one that failed may have saved a half-made file."""
    if standard.policy.compare is None or seen.run.exit_status != 0:
        return None
    match seen.comparison:
        case Alike(largest):
            return Works(f"{standard.policy.compare.file} agrees (largest error {largest:g})")
        case Apart(reason):
            return Fails(reason, signature(seen.run, seen.places, standard.module))
        case Incomparable(reason):
            return CannotTell(reason)
        case IsTheReference():
            return Works(f"{standard.policy.compare.file} is what others are compared with")
        case None:
            return CannotTell(f"{standard.policy.compare.file} was not compared")
