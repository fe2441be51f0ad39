"""A regression that changed its face: which other failures are the same one, seen from where they stand.

Knows positions along a line of history and what was found there. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bisector.oracles.finding import Fails, FailsOtherwise, Finding, Works
from bisector.oracles.signatures import Raised, Signature, blames_project, difference

UNFINISHED = ("NotImplementedError", "SyntaxError", "IndentationError", "TabError")


@dataclass(frozen=True, slots=True)
class Face:
    """Neighbours in the line that failed alike; `first` and `last` are positions in it."""

    first: int
    last: int
    failure: Signature


def faces(line: Sequence[Finding | None]) -> tuple[Face, ...]:
    """The stretches of other failures that belong to the regression; None: nothing is known there.

    | the nearest that works or fails as hunted, on either side  | the other failure is                    |
    |------------------------------------------------------------|-----------------------------------------|
    | one side works, the other fails as hunted                  | a face, if it blames the project        |
    | both sides work                                            | somebody's unfinished work              |
    | both sides fail as hunted                                  | something on top of the regression      |
    | a side has neither                                         | not to be told                          |

    A stub and a file that does not parse are unfinished work wherever they stand, and hide whatever lies behind them.
    """
    before = _nearest(enumerate(line), len(line))
    after = _nearest(((at, line[at]) for at in reversed(range(len(line)))), len(line))
    found: list[Face] = []
    for at, finding in enumerate(line):
        if not isinstance(finding, FailsOtherwise) or not blames_project(finding.failure):
            continue
        if isinstance(finding.failure, Raised) and finding.failure.kind in UNFINISHED:
            continue
        if {type(before[at]), type(after[at])} != {Works, Fails}:
            continue
        if found and _goes_on(found[-1], at, finding.failure, line):
            found[-1] = Face(found[-1].first, at, found[-1].failure)
        else:
            found.append(Face(at, at, finding.failure))
    return tuple(found)


def _nearest(walk: Iterable[tuple[int, Finding | None]], length: int) -> list[Finding | None]:
    """For each position the last clear finding that was passed on the way to it."""
    nearest: list[Finding | None] = [None] * length
    last: Finding | None = None
    for at, finding in walk:
        nearest[at] = last
        if isinstance(finding, Works | Fails):
            last = finding
    return nearest


def _goes_on(face: Face, at: int, failure: Signature, line: Sequence[Finding | None]) -> bool:
    """Only what is unknown lies between, and the failure is the same."""
    between = line[face.last + 1 : at]
    clear = any(isinstance(one, Works | Fails | FailsOtherwise) for one in between)
    return not clear and difference(failure, face.failure) is None
