"""How much must stand behind a name, or behind the word that nothing changed. Set by simulation. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bisector.search.belief import OLD_END
from bisector.search.rates import Changed, Tally

ELSEWHERE, ITSELF = 6, 7
"""Where the new side never passed: failures of other commits, or of the named one itself, before it is named.

A row of single runs is never at odds with itself, only what is run again can be. A failure that comes half of the
time looks, in one hunt of sixteen, like one that always comes, and then blames a commit too late, with few failures
behind it.
"""

PASSES = 4
"""Where the old side never failed: its passes before a commit is named, ..."""

CLEAN, CLEANER, CLEANEST = 9, 3, 22
"""... where the new side passes too, CLEAN for its first pass, CLEANER for each further one, up to CLEANEST.

A side that fails three times in ten passes ten times in a row often enough to look clean somewhere in a long history.
"""

EARLY = 2.3
"""Where any run was at odds with what is named: so many runs in all, for each halving of the history, before it is.

What luck brings, it brings early: a name after one contradiction was wrong most often when it came at once.
"""

LATE, BEHIND = 28, 12
"""Where the old side fails too, of a commit that is named after more than LATE runs, and of each parent: their runs.

A hunt that goes on gives luck one chance after another; the places beside the answer are where it is refuted first.
"""

LATER, CLEANEST_LATER = 55, 32
"""Where only the new side gives either answer: after more than LATER runs so many passes are wanted, not CLEANEST,
and of the allowed doubt the STRICTEST share is left; ..."""

RARE = 0.2
"""... not where a run tells fewer bits than that: of a failure so rare the old side has passes in plenty."""

LONG = 1024
"""Commits for which these suffice. Each doubling of them makes a lucky row as much likelier as one more run makes it
rarer, where runs come out either way; ..."""

DOUBLED = 3
"""... and so many runs more than LATE and LATER are not late yet."""

ALIKE = 30
"""Runs of either end before they are called alike."""

TELLING = 0.3
"""Where a run tells fewer bits than this, more than the asked-for confidence is wanted, ..."""

USUAL, UNUSUAL = 2, 0.3
"""... also where both sides err: each run at odds with the named commit but USUAL ones takes such a share."""

STRICTEST = 0.12
"""The share of the allowed doubt that is left then at the least."""


@dataclass(frozen=True, slots=True)
class Beside:
    """The commit that is to be named, and what can be run next to it."""

    itself: int
    parents: tuple[int, ...]
    commits: int
    """In the whole history."""


def for_nothing(counts: Mapping[int, Tally], new_end: int) -> int | None:
    """Which end to run before the two are called alike."""
    fewest = min((OLD_END, new_end), key=lambda place: counts.get(place, Tally()).runs)
    return fewest if counts.get(fewest, Tally()).runs < ALIKE else None


def for_a_name(evidence: Changed, beside: Beside, counts: Mapping[int, Tally]) -> int | None:
    """What to run before a commit is named; None: enough stands behind it."""
    old, new, itself = evidence.old_seen, evidence.new_seen, counts.get(beside.itself, Tally())
    elsewhere, more = new.failed - itself.failed, _more_wanted(beside.commits)
    if not new.passed and elsewhere < ELSEWHERE + more and itself.failed < ITSELF:
        return beside.itself
    fewest = min(beside.parents, key=lambda parent: counts.get(parent, Tally()).runs)
    if (old.failed or new.passed) and _runs(evidence) < EARLY * math.log2(beside.commits):
        return min((beside.itself, fewest), key=lambda place: counts.get(place, Tally()).runs)
    if not old.failed:
        return fewest if old.passed < _passes_wanted(evidence, more) + more else None
    if _runs(evidence) > LATE + DOUBLED * more:
        few = (place for place in (beside.itself, fewest) if counts.get(place, Tally()).runs < BEHIND)
        return next(few, None)
    return None


def required(confidence: float, evidence: Changed, commits: int) -> float:
    """The probability that it takes to name one of so many commits.

    Where either side gives either answer, a row of lucky runs looks like other rates, and how likely those are is a
    guess. The less a run tells and the more are at odds with what is claimed, the more luck may be in it.
    """
    if evidence.old_seen.failed:
        share = 1 - UNUSUAL * (evidence.old_seen.failed + evidence.new_seen.passed - USUAL)
    elif _is_later(evidence, _more_wanted(commits)):
        share = STRICTEST
    else:
        share = math.pow(evidence.told / TELLING, 1.5)
    return 1 - (1 - confidence) * min(1.0, max(STRICTEST, share))


def _passes_wanted(evidence: Changed, more: int) -> int:
    """Of an old side that never failed."""
    if not evidence.new_seen.passed:
        return PASSES
    most = CLEANEST_LATER if _is_later(evidence, more) else CLEANEST
    return min(most, CLEAN + CLEANER * (evidence.new_seen.passed - 1))


def _is_later(evidence: Changed, more: int) -> bool:
    return evidence.new_seen.passed > 0 and _runs(evidence) > LATER + DOUBLED * more and evidence.told > RARE


def _runs(evidence: Changed) -> int:
    return evidence.old_seen.runs + evidence.new_seen.runs


def _more_wanted(commits: int) -> int:
    """Runs beyond those that a usual history takes."""
    return max(0, round(math.log2(commits / LONG)))
