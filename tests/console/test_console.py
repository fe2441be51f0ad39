"""What a hunt shows on a terminal of some width."""

from __future__ import annotations

import io
from datetime import datetime, timezone

import pytest
from rich.console import Console as Terminal

from bisector.console import LiveConsole, PlainConsole
from bisector.engine.progress import Note, TrialEnded
from bisector.model import Commit, JudgedTrial, Judgement, Purpose, Stage, Trial, Untestable, Verdict

WHEN = datetime(2024, 1, 1, tzinfo=timezone.utc)
REASON = "the project's build failed: pkg/_c.c:7:34: error: expected a semicolon before the word oops here"


def ended() -> TrialEnded:
    commit = Commit("0123456789" * 4, (), "Add", "", "A", "a@b", WHEN, WHEN)
    outcome = Untestable(Stage.INSTALL, REASON)
    trial = Trial(commit.sha, "", Purpose.SEARCH, WHEN, outcome, None, 1.0, 0, 0, 0, "")
    judged = JudgedTrial(trial, Verdict(Judgement.SKIP, REASON), False, 39)
    return TrialEnded(0, judged, commit, "search", 5)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_a_trial_takes_one_line_of_a_terminal(width: int) -> None:
    stream = io.StringIO()
    live = LiveConsole(Terminal(file=stream, width=width, soft_wrap=True, no_color=True))
    live.hear(ended())
    [told] = stream.getvalue().splitlines()
    assert len(told) <= width
    assert told.startswith("0123456789 skip    ")
    if width > 60:
        assert told.endswith("(search, 1.0 s, 39 left)" if width == 200 else "\u2026  (39 left)")
    if width >= 80:
        assert "pkg/_c.c:7:34: error" in told, "what tells is there, if need be without what is known anyway"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_note_breaks_at_its_words(width: int) -> None:
    stream = io.StringIO()
    live = LiveConsole(Terminal(file=stream, width=width, soft_wrap=True, no_color=True))
    note = "the failing end runs into its time limit: this is a hunt for a hang, " * 3
    live.hear(Note(note))
    told = stream.getvalue().splitlines()
    assert len(told) > 1 and max(map(len, told)) <= width
    assert " ".join(told).split() == note.split()


def test_elsewhere_the_reason_is_whole() -> None:
    told: list[str] = []
    PlainConsole(told.append).hear(ended())
    assert told == [f"0123456789 skip    {REASON}  (search, 1.0 s, 39 left)"]
