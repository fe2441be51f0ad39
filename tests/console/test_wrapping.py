"""Lines of a report and of a fault in terminals of some width."""

from __future__ import annotations

import io
import os
import pty
from pathlib import Path

import pytest

from bisector.wrapping import columns, wrapped

REPORT = """\
FOUND: recipe
80efdf6c10c5 is the first bad commit: fails 2 of 2 at 80efdf6c10c5, works 2 of 2 at its parent, reverting repairs it

  commit        80efdf6c10c51884416d11b3b575f61157af77fa
  changed       5 files, +27 -6: CHANGES.rst, src/click/testing.py, tests/test_chain.py, and 2 more
  pull request  #2934 Raise an exception on end of input https://github.com/pallets/click/pull/2934

  What went wrong: skip at 80efdf6c10: build failed: no compiler was found on this machine, none
    | what the program wrote stays as it was written, however long its lines are, to be read and copied
"""


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_word_is_broken_and_none_is_lost(width: int) -> None:
    told = wrapped(REPORT, width)
    assert told.split() == REPORT.split()
    broken = [row for row in told.split("\n") if len(row) > width and not row.startswith("    | ")]
    assert all(len(row.split()) == 1 or row.startswith("  commit") for row in broken)


def test_what_follows_a_label_stays_in_its_column() -> None:
    rows = wrapped(REPORT, 50).split("\n")
    first = next(number for number, row in enumerate(rows) if "changed" in row)
    assert rows[first : first + 3] == [
        "  changed       5 files, +27 -6: CHANGES.rst,",
        "                src/click/testing.py,",
        "                tests/test_chain.py, and 2 more",
    ]


def test_other_lines_go_on_further_in() -> None:
    assert wrapped("one two three four five six seven", 30) == "one two three four five six\n  seven"


def test_wide_letters_take_two_columns() -> None:
    word = "\u5b57" * 10
    assert wrapped(f"{word} {word}", 30) == f"{word}\n  {word}"


def test_what_is_no_terminal_is_left_alone(tmp_path: Path) -> None:
    assert wrapped(REPORT, None) == REPORT
    assert columns(io.StringIO()) is None
    with (tmp_path / "file").open("w") as file:
        assert columns(file) is None


def test_a_terminal_says_how_wide_it_is() -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stream:
        assert columns(stream) is None, "a terminal without a size"
    os.close(ours)
