"""What each ending is called and what to do next. Sentences only; which one holds is the account's word."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bisector.model import Ending


class Tone(Enum):
    """How an ending should feel to who reads it."""

    SETTLED = "settled"
    DOUBTFUL = "doubtful"
    TROUBLED = "troubled"


@dataclass(frozen=True, slots=True)
class Wording:
    label: str
    tone: Tone
    advice: str | None


WORDING = {
    Ending.FOUND: Wording("found", Tone.SETTLED, None),
    Ending.DEPENDENCY: Wording(
        "a dependency did it",
        Tone.SETTLED,
        "No commit of this repository is to blame. Hold the dependency back, or report it to its "
        "maintainers.",
    ),
    Ending.SUSPECTS: Wording(
        "several suspects",
        Tone.DOUBTFUL,
        "The culprit is one of these. Read them, or help those that could not be tested (`pins`, `fixups` or "
        "`install.build` in the recipe) and run again.",
    ),
    Ending.UNCONFIRMED: Wording(
        "not confirmed",
        Tone.DOUBTFUL,
        "The search ended at this commit, but the proof did not hold. Look at the confirmation before you "
        "blame it; a failure that comes and goes wants `verdict.runs` in the recipe.",
    ),
    Ending.ENDPOINTS: Wording(
        "the ends do not differ",
        Tone.TROUBLED,
        "Nothing was searched. Correct the ends or the repro; `bisector try RECIPE REV` runs it once, "
        "anywhere in the history.",
    ),
    Ending.FAILED: Wording(
        "failed",
        Tone.TROUBLED,
        "No commit was judged by this. Once what stands in the way is mended, the same command, without "
        "`--fresh`, goes on from here.",
    ),
    Ending.INTERRUPTED: Wording(
        "interrupted",
        Tone.DOUBTFUL,
        "Run the same command, without `--fresh`, to go on; what was tested is not tested again.",
    ),
}
