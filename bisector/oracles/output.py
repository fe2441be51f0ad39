"""The oracle of words: skip_if, bad_if and good_if (whatever the recipe's terms are) over the output."""

from __future__ import annotations

from bisector.oracles.failure import signature
from bisector.oracles.finding import CannotTell, Fails, Finding, Seen, Standard, Stops, Works
from bisector.oracles.patterns import Absent, Found, Search, SearchResult, TookTooLong

SHOWN = 160
"""Characters of a matching line that a reason repeats."""


def read(seen: Seen, standard: Standard, search: Search) -> Finding | None:
    """The recipe's patterns overrule limits, numbers, arrays and the exit status.

    | skip_if | failing_if | working_if | exit 0                         | any other end           |
    |---------|------------|------------|--------------------------------|-------------------------|
    | found   | -          | -          | cannot tell                    | cannot tell             |
    | -       | found      | found      | cannot tell                    | cannot tell             |
    | -       | found      | -          | fails                          | fails                   |
    | -       | -          | found      | works                          | works                   |
    | -       | -          | given      | fails                          | by its other signs      |
    | -       | given      | not given  | by its other signs             | another failure, unless |
    | -       | given      | given      | cannot tell                    | a limit says more       |
    """
    skips, fails, works = (
        _look(pattern, seen.run.output, search)
        for pattern in (standard.policy.skip_if, standard.failing_if, standard.working_if)
    )
    match skips, fails, works:
        case (TookTooLong(seconds), _, _) | (_, TookTooLong(seconds), _) | (_, _, TookTooLong(seconds)):
            return Stops(f"a pattern of the recipe searched for {seconds:g}s without an end: simplify it")
        case Found(line), _, _:
            return CannotTell(f"skip_if found: {line[:SHOWN]}")
        case _, Found(bad), Found(good):
            return CannotTell(f"both sides' patterns found: {bad[:SHOWN]} / {good[:SHOWN]}")
        case _, Found(line), _:
            return Fails(f"found: {line[:SHOWN]}", signature(seen.run, seen.places, standard.module))
        case _, _, Found(line):
            return Works(f"found: {line[:SHOWN]}")
        case _:
            return _not_found(seen, standard)


def _look(pattern: str | None, text: str, search: Search) -> SearchResult:
    return Absent() if pattern is None else search(pattern, text)


def _not_found(seen: Seen, standard: Standard) -> Finding | None:
    if standard.working_if is None or seen.run.exit_status != 0 or seen.run.stopped:
        return None
    if standard.failing_if is not None:
        return CannotTell("exit 0, and neither side's pattern was found")
    return Fails(
        f"exit 0, but nothing matches {standard.working_if}",
        signature(seen.run, seen.places, standard.module),
    )
