"""Bisection through untestable commits: few trials, and the culprit is never lost."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from statistics import mean

import pytest

from bisector.history import History, build
from bisector.model import Judgement
from bisector.search import plain, stretches
from bisector.search.answers import Answer, Found, Suspects, Try
from bisector.search.testability import chances

COMMITS = 512
LINE = [f"{number + 1:040x}" for number in range(COMMITS)]
Search = Callable[[History, dict[str, Judgement]], Answer]


def line() -> History:
    return build((sha, (LINE[number - 1],) if number else ()) for number, sha in enumerate(LINE))


def merged(chance: random.Random, commits: int) -> History:
    """Side branches of a few commits each, merged again."""
    graph: list[tuple[int, ...]] = [()]
    trunk = 0
    while len(graph) < commits - 6:
        side = trunk
        for _ in range(chance.randrange(1, 5)):
            graph.append((side,))
            side = len(graph) - 1
        graph.append((trunk,))
        graph.append((len(graph) - 1, side))
        trunk = len(graph) - 1
    return build((LINE[number], [LINE[parent] for parent in parents]) for number, parents in enumerate(graph))


def hunt(search: Search, history: History, culprit: str, untestable: Collection[str]) -> tuple[int, Answer]:
    """How many trials it took, and the ending."""
    verdicts: dict[str, Judgement] = {}
    while isinstance(answer := search(history, verdicts), Try):
        commit = answer.commits[0]
        assert commit not in verdicts
        if commit in untestable:
            verdicts[commit] = Judgement.SKIP
        else:
            verdicts[commit] = Judgement.NEW if history.is_ancestor(culprit, commit) else Judgement.OLD
    return len(verdicts), answer


def stretch_around(chance: random.Random, culprit: int, length: int) -> set[str]:
    start = max(culprit - chance.randrange(length), 0)
    return set(LINE[start : min(start + length, COMMITS - 1)])


def suspects(answer: Answer) -> tuple[str, ...]:
    assert isinstance(answer, Found | Suspects)
    return (answer.commit,) if isinstance(answer, Found) else answer.commits


def test_a_long_stretch_around_the_culprit_costs_two_edge_searches_not_a_walk() -> None:
    chance, history, counts = random.Random(1), line(), []
    for _ in range(15):
        culprit = chance.randrange(130, 380)
        untestable = stretch_around(chance, culprit, 121)
        trials, answer = hunt(stretches.search, history, LINE[culprit], untestable)
        first_new = max(map(LINE.index, untestable)) + 1
        assert set(suspects(answer)) == {*untestable, LINE[first_new]}
        assert isinstance(answer, Suspects)
        assert set(answer.untried) < untestable
        counts.append(trials)
    # 9 trials for 512 commits and 2 log2(121) for the edges.
    assert max(counts) <= 9 + 14


def test_a_stretch_that_does_not_hide_the_culprit_leaves_one_commit() -> None:
    chance, history = random.Random(2), line()
    for _ in range(15):
        culprit = chance.randrange(200)
        trials, answer = hunt(stretches.search, history, LINE[culprit], set(LINE[220:400]))
        assert answer == Found(LINE[culprit])
        assert trials <= 16


@pytest.mark.parametrize("share", [0.1, 0.2, 0.4])
def test_scattered_untestable_commits_hide_nothing_that_can_be_known(share: float) -> None:
    chance, history, ours, gits = random.Random(3), line(), [], []
    for _ in range(12):
        culprit = chance.randrange(COMMITS)
        untestable = {sha for sha in LINE[:-1] if chance.random() < share}
        trials, answer = hunt(stretches.search, history, LINE[culprit], untestable)
        walked, known = hunt(plain.search, history, LINE[culprit], untestable)
        assert suspects(answer) == suspects(known)
        ours.append(trials)
        gits.append(walked)
    assert mean(ours) <= 1.3 * mean(gits)


def test_merged_histories_never_lose_the_culprit() -> None:
    chance = random.Random(4)
    for _ in range(25):
        history = merged(chance, chance.randrange(20, 200))
        shas = list(history)
        culprit = chance.choice(shas)
        start = chance.randrange(len(shas))
        untestable = {*shas[start : start + chance.randrange(60)], *chance.sample(shas, 5)} - {shas[-1]}
        _, answer = hunt(stretches.search, history, culprit, untestable)
        assert culprit in suspects(answer)
        if isinstance(answer, Suspects):
            tried = set(answer.commits[:-1]).difference(answer.untried)
            assert tried <= untestable


def test_an_island_of_testable_commits_in_a_stretch_is_found() -> None:
    culprit = 240
    untestable = set(LINE[150:230]) | set(LINE[250:330])
    _, answer = hunt(stretches.search, line(), LINE[culprit], untestable)
    assert answer == Found(LINE[culprit])


def test_untestable_commits_side_by_side_make_the_next_unlikely() -> None:
    stretch = chances(100, dict.fromkeys(range(40, 61, 2), False))
    assert stretch[51] < 0.1 < 0.5 < stretch[10]


def test_untestable_commits_beside_testable_ones_say_little_of_the_next() -> None:
    tried = {place: place % 2 == 0 for place in range(20, 60)}
    alone = chances(100, {place: found for place, found in tried.items() if place not in (40, 41)})
    assert 0.3 < alone[40] < 0.95
