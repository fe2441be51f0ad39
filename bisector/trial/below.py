"""When the rung below is worth a try for a repro that cannot import the module, and how it is told."""

from __future__ import annotations

from bisector.model import Outcome, Ran

NOT_IMPORTED = "as the recipe says: the module cannot be imported"
BELOW = "releases of the commit's date"


def smells_of_import(outcome: Outcome) -> bool:
    """A failure that importing may have caused: worth the dear question whether the module imports."""
    if not isinstance(outcome, Ran):
        return False
    last = outcome.runs[-1]
    return last.exit_status not in (0, None) and last.stopped is None and "import" in last.output.lower()
