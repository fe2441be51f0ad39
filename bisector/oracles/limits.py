"""The oracle of limits: a run that bisector ended itself."""

from __future__ import annotations

from bisector.model import Stopped
from bisector.oracles.finding import Fails, Finding, Seen, Standard, Stops, by_reaction
from bisector.oracles.patterns import Search
from bisector.oracles.signatures import OutOfMemory, TimedOut

MEBIBYTE = 1 << 20


def read_cancelled(seen: Seen, standard: Standard, search: Search) -> Finding | None:
    """A run cut short by an interrupt has said nothing, whatever it wrote."""
    return Stops("cancelled") if seen.run.stopped is Stopped.CANCELLED else None


def read(seen: Seen, standard: Standard, search: Search) -> Finding | None:
    """The failure that is hunted where the failing end ran into the same limit; else as the recipe says.

    So too where a pattern of the recipe was to tell the failure, and did not.

    Asked before the exit status: a program whose child was killed for its memory may well exit 0.
    """
    run, policy = seen.run, standard.policy
    match run.stopped:
        case Stopped.TIMEOUT:
            failure: TimedOut | OutOfMemory = TimedOut()
            reason, reaction = f"timed out after {run.seconds:.3g}s", policy.on_timeout
        case Stopped.MEMORY:
            failure = OutOfMemory()
            used = "" if run.peak_memory is None else f" at {run.peak_memory / MEBIBYTE:.0f} MiB"
            reason, reaction = f"out of memory{used}", policy.on_memory
        case _:
            return None
    if standard.signature == failure and not standard.failing_if:
        return Fails(f"same failure: {reason}", failure)
    return by_reaction(reaction, reason, failure, standard)
