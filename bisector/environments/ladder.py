"""What to try when a commit cannot be installed: as the recipe says, then the releases of its own date. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from bisector.environments.ready import Ready
from bisector.model import AsOf, EnvironmentRequest, Stage, Untestable


@dataclass(frozen=True, slots=True)
class Rung:
    words: str
    cutoff: datetime | None


def rungs(request: EnvironmentRequest) -> tuple[Rung, ...]:
    """A date that the recipe gives is the user's word: nothing else is tried then."""
    if isinstance(request.as_of, datetime):
        return (Rung(f"releases of {request.as_of:%Y-%m-%d}", request.as_of),)
    of_its_date = Rung("releases of the commit's date", _moment(request.commit_date))
    if request.as_of is AsOf.COMMIT:
        return (of_its_date,)
    return (Rung("as the recipe says", None), of_its_date)


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


def _moment(date: datetime) -> datetime:
    """The end of that day: commits of one day share one resolution."""
    day = date.astimezone(timezone.utc)
    return day.replace(hour=23, minute=59, second=59, microsecond=0)
