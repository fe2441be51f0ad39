"""The numbers of the two ends, measured before anything else: do they differ, and where is the limit between?"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from bisector.engine.hunter import Hunter
from bisector.engine.sampling import Yardstick
from bisector.errors import EndpointFault
from bisector.model import JudgedTrial, Judgement, Purpose, Ran
from bisector.oracles.metric import Measured, beyond, limit_of, reading
from bisector.oracles.paired import Worsened, ends_differ, is_exact, pairs_of, stays
from bisector.recipe.schema import Measure, Metric, Worse
from bisector.report.figures import duration, size

ALONE = 5
"""Runs of each end, where the numbers need no turns."""


def measure_ends(hunter: Hunter, failing: str, working: str) -> None:
    """Sets the hunter's yardstick. EndpointFault, with the figures, where the ends do not differ."""
    metric = hunter.recipe.verdict.metric
    if metric is None:
        return
    if metric.goes_in_turns:
        _in_turns(hunter, metric, failing, working)
    else:
        _apart(hunter, metric, failing, working)


def _in_turns(hunter: Hunter, metric: Metric, failing: str, working: str) -> None:
    """The failing end beside the working one; then the working one beside itself, which must stay put."""
    asked, label = hunter.request(failing), "the ends in turns"
    ran = hunter.make(asked, Purpose.END, label).trial.outcome
    if not isinstance(ran, Ran):
        return
    pairs = pairs_of(ran, metric, hunter.look)
    if len(pairs) < len(ran.beside):
        raise _numberless(hunter, hunter.recipe.failing, ran)
    here, there = [pair.here for pair in pairs], [pair.working for pair in pairs]
    if not isinstance(ends_differ(pairs, metric), Worsened):
        raise _alike(hunter, metric, here, there)
    hunter.yardstick = Yardstick(limit_of(metric, there, here), is_exact(pairs))
    hunter.make(asked, Purpose.END, label)
    if hunter.yardstick.exact:
        return
    own = hunter.trial(working, Purpose.END, "the working end beside itself").trial.outcome
    if isinstance(own, Ran) and not stays(pairs_of(own, metric, hunter.look), hunter.yardstick.limit):
        raise _alike(hunter, metric, here, there)


def _apart(hunter: Hunter, metric: Metric, failing: str, working: str) -> None:
    """Each by itself: every figure must lie on its own side of the limit."""
    bad = hunter.trial(failing, Purpose.END, "measuring this end", ALONE)
    good = hunter.trial(working, Purpose.END, "measuring this end", ALONE)
    here = _figures(hunter, metric, bad, hunter.recipe.failing)
    there = _figures(hunter, metric, good, hunter.recipe.working)
    if not here or not there:
        return
    limit = limit_of(metric, there, here)
    if any(beyond(one, limit) for one in there) or not all(beyond(one, limit) for one in here):
        raise _alike(hunter, metric, here, there)
    hunter.yardstick = Yardstick(limit, exact=False)


def _figures(hunter: Hunter, metric: Metric, judged: JudgedTrial, state: Judgement) -> Sequence[float]:
    """None where the end could not be tested: its proof says why."""
    ran = judged.trial.outcome
    if not isinstance(ran, Ran):
        return ()
    readings = [reading(run, metric, hunter.look) for run in ran.runs if run.exit_status == 0]
    figures = [one.value for one in readings if isinstance(one, Measured)]
    if len(figures) < len(ran.runs):
        raise _numberless(hunter, state, ran)
    return figures


def figure_of(hunter: Hunter, judged: JudgedTrial) -> str | None:
    """The middle of what a trial's runs measured, in words; None where no number decides, or none was given."""
    metric, ran = hunter.recipe.verdict.metric, judged.trial.outcome
    if metric is None or not isinstance(ran, Ran):
        return None
    readings = (reading(run, metric, hunter.look) for run in ran.runs if run.exit_status == 0)
    figures = [one.value for one in readings if isinstance(one, Measured)]
    return in_words(median(figures), metric) if figures else None


def in_words(figure: float, metric: Metric) -> str:
    """With its unit where bisector measured it; what a repro prints has the repro's."""
    match metric.source:
        case Measure.WALL_TIME | Measure.CPU_TIME:
            return duration(figure)
        case Measure.PEAK_MEMORY:
            return size(round(figure))
        case _:
            return f"{figure:.3g}" if abs(figure) < 1000 else f"{figure:,.0f}"


def _numberless(hunter: Hunter, state: Judgement, ran: Ran) -> EndpointFault:
    name = hunter.recipe.terms.name(state)
    found = hunter.findings(ran, hunter.standard)[-1]
    return EndpointFault(
        f"the {name} end gives no number to be measured by: {found.reason}",
        "the repro must exit 0 at both ends, and the metric's pattern must match; `bisector try` shows it live",
    )


def _alike(hunter: Hunter, metric: Metric, here: Sequence[float], there: Sequence[float]) -> EndpointFault:
    recipe = hunter.recipe
    good, bad = recipe.terms.name(recipe.working), recipe.terms.name(recipe.failing)
    higher, lower = (there, here) if metric.worse is Worse.HIGHER else (here, there)
    limit = limit_of(metric, there, here)
    wanted = "" if metric.threshold is None else f" ({bad} is {metric.worse.value} than {limit.words})"
    hint = "measure more of it in one run, or name ends that lie further apart"
    if min(higher) > max(lower):
        hint = f"where less is worse say `worse: lower`; if {good} and {bad} are mixed up, swap them"
    return EndpointFault(
        f"the ends' numbers do not differ beyond their noise{wanted}: "
        f"{good} {_range(there)}, {bad} {_range(here)}, each measured {len(here)} times",
        hint,
    )


def _range(figures: Sequence[float]) -> str:
    return f"{median(figures):g} ({min(figures):g} to {max(figures):g})"
