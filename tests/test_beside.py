"""Two threads at work: neither is left behind, and no defect is passed over."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from bisector.beside import Follower, Turns, beside

PATIENCE = 20.0


def test_the_work_is_through_at_the_end() -> None:
    done: list[str] = []
    with beside(lambda: done.append(threading.current_thread().name)):
        pass
    assert done
    assert done[0] != threading.current_thread().name


def test_its_result_can_be_had() -> None:
    with beside(lambda: 42) as work:
        assert work() == 42
    assert work() == 42


def test_what_it_raises_is_raised() -> None:
    def fail() -> None:
        raise ValueError("a defect")

    with pytest.raises(ValueError, match="a defect"), beside(fail):
        pass


def full() -> None:
    raise OSError("the disk is full")


def defect() -> None:
    raise ValueError("a defect")


@pytest.mark.parametrize(
    ("block", "work", "raised"),
    [
        (full, defect, ValueError),
        (defect, full, ValueError),
        (full, full, OSError),
        (defect, defect, ValueError),
    ],
)
def test_a_defect_goes_before_what_is_met_in_words(
    block: Callable[[], None], work: Callable[[], None], raised: type[Exception]
) -> None:
    with pytest.raises(raised), beside(work):
        block()


def test_an_interruption_goes_before_all() -> None:
    with pytest.raises(KeyboardInterrupt), beside(full):
        raise KeyboardInterrupt


def test_who_fails_gives_the_rest_up() -> None:
    over = threading.Event()

    def work() -> None:
        assert over.wait(PATIENCE)

    with pytest.raises(OSError, match="the disk is full"), beside(work, over.set):
        raise OSError("the disk is full")


def test_a_follower_is_set_by_its_leader_and_by_itself_alone() -> None:
    leader = threading.Event()
    one, other = Follower(leader), Follower(leader)
    assert not one.wait(0.01)
    one.set()
    assert (one.is_set(), other.is_set(), leader.is_set()) == (True, False, False)
    threading.Timer(0.05, leader.set).start()
    assert other.wait(PATIENCE)
    assert other.is_set()


def test_one_at_a_time_for_a_name() -> None:
    turns, never, off = Turns(), threading.Event(), threading.Event()
    off.set()
    with turns.of("one", never) as first:
        with turns.of("other", never) as other, turns.of("one", off) as second:
            assert (first, other, second) == (True, True, False)
        waiting = threading.Timer(0.0, lambda: seen.append(next_turn(turns)))
        seen: list[bool] = []
        waiting.start()
        assert not seen
    waiting.join(PATIENCE)
    assert seen == [True]


def next_turn(turns: Turns) -> bool:
    with turns.of("one", threading.Event()) as is_mine:
        return is_mine
