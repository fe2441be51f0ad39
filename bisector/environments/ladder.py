"""What to try when a commit cannot be installed: as the recipe says, then the releases of its own date. Pure.

Last, where a source archive is among them that today's build tools refuse, the tools of that time as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from bisector.environments.ready import Ready
from bisector.installers.words import is_out_of_time, is_unbuilt_by_tools
from bisector.model import AsOf, EnvironmentRequest, Stage, Untestable

OLDEST = (3, 6)
TOOLS_SERVE = {
    (3, 6): datetime(2020, 3, 1, tzinfo=timezone.utc),
    (3, 11): datetime(2022, 10, 24, tzinfo=timezone.utc),
    (3, 12): datetime(2023, 10, 2, tzinfo=timezone.utc),
    (3, 13): datetime(2024, 10, 7, tzinfo=timezone.utc),
    (3, 14): datetime(2025, 10, 7, tzinfo=timezone.utc),
}
"""Since when setuptools can be used by an interpreter of at least that version.

The first date is before setuptools 46, the last that still knows what archives of ten years ago ask of it.
"""


@dataclass(frozen=True, slots=True)
class Rung:
    words: str
    cutoff: datetime | None
    old_tools: bool = False
    """Source archives are built by tools of the date, or of the first date whose tools serve the interpreter."""

    def tools(self, minor: tuple[int, int]) -> datetime | None:
        if not self.old_tools or self.cutoff is None:
            return None
        serving = max(since for since in TOOLS_SERVE if since <= max(minor, OLDEST))
        return max(self.cutoff, TOOLS_SERVE[serving])


def rungs(request: EnvironmentRequest) -> tuple[Rung, ...]:
    """A date that the recipe gives is the user's word: nothing else is tried then."""
    if isinstance(request.as_of, datetime):
        return _and_by_old_tools(Rung(f"releases of {request.as_of:%Y-%m-%d}", request.as_of))
    of_its_date = _and_by_old_tools(Rung("releases of the commit's date", _moment(request.commit_date)))
    if request.as_of is AsOf.COMMIT:
        return of_its_date
    return (Rung("as the recipe says", None), *of_its_date)


def helps(rung: Rung, failed: Sequence[tuple[Rung, Untestable]]) -> bool:
    """Nothing does where the project's build hangs; old tools where one has failed, and not at its compiler."""
    if failed and is_out_of_time(failed[-1][1]):
        return False
    return not rung.old_tools or is_unbuilt_by_tools(failed[-1][1])


def after_import_failure(ready: Ready) -> EnvironmentRequest | None:
    """The rung above the one that `ready` stands on, as a request of its own."""
    stands_below = ready.request.as_of is AsOf.LATEST and not ready.facts.rungs
    return replace(ready.request, as_of=AsOf.COMMIT) if stands_below and ready.facts.packages else None


def tried(failed: Sequence[tuple[Rung, Untestable]], succeeded: Rung) -> tuple[str, ...]:
    """Empty where the first rung held."""
    if not failed:
        return ()
    return (*(f"{rung.words}: {answer.headline}" for rung, answer in failed), f"{succeeded.words}: installed")


def summed_up(failed: Sequence[tuple[Rung, Untestable]]) -> Untestable:
    """One answer for all rungs, told by the first; alike reasons are said once."""
    first = failed[0][1]
    if len(failed) == 1:
        return first
    if len({answer.headline for _, answer in failed}) == 1:
        words = " and ".join(rung.words for rung, _ in failed)
        return Untestable(first.stage, f"{first.reason}\n(tried: {words})")
    lines = [f"{rung.words}: {answer.reason}" for rung, answer in failed]
    return Untestable(Stage.INSTALL, "\n".join((first.headline, *lines)))


def _and_by_old_tools(rung: Rung) -> tuple[Rung, Rung]:
    return rung, Rung(f"{rung.words}, built by the tools of that time", rung.cutoff, old_tools=True)


def _moment(date: datetime) -> datetime:
    """The end of that day: commits of one day share one resolution."""
    day = date.astimezone(timezone.utc)
    return day.replace(hour=23, minute=59, second=59, microsecond=0)
