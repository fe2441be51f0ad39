"""The search under uncertainty: what it believes, what it asks, how often it is right."""

from __future__ import annotations

import random
import statistics

import pytest

from benchmarks.simulate import Kind, hunt
from benchmarks.worlds import OLD_END, Cell, Mode, Shape, Trouble, linear, merged
from bisector.history import History
from bisector.model import Judgement
from bisector.search import stretches
from bisector.search.answers import Try
from bisector.search.belief import Observation, tallies, weigh
from bisector.search.enough import Beside, for_a_name, required
from bisector.search.flaky import (
    Ask,
    CannotTell,
    Costs,
    Named,
    Narrowed,
    NothingChanged,
    prepare,
)
from bisector.search.rates import Tally, changed, failures, unchanged

OLD, NEW, SKIP = Judgement.OLD, Judgement.NEW, Judgement.SKIP


def seen(history: History, *runs: tuple[int, Judgement, int]) -> list[Observation]:
    """Place, what was said, how often; place -1 is the old end."""
    return [
        Observation(OLD_END if place < 0 else history.sha(place), judgement)
        for place, judgement, times in runs
        for _ in range(times)
    ]


def test_before_any_run_every_commit_is_as_likely() -> None:
    history = linear(10)
    belief = weigh(history, {})
    assert [belief.probability(place) for place in range(10)] == pytest.approx(
        [(1 - belief.nothing) / 10] * 10
    )


def test_the_probabilities_sum_to_one() -> None:
    history = merged(80, random.Random(3))
    runs = seen(history, (20, OLD, 2), (40, NEW, 3), (60, OLD, 1), (79, NEW, 2))
    belief = weigh(history, tallies(history, runs))
    assert sum(belief.probability(place) for place in range(80)) + belief.nothing == pytest.approx(1)


def test_a_failure_moves_the_suspicion_to_what_the_commit_contains() -> None:
    history = linear(10)
    ends = [(-1, OLD, 3), (9, NEW, 3)]
    before = weigh(history, tallies(history, seen(history, *ends)))
    after = weigh(history, tallies(history, seen(history, *ends, (4, NEW, 1))))
    assert after.probability(2) > 1.5 * before.probability(2)
    assert after.probability(7) < 0.3 * before.probability(7)


def test_observations_in_any_order_say_the_same() -> None:
    history = linear(30)
    runs = seen(history, (-1, OLD, 4), (29, NEW, 5), (12, NEW, 2), (12, OLD, 1), (8, OLD, 3))
    one, other = weigh(history, tallies(history, runs)), weigh(history, tallies(history, runs[::-1]))
    for place in range(30):
        assert one.probability(place) == pytest.approx(other.probability(place))


def test_runs_that_always_agree_name_the_commit_soon() -> None:
    history = linear(16)
    runs = seen(history, (-1, OLD, 1), (15, NEW, 2), (7, OLD, 3), (11, NEW, 1), (9, NEW, 1), (8, NEW, 2))
    search = prepare(history, OLD_END)
    assert search.search(runs) == Ask(history.sha(8), 1), "few failures stand behind it"
    answer = search.search([*runs, *seen(history, (8, NEW, 5))])
    assert isinstance(answer, Named)
    assert answer.commit == history.sha(8)
    assert answer.probability >= 0.95


def test_a_single_run_beside_the_answer_is_not_enough() -> None:
    history = linear(1024)
    runs = seen(history, (-1, OLD, 1), (1023, NEW, 2), (500, OLD, 1), (501, NEW, 1))
    assert isinstance(prepare(history, OLD_END).search(runs), Ask)


@pytest.mark.parametrize("silent", [39, 40, 32])
def test_a_commit_that_ran_once_and_never_again_is_given_up(silent: int) -> None:
    """Its environment may have gone, its other failure may come and go."""
    history, dice = linear(64), random.Random(silent)
    made = seen(history, (-1, OLD, 1), (63, NEW, 2))
    asked = 0
    while isinstance(answer := prepare(history, OLD_END).search(made), Ask):
        place = -1 if answer.commit == OLD_END else history.place(answer.commit)
        assert place is not None
        said = NEW if place >= 40 and dice.random() < 0.6 else OLD
        if place == silent:
            asked += 1
            said = said if asked == 1 else SKIP
        made = [*made, Observation(answer.commit, said)]
    assert asked <= 11
    assert isinstance(answer, Named | Narrowed)
    assert history.sha(40) in ({answer.commit} if isinstance(answer, Named) else answer.commits)


def test_more_confidence_takes_more_runs() -> None:
    history = linear(16)
    runs = seen(history, (-1, OLD, 1), (15, NEW, 2), (7, OLD, 3), (8, NEW, 7))
    assert isinstance(prepare(history, OLD_END).search(runs), Named)
    assert isinstance(prepare(history, OLD_END, confidence=0.9999).search(runs), Ask)


def test_without_a_contradiction_it_is_the_plain_search() -> None:
    history = merged(200, random.Random(5))
    runs = seen(history, (-1, OLD, 1), (199, NEW, 2))
    while isinstance(plain := stretches.search(history, _verdicts(runs)), Try):
        asked = prepare(history, OLD_END).search(runs)
        assert asked == Ask(plain.commits[0], 1)
        runs.append(Observation(asked.commit, random.Random(len(runs)).choice([OLD, NEW])))


def _verdicts(runs: list[Observation]) -> dict[str, Judgement]:
    return {run.commit: run.judgement for run in runs if run.commit != OLD_END}


@pytest.mark.parametrize(("commits", "itself", "elsewhere"), [(256, 7, 6), (1024, 7, 6), (4096, 7, 8)])
def test_a_long_history_wants_more_runs_behind_a_name(commits: int, itself: int, elsewhere: int) -> None:
    """Somewhere in it a row of luck is likelier."""
    history = linear(commits)
    culprit = history.sha(commits - 2)
    made = seen(history, (-1, OLD, 1), (commits - 1, NEW, 2))
    while isinstance(answer := prepare(history, OLD_END).search(made), Ask):
        fails = answer.commit != OLD_END and answer.commit >= culprit
        made = [*made, Observation(answer.commit, NEW if fails else OLD)]
    assert isinstance(answer, Named)
    assert answer.commit == culprit
    failed = [one.commit for one in made if one.judgement is NEW]
    assert (failed.count(culprit), len(failed) - failed.count(culprit) < elsewhere) == (itself, True)


def test_where_a_run_tells_little_more_is_wanted() -> None:
    clear, murky = changed(Tally(0, 30), Tally(30, 0)), changed(Tally(30, 70), Tally(70, 30))
    assert required(0.95, clear, 1024) == pytest.approx(0.95)
    assert required(0.95, murky, 1024) > 0.98


ITSELF, PARENT = 30, 29


@pytest.mark.parametrize(
    ("old", "new", "itself", "parent", "asked"),
    [
        # Where both sides err, what stands beside a late name is run often; before that the probability suffices.
        (Tally(1, 11), Tally(12, 2), Tally(4, 0), Tally(0, 3), None),
        (Tally(2, 14), Tally(13, 2), Tally(6, 1), Tally(0, 12), ITSELF),
        (Tally(2, 18), Tally(14, 2), Tally(11, 1), Tally(1, 4), PARENT),
        (Tally(2, 24), Tally(24, 2), Tally(11, 1), Tally(1, 11), None),
        # Where only the new side does, the old one's passes must grow with the runs.
        (Tally(0, 22), Tally(16, 16), Tally(2, 1), Tally(0, 10), None),
        (Tally(0, 23), Tally(17, 17), Tally(2, 1), Tally(0, 11), PARENT),
        (Tally(0, 32), Tally(17, 17), Tally(2, 1), Tally(0, 20), None),
        (Tally(0, 80), Tally(12, 48), Tally(2, 1), Tally(0, 20), None),
        (Tally(0, 23), Tally(8, 32), Tally(2, 1), Tally(0, 11), None),
        # Where neither does, there is no luck in going on.
        (Tally(0, 40), Tally(40, 0), Tally(2, 0), Tally(0, 2), None),
    ],
)
def test_the_longer_it_took_the_more_stands_behind_a_name(
    old: Tally, new: Tally, itself: Tally, parent: Tally, asked: int | None
) -> None:
    beside = Beside(ITSELF, (PARENT,), 64)
    assert for_a_name(changed(old, new), beside, {ITSELF: itself, PARENT: parent}) == asked


@pytest.mark.parametrize(
    ("old", "new", "itself", "asked"),
    [
        # One failure of the old side, and 20 runs in all: the fewer-run of the two places.
        (Tally(1, 8), Tally(11, 0), Tally(4, 0), PARENT),
        (Tally(1, 8), Tally(11, 0), Tally(2, 0), ITSELF),
        (Tally(1, 11), Tally(11, 0), Tally(4, 0), None),
        # Without a contradiction nothing was lucky.
        (Tally(0, 9), Tally(11, 0), Tally(4, 0), None),
    ],
)
def test_an_early_contradiction_puts_a_name_off(
    old: Tally, new: Tally, itself: Tally, asked: int | None
) -> None:
    beside = Beside(ITSELF, (PARENT,), 1024)
    assert for_a_name(changed(old, new), beside, {ITSELF: itself, PARENT: Tally(0, 3)}) == asked


def test_late_more_than_the_confidence_is_wanted_where_the_new_side_passes_too() -> None:
    early, late = changed(Tally(0, 22), Tally(20, 13)), changed(Tally(0, 32), Tally(30, 20))
    assert required(0.95, early, 1024) < 0.96
    assert required(0.95, late, 1024) == pytest.approx(0.994)
    assert required(0.95, late, 1 << 20) < 0.96, "of a longer history it is not late yet"
    assert required(0.95, changed(Tally(0, 32), Tally(50, 0)), 1024) == pytest.approx(0.95)


def test_ends_that_few_runs_call_alike_are_run_again() -> None:
    history = linear(64)
    runs = seen(history, (-1, NEW, 40), (63, NEW, 3), (30, NEW, 40))
    assert prepare(history, OLD_END).search(runs) == Ask(history.sha(63), 1)


def test_ends_that_fail_alike_are_told() -> None:
    history = linear(64)
    runs = seen(history, (-1, NEW, 90), (-1, OLD, 90), (63, NEW, 90), (63, OLD, 90))
    assert isinstance(prepare(history, OLD_END).search(runs), NothingChanged)


def test_a_spent_budget_lists_the_likeliest() -> None:
    history = linear(64)
    runs = seen(history, (-1, OLD, 2), (63, NEW, 2), (30, NEW, 1), (29, OLD, 1))
    answer = prepare(history, OLD_END, budget=6).search(runs)
    assert isinstance(answer, CannotTell)
    assert answer.likeliest[0].commit == history.sha(30)
    assert answer.likeliest[0].probability > answer.likeliest[1].probability


def test_untestable_commits_around_the_answer_narrow_it_to_them() -> None:
    history = linear(16)
    runs = seen(
        history, (-1, OLD, 2), (15, NEW, 3), (6, OLD, 3), (10, NEW, 3), *((n, SKIP, 1) for n in (7, 8, 9))
    )
    search = prepare(history, OLD_END)
    assert search.search(runs) == Ask(history.sha(10), 1), "few failures stand behind it"
    answer = search.search([*runs, *seen(history, (10, NEW, 4))])
    assert isinstance(answer, Narrowed)
    assert answer.commits == tuple(map(history.sha, (7, 8, 9, 10)))
    assert answer.untried == ()


def test_an_untestable_commit_is_not_asked_again() -> None:
    history = linear(64)
    runs = seen(history, (-1, OLD, 2), (63, NEW, 2))
    search = prepare(history, OLD_END)
    ends = {OLD_END: OLD, history.sha(63): NEW}
    while isinstance(answer := search.search(runs), Ask):
        assert answer.commit not in {run.commit for run in runs if run.judgement is SKIP}
        runs.append(Observation(answer.commit, ends.get(answer.commit, SKIP)))
    assert isinstance(answer, Narrowed)
    assert len(answer.commits) == 64


def test_an_untestable_commit_is_left_though_staying_costs_nothing() -> None:
    history = linear(40)
    flaky = prepare(history, OLD_END)
    runs = seen(history, (-1, OLD, 3), (39, NEW, 2), (39, OLD, 2), (20, SKIP, 1))
    asked = flaky.search(runs, Costs(run=0.1, switch=1.0))
    assert isinstance(asked, Ask)
    assert asked.commit != history.sha(20)


def test_a_change_that_costs_time_is_made_for_several_runs() -> None:
    history = linear(256)
    runs = seen(history, (127, NEW, 1), (-1, OLD, 9), (-1, NEW, 1), (255, NEW, 29), (255, OLD, 3))
    search = prepare(history, OLD_END)
    cheap, dear = search.search(runs), search.search(runs, Costs(run=1, switch=60))
    assert isinstance(cheap, Ask)
    assert isinstance(dear, Ask)
    assert cheap.runs == 1
    assert dear.commit != history.sha(255)
    assert dear.runs > 1


def test_a_prepared_commit_is_stayed_on_as_long_as_it_tells_more_a_second() -> None:
    history = linear(256)
    runs = seen(history, (-1, OLD, 9), (-1, NEW, 1), (255, NEW, 9), (255, OLD, 1), (127, NEW, 1))
    assert prepare(history, OLD_END).search(runs, Costs(run=1, switch=600)) == Ask(history.sha(127), 1)


def test_the_old_end_is_asked_when_its_rate_is_what_is_not_known() -> None:
    history = linear(1)
    runs = seen(history, (0, NEW, 6), (0, OLD, 6))
    answer = prepare(history, OLD_END).search(runs)
    assert isinstance(answer, Ask)
    assert answer.commit == OLD_END


def test_likelihoods_of_thousands_of_runs_stay_finite() -> None:
    right = changed(Tally(10, 3000), Tally(3000, 10))
    wrong = changed(Tally(3000, 10), Tally(10, 3000))
    assert right.log_likelihood > unchanged(Tally(3010, 3010)).log_likelihood > wrong.log_likelihood


def test_learned_rates_are_those_observed() -> None:
    evidence = changed(Tally(30, 70), Tally(70, 30))
    assert evidence.old.rate == pytest.approx(0.3, abs=0.05)
    assert evidence.new.rate == pytest.approx(0.7, abs=0.05)


def test_the_numbers_of_failures_are_all_there_are() -> None:
    chances = failures(changed(Tally(1, 5), Tally(4, 2)).new, 5)
    assert len(chances) == 6
    assert sum(chances) == pytest.approx(1)


CELLS = [
    Cell(1.0, 0.0, target=15, mode=Mode.DEFAULT),
    Cell(1.0, 0.0, target=15),
    Cell(0.9, 0.1, target=28),
    Cell(0.5, 0.0, 256, Shape.MERGED),
    Cell(0.7, 0.3, 64),
    Cell(0.9, 0.0, 256, Shape.MERGED, Trouble.OTHER_TENTH),
    Cell(0.5, 0.0, 256, trouble=Trouble.OTHER_FOUR_TENTHS),
    Cell(1.0, 0.0, 256, trouble=Trouble.STRETCH, mode=Mode.DEFAULT),
]


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_simulated_hunts_are_right_as_often_as_they_claim(cell: Cell) -> None:
    results = [hunt(cell, seed) for seed in range(20)]
    wrong = sum(result.kind is Kind.WRONG for result in results)
    # At 5% wrong, more than 3 of 20 happens once in sixty; the seeds are fixed, `make bench` has the figures.
    assert wrong <= (0 if (cell.new, cell.old) == (1.0, 0.0) else 3)
    assert all(result.kind in (Kind.RIGHT, Kind.WRONG, Kind.SUSPECTS) for result in results)
    if cell.target is not None:
        # Twenty hunts give the median to about a tenth.
        assert statistics.median(result.runs for result in results) <= 1.15 * cell.target


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("rate", [0.0, 0.1, 0.9, 1.0])
def test_where_nothing_changed_nobody_is_named(rate: float, mode: Mode) -> None:
    results = [hunt(Cell(rate, rate, 256, mode=mode), seed) for seed in range(10)]
    assert sum(result.kind is Kind.WRONG for result in results) <= 1
    assert all(result.kind in (Kind.NOTHING, Kind.REFUSED, Kind.WRONG) for result in results)


def test_the_same_seed_gives_the_same_hunt() -> None:
    cell = Cell(0.5, 0.0, 128, Shape.MERGED, Trouble.OTHER_FOUR_TENTHS)
    assert hunt(cell, 5) == hunt(cell, 5)
