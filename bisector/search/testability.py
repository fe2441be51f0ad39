"""Whether a commit can be tested, guessed from those tried: untestable commits come alone or in stretches.

Knows places on a line and whether they could be tested. Which of the two it is, it learns from the tries.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Pattern:
    """Testable and not by turns, at random: `share` of them can be tested, in runs of about `length`."""

    share: float
    length: float

    def testable(self, before: bool, distance: int) -> float:
        """The chance that a commit is testable, so far from one that is, or is not."""
        memory = math.exp(-distance / self.length)
        return self.share + (1 - self.share) * memory if before else self.share * (1 - memory)

    def likelihood(self, tried: Mapping[int, bool]) -> float:
        """The logarithm of how likely the tries came out as they did."""
        total = 0.0
        for left, right in pairwise(sorted(tried)):
            chance = self.testable(tried[left], right - left)
            total += math.log(max(chance if tried[right] else 1 - chance, 1e-12))
        return total


PATTERNS = tuple(Pattern(share, length) for share in (0.5, 0.8, 0.95) for length in (1.0, 8.0, 64.0, 512.0))


def chances(total: int, tried: Mapping[int, bool]) -> list[float]:
    """For each of `total` places, the chance that it can be tested.

    The places just before the first and at the last count as testable: the ends of a hunt were tested.
    """
    known = {-1: True, **tried, total - 1: True}
    result = [0.0] * total
    for pattern, weight in _believed(known):
        for place, chance in enumerate(_everywhere(pattern, known)):
            result[place] += weight * chance
    return result


def _believed(known: Mapping[int, bool]) -> list[tuple[Pattern, float]]:
    """The patterns that the tries leave likely, each with its probability; the hopeless ones are let go."""
    logs = [pattern.likelihood(known) for pattern in PATTERNS]
    weights = [math.exp(value - max(logs)) for value in logs]
    likely = [(pattern, weight) for pattern, weight in zip(PATTERNS, weights, strict=True) if weight > 0.02]
    total = math.fsum(weight for _, weight in likely)
    return [(pattern, weight / total) for pattern, weight in likely]


def _everywhere(pattern: Pattern, known: Mapping[int, bool]) -> list[float]:
    result: list[float] = []
    for left, right in pairwise(sorted(known)):
        result.extend(_between(pattern, known[left], known[right], right - left))
        result.append(float(known[right]))
    return result


@lru_cache(maxsize=500)
def _between(pattern: Pattern, before: bool, behind: bool, length: int) -> array[float]:
    """The chances of the places inside a gap, given what was found at both its ends.

    Kept: another try splits one gap and leaves the others as they were.
    """
    result = array("d")
    for place in range(1, length):
        yes = pattern.testable(before, place)
        after_yes = pattern.testable(True, length - place)
        after_no = pattern.testable(False, length - place)
        if not behind:
            after_yes, after_no = 1 - after_yes, 1 - after_no
        result.append(yes * after_yes / max(yes * after_yes + (1 - yes) * after_no, 1e-12))
    return result
