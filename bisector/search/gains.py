"""What the next runs would tell, in bits: of one commit, of the old end, of several runs in a row.

Knows a belief; which of the runs to make it does not decide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bisector.history import History
from bisector.search.belief import OLD_END, Belief
from bisector.search.lineage import Lineage
from bisector.search.rates import Side, failures, surprise

CURIOSITY = 0.5
"""The share of what a run tells about the rates that counts as told about the commit: it pays off later."""

NEGLIGIBLE = 1e-3
"""Groups of commits less likely than this do not decide how many runs to make, ..."""

HOPELESS = 1e-4
"""... less likely than this not even where."""


def _known(side: Side) -> float:
    """The bits of a run's outcome that would not be news if the culprit were known."""
    return (1 - CURIOSITY) * surprise(side.rate) + CURIOSITY * side.noise


def end_gain(belief: Belief) -> float:
    """What a run of the old end tells."""
    fails = belief.nothing * belief.same.side.rate
    known = belief.nothing * _known(belief.same.side)
    for group in belief.groups:
        if group.probability > HOPELESS:
            fails += group.probability * group.evidence.old.rate
            known += group.probability * _known(group.evidence.old)
    return surprise(fails) - known


def gains(belief: Belief, contained: Lineage) -> list[float]:
    """What one run of each commit tells about which one it is, in bits.

    A run at a commit comes from the new side for those hypotheses that it contains, from the old side for the rest.
    """
    fails = belief.nothing * belief.same.side.rate
    known = belief.nothing * _known(belief.same.side)
    more_fails, more_known = [0.0] * len(belief.groups), [0.0] * len(belief.groups)
    for number, group in enumerate(belief.groups):
        if group.probability > HOPELESS:
            old, new = group.evidence.old, group.evidence.new
            fails += group.probability * old.rate
            known += group.probability * _known(old)
            share = group.probability / group.size
            more_fails[number] = share * (new.rate - old.rate)
            more_known[number] = share * (_known(new) - _known(old))
    fails_at = contained.totals([more_fails[number] for number in belief.group_of])
    known_at = contained.totals([more_known[number] for number in belief.group_of])
    return [surprise(fails + more) - known - less for more, less in zip(fails_at, known_at, strict=True)]


def batch_gain(history: History, belief: Belief, place: int, runs: int) -> float:
    """What so many runs of one commit tell together."""
    inside = [0] * len(belief.groups)
    if place != OLD_END:
        for other, reached in enumerate(history.reach([place])):
            if reached:
                inside[belief.group_of[other]] += 1
    sides = [(belief.nothing, belief.same.side)]
    for group, count in zip(belief.groups, inside, strict=True):
        if group.probability > NEGLIGIBLE:
            share = count / group.size
            sides.append((group.probability * share, group.evidence.new))
            sides.append((group.probability * (1 - share), group.evidence.old))
    return _told(sides, runs)


def _told(sides: Sequence[tuple[float, Side]], runs: int) -> float:
    """The bits that the number of failures tells about which of the weighted sides it came from."""
    weighted = [(weight, failures(side, runs)) for weight, side in sides if weight > 0]
    mixed = [sum(weight * chance[failed] for weight, chance in weighted) for failed in range(runs + 1)]
    return _bits(mixed) - sum(weight * _bits(chance) for weight, chance in weighted)


def _bits(chances_of: Sequence[float]) -> float:
    return -sum(chance * math.log2(chance) for chance in chances_of if chance > 0)
