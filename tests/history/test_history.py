"""The commit graph: order, what is in question, weights."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from bisector.history import (
    History,
    ancestor_sets,
    build,
    expected_trials,
    is_linear,
    parse,
    weights,
)


def sha(number: int) -> str:
    return f"{number + 1:040x}"


def graph(*parents: tuple[int, ...]) -> History:
    """Commit n has these parents."""
    return build((sha(number), [sha(parent) for parent in named]) for number, named in enumerate(parents))


def criss_cross() -> History:
    """0 forks to 1 and 2; 3 and 4 each merge both; 5 merges those."""
    return graph((), (0,), (0,), (1, 2), (2, 1), (3, 4))


def test_lines_of_git_become_a_history_with_the_oldest_first() -> None:
    history = build(parse([f"{sha(2)} {sha(1)}", f"{sha(1)} {sha(0)}", sha(0)]))
    assert list(history) == [sha(0), sha(1), sha(2)]
    assert history.parents == ((), (0,), (1,))


def test_parents_that_are_not_listed_are_left_out() -> None:
    history = build(parse([f"{sha(2)} {sha(1)} {sha(7)}", f"{sha(1)} {sha(0)}"]))
    assert history.parents == ((), (0,))
    assert sha(0) not in history
    assert history.place(sha(0)) is None


def test_a_listing_that_a_wrong_clock_mixed_up_still_has_parents_first() -> None:
    listed = [(sha(1), [sha(0)]), (sha(3), [sha(2)]), (sha(0), []), (sha(2), [sha(1)])]
    history = build(listed)
    assert list(history) == [sha(0), sha(1), sha(2), sha(3)]


def test_any_order_of_listing_gives_the_same_graph() -> None:
    chance = random.Random(1)
    whole = criss_cross()
    listed = [(sha(place), [sha(parent) for parent in named]) for place, named in enumerate(whole.parents)]
    for _ in range(20):
        chance.shuffle(listed)
        history = build(listed)
        assert all(parent < place for place, named in enumerate(history.parents) for parent in named)
        assert {one: set(history.parents_of(one)) for one in history} == {
            one: set(whole.parents_of(one)) for one in whole
        }


def test_a_commit_listed_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        build([(sha(0), []), (sha(0), [])])


def test_an_unknown_commit_is_named_in_the_refusal() -> None:
    with pytest.raises(KeyError, match=sha(9)):
        criss_cross().between([], sha(9))


def test_sha_256_names_work_too() -> None:
    history = build([("ab" * 32, []), ("cd" * 32, ["ab" * 32])])
    assert list(history.between(["ab" * 32], "cd" * 32)) == ["cd" * 32]


def test_only_the_first_parents_make_a_line() -> None:
    listed = [(sha(3), [sha(2), sha(1)]), (sha(2), [sha(0)]), (sha(0), [])]
    history = build(listed, first_parent=True)
    assert is_linear(history)
    assert list(history) == [sha(0), sha(2), sha(3)]


def test_in_question_is_what_the_new_end_contains_and_no_old_one_does() -> None:
    left = criss_cross().between([sha(1)], sha(4))
    assert set(left) == {sha(2), sha(4)}
    assert list(left)[-1] == sha(4)
    assert left.parents == ((), (0,))


def test_an_old_end_on_a_side_branch_leaves_what_it_does_not_contain() -> None:
    history = graph((), (0,), (0,), (2,), (1,))
    assert set(history.between([sha(3)], sha(4))) == {sha(1), sha(4)}
    assert history.merge_bases(sha(3), sha(4)) == (sha(0),)


def test_a_criss_cross_has_two_merge_bases() -> None:
    assert set(criss_cross().merge_bases(sha(3), sha(4))) == {sha(1), sha(2)}


def test_unrelated_histories_have_no_merge_base() -> None:
    assert graph((), (), (0,)).merge_bases(sha(2), sha(1)) == ()


def test_ancestry_includes_the_commit_itself() -> None:
    history = criss_cross()
    assert history.is_ancestor(sha(2), sha(2))
    assert history.is_ancestor(sha(2), sha(3))
    assert not history.is_ancestor(sha(3), sha(2))
    assert not history.is_ancestor(sha(3), sha(4))


def test_weights_count_each_ancestor_once() -> None:
    assert weights(criss_cross()) == [1, 2, 2, 4, 4, 6]
    assert [reached.bit_count() for reached in ancestor_sets(criss_cross())] == weights(criss_cross())


def test_weights_of_a_line_are_its_places() -> None:
    assert weights(graph((), (0,), (1,))) == [1, 2, 3]


@pytest.mark.parametrize(
    ("commits", "trials"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 2), (6, 3), (1000, 10), (1024, 10)]
)
def test_expected_trials(commits: int, trials: int) -> None:
    assert expected_trials(commits) == trials


def test_a_commit_costs_a_few_small_objects() -> None:
    """At 500 bytes a commit, a history of 100,000 takes less than 50 MiB."""
    commits = 20_000
    listed = [
        (
            sha(number),
            [sha(number - 1), sha(number - 7)][: 2 if number > 7 and number % 5 == 0 else min(number, 1)],
        )
        for number in range(commits)
    ]
    tracemalloc.start()
    history = build(listed)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 500 * len(history)
    assert peak < 1000 * len(history)


def test_the_sets_that_weights_are_counted_by_are_dropped_again() -> None:
    """All the sets of 20,000 commits would take 25 MB."""
    commits = 20_000
    history = build(
        (
            sha(number),
            [sha(number - 1), sha(number - 7)][: 2 if number > 7 and number % 5 == 0 else min(number, 1)],
        )
        for number in range(commits)
    )
    tracemalloc.start()
    assert weights(history)[-1] == commits
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000
