"""Two threads at work: neither is left behind, and no defect is passed over."""

from __future__ import annotations

import threading

import pytest

from bisector.beside import Follower, beside

PATIENCE = 20.0


def test_the_work_is_through_at_the_end() -> None:
    done: list[str] = []
    with beside(lambda: done.append(threading.current_thread().name)):
        pass
    assert done
    assert done[0] != threading.current_thread().name


def test_what_it_raises_is_raised() -> None:
    def fail() -> None:
        raise ValueError("a defect")

    with pytest.raises(ValueError, match="a defect"), beside(fail):
        pass
    with pytest.raises(ValueError, match="a defect") as raised, beside(fail):
        raise OSError("the disk is full")
    assert isinstance(raised.value.__cause__, OSError)


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
