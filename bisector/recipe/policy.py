"""The section `verdict`: how a recipe spells which observation makes which state."""

from __future__ import annotations

import math
import re

from bisector.model import Judgement
from bisector.recipe import texts, units
from bisector.recipe.faults import Unfit, quoted
from bisector.recipe.leaves import COUNT, LIKELIHOOD, TOLERANCE, choice
from bisector.recipe.records import Key, Record
from bisector.recipe.schema import (
    Absolute,
    Compare,
    Confidence,
    Measure,
    Metric,
    Policy,
    Reaction,
    Relative,
    Runs,
    Times,
    Until,
    Worse,
)
from bisector.recipe.shapes import ByKind, Choice, Leaf, Shape, Then
from bisector.recipe.spellings import Spellings

FEWEST_PAIRS = 8
"""So many must agree at an end before its limit is believed."""
PATTERN = Leaf(texts.pattern, "a regular expression")


def _runs(max: int | None = None, bad_after: int = 1, confidence: float | None = None) -> Runs:
    if confidence is not None and (max is not None or bad_after > 1):
        raise Unfit("stands alone: it finds out how many runs it takes", "confidence")
    if confidence is not None:
        return Confidence(confidence)
    if max is None:
        raise Unfit("needs `max` or `confidence`")
    if bad_after > max:
        raise Unfit(f"is never reached in {max} runs", "bad_after")
    return Until(max, bad_after)


RUNS: Shape[Runs] = ByKind(
    scalar=Then(COUNT, Times),
    mapping=Record(
        _runs,
        {
            "max": Key(COUNT, "runs of a trial"),
            "bad_after": Key(COUNT, "failures that make it bad; default: 1"),
            "confidence": Key(LIKELIHOOD, "as many runs as it takes to be this sure"),
        },
    ),
)


def _source(text: str) -> Measure | str:
    known = {measure.value: measure for measure in Measure}
    return known[text] if text in known else texts.pattern_with_number(text)


def _threshold(text: str) -> Absolute | Relative:
    match = re.fullmatch(units.THRESHOLD, text)
    if match is None:
        raise Unfit(f"expected a number, or 1.5x for times the good end's, found {quoted(text)}")
    return Relative(units.positive(match[1])) if match[2] else Absolute(units.number(match[1]))


_SOURCE: Leaf[Measure | str] = Leaf(_source, "a pattern, wall_time, cpu_time or peak_memory")
_THRESHOLD: Leaf[Absolute | Relative] = Leaf(
    _threshold,
    "a number or times",
    {"anyOf": [{"type": "number"}, {"type": "string", "pattern": f"^{units.THRESHOLD}$"}]},
)

METRIC: Shape[Metric] = ByKind(
    scalar=Then(_SOURCE, Metric),
    mapping=Record(
        Metric,
        {
            "pattern": Key(_SOURCE, "the first group is the number; or a measure", "source"),
            "worse": Key(choice(Worse), "default: higher"),
            "threshold": Key(_THRESHOLD, "1.5x the good end's, or a plain number; default: between the ends"),
        },
        required=("source",),
    ),
)

COMPARE: Record[Compare] = Record(
    Compare,
    {
        "file": Key(Leaf(texts.array_file, "a path"), "saved by the repro: .pt .safetensors .npy .npz .json"),
        "rtol": Key(TOLERANCE, "relative; default: 1e-4"),
        "atol": Key(TOLERANCE, "absolute; default: 1e-6"),
    },
    required=("file",),
)


def _one_decides(policy: Policy) -> None:
    if policy.metric and policy.compare:
        raise Unfit("beside `metric`: either a number decides or an array", "compare")
    if isinstance(policy.runs, Confidence) and (policy.metric or policy.compare):
        raise Unfit("`confidence` is for failures: a number or an array decides otherwise", "runs")
    if policy.metric and policy.metric.goes_in_turns and _most(policy.runs) < FEWEST_PAIRS:
        raise Unfit(
            f"too few for a number that is measured in turns: at least {FEWEST_PAIRS} tell anything", "runs"
        )


def _most(runs: Runs | None) -> float:
    match runs:
        case Times(count) | Until(count):
            return count
        case _:
            return math.inf


def policy(spellings: Spellings) -> Record[Policy]:
    fields = {Judgement.OLD: "old_if", Judgement.NEW: "new_if"}
    patterns = {
        f"{word}_if": Key(PATTERN, "a regular expression over stdout and stderr", fields[judgement])
        for word, judgement in spellings.judgements.items()
    }
    reaction: Choice[Reaction] = Choice(spellings.reactions)
    failure: Choice[Reaction] = Choice(spellings.failures)
    other = Choice({word: value for word, value in failure.words.items() if value is not Reaction.ABORT})
    return Record(
        Policy,
        {
            **patterns,
            "skip_if": Key(PATTERN, "cannot be tested, whatever else is seen"),
            "other_failure": Key(other, "a failure unlike the one at the failing end; default: skip"),
            "on_timeout": Key(reaction, "default: skip; a hunt for a hang says bad"),
            "on_memory": Key(reaction, "when the memory cap was hit; default: skip"),
            "on_install_failure": Key(failure, "default: skip"),
            "runs": Key(RUNS, "how often a trial runs"),
            "metric": Key(METRIC, "a number decides"),
            "compare": Key(COMPARE, "an array decides"),
        },
        check=_one_decides,
    )
