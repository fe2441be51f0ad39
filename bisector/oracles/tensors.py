"""Two saved files, compared leaf by leaf: do they agree, and if not, where first and by how much.

Pure Python over mapped bytes. `compare` is its entry as a process of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import sub
from pathlib import Path

from bisector.oracles.finding import Alike, Apart, Comparison, Incomparable
from bisector.oracles.leaves import Array, Family, Leaf, Number, Scalar, Unreadable
from bisector.oracles.readers import Leaves, read

CHUNK = 1 << 14
"""Elements decoded at once; a chunk whose bytes are equal is not decoded at all."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    rtol: float
    atol: float


@dataclass(frozen=True, slots=True)
class Deviation:
    """How one leaf differs. `outside` counts elements; the largest error is at `at`."""

    outside: int
    of: int
    error: float
    at: int
    here: Scalar
    there: Scalar


def compare(here: Path, reference: Path, rtol: float, atol: float) -> Comparison:
    """The rules, for a file against the reference's.

    | the leaf                          | agrees when                                                        |
    |-----------------------------------|--------------------------------------------------------------------|
    | in one file only                  | never                                                              |
    | arrays of two shapes              | never                                                              |
    | of two families                   | never (truth values, whole, floating, complex numbers, text)       |
    | of one family, two widths         | by the values: float32 may agree with float64                      |
    | floating, complex                 | abs(here - there) <= atol + rtol * abs(there), for every element   |
    | truth values, whole numbers, text | equal                                                              |
    | NaN                               | both are NaN at that place                                         |
    | infinite                          | both are, with the same sign                                       |
    | a whole and a floating number, each on its own (in JSON) | as floating numbers                         |
    """
    try:
        ours, theirs = read(here), read(reference)
    except Unreadable as error:
        return Incomparable(str(error))
    return compared(ours, theirs, Tolerance(rtol, atol))


def compared(ours: Leaves, theirs: Leaves, tolerance: Tolerance) -> Comparison:
    """In the reference's order: the first leaf that leaves the tolerance is named, the others counted."""
    strays = [name for name in (*theirs, *ours) if (name in ours) != (name in theirs)]
    if strays:
        side = "missing here" if strays[0] in theirs else "only here"
        return Apart(f"{_name(strays[0])} is {side}{_more(len(strays) - 1)}")
    largest = 0.0
    faults: list[str] = []
    for name, there in theirs.items():
        deviation = _leaf(ours[name], there, tolerance)
        if isinstance(deviation, str):
            faults.append(f"{_name(name)}: {deviation}")
        elif deviation.outside:
            faults.append(f"{_name(name)}: {_told(deviation, there)}")
        else:
            largest = max(largest, deviation.error)
    return Apart(f"{faults[0]}{_more(len(faults) - 1)}") if faults else Alike(largest)


def _leaf(here: Leaf, there: Leaf, tolerance: Tolerance) -> Deviation | str:
    if isinstance(here, Array) and isinstance(there, Array):
        if here.shape != there.shape:
            return f"shape {list(here.shape)} instead of {list(there.shape)}"
        if here.dtype.family is not there.dtype.family:
            return f"{here.dtype.name} instead of {there.dtype.name}"
        return _arrays(here, there, tolerance)
    if isinstance(here, Array) or isinstance(there, Array):
        return "an array on one side only"
    return _values(here, there, tolerance)


def _values(here: Scalar, there: Scalar, tolerance: Tolerance) -> Deviation | str:
    if not isinstance(here, int | float | complex) or not isinstance(there, int | float | complex):
        return Deviation(0, 1, 0.0, 0, here, there) if here == there else f"{here!r} instead of {there!r}"
    families = {_family(here), _family(there)}
    if len(families) > 1 and families != {Family.WHOLE, Family.FLOATING}:
        return f"{here!r} instead of {there!r}"
    error = _error(here, there)
    return Deviation(int(not _within(error, there, _held(families, tolerance))), 1, error, 0, here, there)


def _family(value: Number) -> Family:
    match value:
        case bool():
            return Family.TRUTH
        case int():
            return Family.WHOLE
        case float():
            return Family.FLOATING
        case complex():
            return Family.COMPLEX


def _held(families: set[Family], tolerance: Tolerance) -> Tolerance:
    exact = families <= {Family.TRUTH, Family.WHOLE}
    return Tolerance(0.0, 0.0) if exact else tolerance


def _arrays(here: Array, there: Array, tolerance: Tolerance) -> Deviation:
    tolerated = _held({there.dtype.family}, tolerance)
    same_layout = here.dtype is there.dtype and here.order == there.order
    total = math.prod(there.shape)
    worst = Deviation(0, total, 0.0, 0, None, None)
    for begin in range(0, total, CHUNK):
        end = min(begin + CHUNK, total)
        width = there.dtype.width
        if same_layout and here.raw[begin * width : end * width] == there.raw[begin * width : end * width]:
            continue
        worst = _chunk(here, there, begin, end, tolerated, worst)
    return worst


def _chunk(
    here: Array, there: Array, begin: int, end: int, tolerance: Tolerance, worst: Deviation
) -> Deviation:
    ours, theirs = here.numbers(begin, end), there.numbers(begin, end)
    errors, outside = _errors(ours, theirs, tolerance)
    error = max(errors)
    if error <= worst.error:
        return replace(worst, outside=worst.outside + outside)
    at = errors.index(error)
    return Deviation(worst.outside + outside, worst.of, error, begin + at, ours[at], theirs[at])


def _errors(
    ours: Sequence[Number], theirs: Sequence[Number], tolerance: Tolerance
) -> tuple[list[float], int]:
    """Every element's error, and how many of them are outside."""
    try:
        plain = list(map(abs, map(sub, ours, theirs)))
        if math.isfinite(
            sum(plain)
        ):  # nothing in it is NaN or infinite: five times as fast as with such care
            if max(plain) <= tolerance.atol:
                return plain, 0
            atol, rtol = tolerance.atol, tolerance.rtol
            return plain, sum(error > atol + rtol * abs(b) for error, b in zip(plain, theirs, strict=True))
    except OverflowError:
        pass
    errors = [_error(a, b) for a, b in zip(ours, theirs, strict=True)]
    pairs = zip(errors, theirs, strict=True)
    return errors, sum(not _within(error, b, tolerance) for error, b in pairs)


def _error(here: Number, there: Number) -> float:
    """Infinite where one is not a number and the other is."""
    if here == there or (here != here and there != there):
        return 0.0
    try:
        off = here - there
        error = math.hypot(off.real, off.imag)
    except OverflowError:
        return math.inf
    return math.inf if math.isnan(error) else error


def _within(error: float, there: Number, tolerance: Tolerance) -> bool:
    if error == 0.0:
        return True
    if math.isinf(error):
        return False
    return error <= tolerance.atol + tolerance.rtol * math.hypot(there.real, there.imag)


def _told(deviation: Deviation, there: Leaf) -> str:
    values = f"{deviation.here!r} instead of {deviation.there!r}"
    if not isinstance(there, Array):
        return f"{values}, error {deviation.error:g}"
    where = _index(deviation.at, there.shape)
    count = f"{deviation.outside} of {deviation.of} outside"
    return f"largest error {deviation.error:g} at {where} ({values}), {count}"


def _index(flat: int, shape: tuple[int, ...]) -> list[int]:
    index: list[int] = []
    for size in reversed(shape):
        flat, rest = divmod(flat, size)
        index.append(rest)
    return index[::-1]


def _name(path: str) -> str:
    return path or "the content"


def _more(count: int) -> str:
    return f" (and {count} more)" if count else ""
