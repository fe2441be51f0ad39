"""The places of tested commits: one order that the history allows, whatever was skipped or judged anew."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from bisector.engine.placing import placed
from bisector.history import build
from bisector.model import JudgedTrial, Judgement, Purpose, Ran, Trial, Verdict

WHEN = datetime(2024, 1, 1, tzinfo=timezone.utc)
LINE = {number: (number - 1,) for number in range(1, 9)}
FORK = {1: (), 2: (1,), 3: (1,), 4: (2,), 5: (3,), 6: (4, 5), 7: (6,)}
"""Two lines side by side, 2-4 and 3-5, which 6 merges."""


def sha(number: int) -> str:
    return f"{number:040x}"


def told(text: str) -> list[JudgedTrial]:
    """`3old 5new`: the trials in order; `r` after the word: with the culprit reverted."""
    trials = []
    for word in text.split():
        purpose = Purpose.REVERT if word.endswith("r") else Purpose.SEARCH
        judgement = Judgement(word[1:].removesuffix("r"))
        trial = Trial(sha(int(word[0])), "", purpose, WHEN, Ran(()), None, 0, 0, 0, 0, "")
        trials.append(JudgedTrial(trial, Verdict(judgement, ""), False, 0))
    return trials


@pytest.mark.parametrize(
    ("graph", "trials", "culprit", "places"),
    [
        (LINE, "8new 4old 6skip 5skip 7new", 7, [8, 4, 6, 5, 7]),
        (LINE, "0old 8new", None, [None, 8]),
        (FORK, "4old 5new", 5, [3, 5]),
        (FORK, "5old 4new", 4, [3, 5]),
        (FORK, "4new 1old", 2, [3, 1]),
        (LINE, "4new 6old 7oldr", None, [4, 6, 7]),
        (LINE, "4old 6new 5old", 3, [4, 6, 5]),
    ],
    ids=[
        "skips do not move a line",
        "the good end is not among them",
        "the side that works comes first",
        "and the other way round",
        "what a failing commit does not contain comes after it",
        "a contradiction moves nothing",
        "what the probabilities did not believe moves nothing",
    ],
)
def test_places(
    graph: dict[int, tuple[int, ...]], trials: str, culprit: int | None, places: list[int | None]
) -> None:
    history = build((sha(number), [sha(one) for one in parents]) for number, parents in graph.items())
    judged = placed(told(trials), history, sha(culprit) if culprit else None)
    assert [one.place for one in judged] == places


def test_without_a_history_nothing_has_a_place() -> None:
    assert placed(told("1old"), None, None) == tuple(told("1old"))
