"""The plain search on histories small enough to see through."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bisector.history import History, build
from bisector.model import Judgement
from bisector.search import plain, stretches
from bisector.search.answers import Answer, Contradiction, Found, Suspects, Try

Search = Callable[[History, dict[str, Judgement], int], Answer]
OLD, NEW, SKIP, ERROR = Judgement.OLD, Judgement.NEW, Judgement.SKIP, Judgement.ERROR


def line(commits: int) -> History:
    return build((sha(number), (sha(number - 1),) if number else ()) for number in range(commits))


def sha(number: int) -> str:
    return f"{number + 1:040x}"


def names(answer: Answer) -> list[int]:
    assert isinstance(answer, Try)
    return [int(commit, 16) - 1 for commit in answer.commits]


def test_one_commit_needs_no_trial() -> None:
    assert plain.search(line(1), {}) == Found(sha(0))


def test_a_line_is_halved() -> None:
    assert names(plain.search(line(8), {})) == [3]


def test_the_verdict_on_an_end_changes_nothing() -> None:
    assert plain.search(line(8), {sha(7): NEW, "f" * 40: OLD}) == plain.search(line(8), {})


def test_an_error_says_nothing_so_the_commit_is_asked_again() -> None:
    assert names(plain.search(line(8), {sha(3): ERROR})) == [3]


def test_three_workers_get_the_midpoint_and_those_of_either_answer() -> None:
    assert names(plain.search(line(8), {}, workers=3)) == [3, 1, 5]


def test_more_workers_than_commits_get_every_commit_once() -> None:
    assert sorted(names(plain.search(line(8), {}, workers=50))) == list(range(7))


def test_the_nearest_new_commit_counts() -> None:
    assert plain.search(line(8), {sha(5): NEW, sha(3): NEW, sha(2): OLD}) == Found(sha(3))


def test_an_old_commit_that_contains_a_new_one_contradicts() -> None:
    assert plain.search(line(8), {sha(2): NEW, sha(5): OLD}) == Contradiction(sha(5), sha(2))


def test_an_old_end_of_the_range_contradicts() -> None:
    assert plain.search(line(8), {sha(7): OLD}) == Contradiction(sha(7), sha(7))


def test_untestable_commits_beside_the_change_are_suspects_with_the_first_new_one_last() -> None:
    verdicts = {sha(1): OLD, sha(2): SKIP, sha(3): SKIP, sha(4): NEW}
    for search in (plain.search, stretches.search):
        assert search(line(8), verdicts) == Suspects((sha(2), sha(3), sha(4)))


def test_new_on_two_branches_keeps_to_the_one_that_leaves_fewer() -> None:
    history = build(
        [
            (sha(0), ()),
            (sha(1), (sha(0),)),
            (sha(2), (sha(0),)),
            (sha(3), (sha(2),)),
            (sha(4), (sha(1), sha(3))),
        ]
    )
    assert names(plain.search(history, {sha(1): NEW, sha(3): NEW})) == [0]


@pytest.mark.parametrize("search", [plain.search, stretches.search])
def test_many_workers_reach_the_same_commit_as_one(search: Search) -> None:
    history = line(100)
    for workers in (1, 2, 3, 8):
        for culprit in (0, 1, 50, 98, 99):
            verdicts: dict[str, Judgement] = {}
            while isinstance(answer := search(history, verdicts, workers), Try):
                for commit in answer.commits:
                    verdicts[commit] = NEW if int(commit, 16) - 1 >= culprit else OLD
            assert answer == Found(sha(culprit))
