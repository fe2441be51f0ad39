"""The oracle of numbers: one figure a run, taken by bisector or found in the output, against a limit.

A single figure only; how noisy figures are told apart is `paired`'s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bisector.model import Run
from bisector.oracles.failure import signature
from bisector.oracles.finding import CannotTell, Fails, Finding, Limit, Seen, Standard, Stops, Works
from bisector.oracles.patterns import Absent, Found, Search, TookTooLong
from bisector.recipe.schema import Absolute, Measure, Metric, Relative, Worse


@dataclass(frozen=True, slots=True)
class Measured:
    value: float


@dataclass(frozen=True, slots=True)
class Unmeasured:
    reason: str


Reading = Measured | Unmeasured | TookTooLong


def read(seen: Seen, standard: Standard, search: Search) -> Finding | None:
    """Speaks of runs that ended with status 0; one that failed did not finish what was to be measured."""
    metric = standard.policy.metric
    if metric is None or seen.run.exit_status != 0:
        return None
    match reading(seen.run, metric, search):
        case TookTooLong(seconds):
            return Stops(f"the metric's pattern searched for {seconds:g}s without an end: simplify it")
        case Unmeasured(reason):
            return CannotTell(reason)
        case Measured(value):
            return _held_against(value, _beside(seen.beside, metric, search), seen, standard)


def _beside(run: Run | None, metric: Metric, search: Search) -> Measured | Unmeasured | None:
    """The figure of the working end's run next to this one, where there is one."""
    if run is None:
        return None
    if run.exit_status != 0:
        return Unmeasured(f"it did not exit 0 but {run.exit_status or run.signal}")
    match reading(run, metric, search):
        case TookTooLong(seconds):
            return Unmeasured(f"the metric's pattern searched for {seconds:g}s without an end")
        case Measured() | Unmeasured() as told:
            return told


def _held_against(
    value: float, beside: Measured | Unmeasured | None, seen: Seen, standard: Standard
) -> Finding:
    limit = standard.limit
    if isinstance(beside, Unmeasured):
        return CannotTell(f"the working end's run beside it gave no number: {beside.reason}")
    if limit is None:
        return CannotTell(f"measured {value:g}; the ends have given no limit yet")
    next_to = beside.value if beside is not None else None
    figure = f"{value:g}" if next_to is None else f"{value:g} beside {next_to:g}"
    if beyond(value, limit, next_to):
        return Fails(
            f"{figure}, {limit.worse.value} than {limit.words}",
            signature(seen.run, seen.places, standard.module),
        )
    return Works(f"{figure}, not {limit.worse.value} than {limit.words}")


def reading(run: Run, metric: Metric, search: Search) -> Reading:
    """The run's figure: seconds, bytes, or whatever the pattern's last match holds."""
    match metric.source:
        case Measure.WALL_TIME:
            return Measured(run.seconds)
        case Measure.CPU_TIME:
            return Measured(run.cpu_seconds)
        case Measure.PEAK_MEMORY:
            if run.peak_memory is None:
                return Unmeasured("this machine could not measure the memory")
            return Measured(float(run.peak_memory))
        case pattern:
            return _in_output(pattern, run.output, search)


def _in_output(pattern: str, output: str, search: Search) -> Reading:
    match search(pattern, output):
        case Absent():
            return Unmeasured(f"the output holds no number after {pattern}")
        case Found(line, group):
            value = _number(group)
            if value is None:
                return Unmeasured(f"not a number: {group[:40]!r} in {line[:120]!r}")
            return Measured(value)
        case TookTooLong() as given_up:
            return given_up


def _number(text: str) -> float | None:
    """None also for nan and inf: they are on no side of a limit."""
    try:
        value = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def beyond(value: float, limit: Limit, beside: float | None = None) -> bool:
    """Is it on the failing side? Next to the working end's figure of the same minute, their ratio counts."""
    if beside is None or beside <= 0 or limit.ratio is None:
        figure, bound = value, limit.value
    else:
        figure, bound = value / beside, limit.ratio
    return figure > bound if limit.worse is Worse.HIGHER else figure < bound


def limit_of(metric: Metric, working: Sequence[float], failing: Sequence[float]) -> Limit:
    """Where the failing side begins, from what the ends showed (neither is empty).

    Between the ends is the geometric mean where both are positive: 1 s against 100 s splits at 10 s.
    """
    good, bad = median(working), median(failing)
    match metric.threshold:
        case Absolute(value):
            return Limit(value, metric.worse, f"{value:g}", _ratio(value, good))
        case Relative(factor):
            value = good * factor
            words = f"{value:g} ({factor:g} times the working end's {good:g})"
            return Limit(value, metric.worse, words, factor if good > 0 else None)
        case None:
            value = math.sqrt(good * bad) if good > 0 and bad > 0 else (good + bad) / 2
            words = f"{value:g} (between the ends: {good:g} and {bad:g})"
            return Limit(value, metric.worse, words, _ratio(value, good))


def named_limit(metric: Metric | None) -> Limit | None:
    """Where the recipe itself gives it: one run is enough to be told by it."""
    if metric is None or not isinstance(metric.threshold, Absolute):
        return None
    return Limit(metric.threshold.value, metric.worse, f"{metric.threshold.value:g}")


def _ratio(value: float, good: float) -> float | None:
    return value / good if good > 0 and value > 0 else None
