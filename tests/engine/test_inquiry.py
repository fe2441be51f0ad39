"""What is asked of git and the forge while the culprit is proven: the same answer, whatever came in between."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from bisector.beside import Follower
from bisector.engine.inquiry import Dossier, Inquiry
from bisector.errors import Interrupted

PATIENCE = 20.0


@dataclass
class Forge:
    """Answers with what it was asked, in which thread; fails as often as it is told to."""

    faults: list[Exception] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    held: threading.Event = field(default_factory=threading.Event)
    ended: list[str] = field(default_factory=list)

    def ask(self, sha: str, over: threading.Event | None) -> Dossier:
        """git hears that it is over; a forge's server would not."""
        name = threading.current_thread().name
        self.asked.append((sha, name))
        if over is not None:
            until = Follower(over)
            while not (self.held.is_set() or until.wait(0.01)):
                continue
            self.ended += [sha] if over.is_set() else []
        if self.faults:
            raise self.faults.pop()
        return cast("Dossier", f"of {sha}")


@pytest.fixture
def forge() -> Forge:
    return Forge()


def answer(inquiry: Inquiry[Dossier], sha: str) -> Any:
    return inquiry.answer(sha)


def test_what_was_begun_is_waited_for_and_not_asked_twice(forge: Forge) -> None:
    inquiry = Inquiry(forge.ask)
    inquiry.begin("a")
    threading.Timer(0.1, forge.held.set).start()
    assert answer(inquiry, "a") == "of a"
    assert forge.asked == [("a", "inquiry")]


def test_another_commit_is_asked_about_anew(forge: Forge) -> None:
    forge.held.set()
    inquiry = Inquiry(forge.ask)
    inquiry.begin("a")
    assert answer(inquiry, "b") == "of b"
    assert ("b", "MainThread") in forge.asked


def test_who_began_nothing_asks_now(forge: Forge) -> None:
    inquiry = Inquiry(forge.ask)
    assert answer(inquiry, "a") == "of a"
    inquiry.close()


@pytest.mark.parametrize("fault", [Interrupted("interrupted"), ValueError("a defect")])
def test_what_came_in_between_is_met_again_or_not(forge: Forge, fault: Exception) -> None:
    forge.held.set()
    forge.faults = [fault]
    inquiry = Inquiry(forge.ask)
    inquiry.begin("a")
    assert answer(inquiry, "a") == "of a"
    forge.faults = [fault, fault]
    again = Inquiry(forge.ask)
    again.begin("a")
    with pytest.raises(type(fault)):
        answer(again, "a")


def test_what_git_does_ends_with_the_hunt(forge: Forge) -> None:
    inquiry = Inquiry(forge.ask)
    inquiry.begin("a")
    inquiry.close()
    assert forge.ended == ["a"]


def test_who_waits_for_it_in_a_hunt_that_is_interrupted_does_not_wait(forge: Forge) -> None:
    stop = threading.Event()
    forge.faults = [Interrupted("in the thread")]
    inquiry = Inquiry(forge.ask, stop)
    inquiry.begin("a")
    threading.Timer(0.1, stop.set).start()
    assert answer(inquiry, "a") == "of a"
    assert forge.ended == ["a"]
    assert forge.asked == [("a", "inquiry"), ("a", "MainThread")]


def test_it_ends_before_another_commit_is_asked_about(forge: Forge) -> None:
    inquiry = Inquiry(forge.ask)
    inquiry.begin("a")
    assert answer(inquiry, "b") == "of b"
    assert forge.ended == ["a"]


def test_a_server_that_does_not_answer_is_left_to_itself() -> None:
    held = threading.Event()

    def hang(sha: str, over: threading.Event | None) -> Dossier:
        held.wait(PATIENCE)
        raise ValueError("too late")

    inquiry = Inquiry(hang)
    inquiry.begin("a")
    inquiry.close()
    held.set()
