"""Hunts in which a number decides: counted, timed, or the memory that was taken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.engine_numbers.conftest import Laboratory

FOUND, ENDPOINTS = 0, 4
COUNTS = "import lib; print('took', lib.STEPS)"
PATTERN = 'metric: {pattern: "took ([0-9.]+)"}'


def test_a_count_needs_no_turns_after_the_ends(laboratory: Laboratory) -> None:
    project = laboratory.project(6, lambda number: f"STEPS = {250 if number >= 4 else 100}\n")
    hunted = laboratory.hunt(project, COUNTS, PATTERN)
    assert (hunted.status, hunted.culprit) == (FOUND, 4)
    assert hunted.report["trials"][0]["reason"].startswith("worse in 4 of 4 pairs: 250 beside 100")
    assert hunted.said(3) == "good: 100, not higher than 158.114 (between the ends: 100 and 250)"
    assert hunted.report["confirmation"]["reverted"] == "good"
    assert "commit: 250 beside 100 at its parent, fails " in hunted.report["message"]


def test_what_the_ends_show_before_there_is_a_limit_is_no_skip(laboratory: Laboratory) -> None:
    project = laboratory.project(3, lambda number: f"STEPS = {250 if number >= 3 else 100}\n")
    hunted = laboratory.hunt(project, COUNTS, PATTERN)
    told = [line for line in hunted.words.splitlines() if line.startswith(project[3][:10])]
    first, second = told[:2]
    assert re.match(r"\w{10} +measured 250; the ends have given no limit yet  \(the ends in turns", first)
    assert " bad " in second
    assert not re.search(r"\bskip\b|unclear", hunted.words)
    assert hunted.report["counts"]["skipped"] == 0


NOISY = """
import lib, pathlib
tape = [0.96, 1.03, 0.99, 1.05, 1.0, 0.97, 1.02]
place = pathlib.Path("turn")
turn = int(place.read_text()) if place.exists() else 0
place.write_text(str(turn + 1))
print("took", lib.STEPS * tape[turn % len(tape)])
"""


def test_figures_that_vary_are_measured_in_turns_at_every_commit(laboratory: Laboratory) -> None:
    project = laboratory.project(4, lambda number: f"STEPS = {1.4 if number >= 3 else 1.0}\n")
    hunted = laboratory.hunt(project, NOISY, PATTERN)
    assert (hunted.status, hunted.culprit) == (FOUND, 3)
    assert hunted.said(2).startswith("good: worse in 0 of 4 pairs")
    assert hunted.said(3).startswith("bad: worse in 4 of 4 pairs")


def test_wall_time(laboratory: Laboratory) -> None:
    slow = "import time\ntime.sleep({})\n"
    project = laboratory.project(4, lambda number: slow.format(0.4 if number >= 3 else 0.0))
    hunted = laboratory.hunt(project, "import lib", "metric: wall_time")
    assert (hunted.status, hunted.culprit) == (FOUND, 3)
    assert " pairs: " in hunted.said(3)


def test_peak_memory_is_measured_alone(laboratory: Laboratory) -> None:
    project = laboratory.project(4, lambda number: f"STEPS = {200 if number >= 3 else 1}\n")
    hunted = laboratory.hunt(project, "import lib; kept = bytearray(lib.STEPS << 20)", "metric: peak_memory")
    assert (hunted.status, hunted.culprit) == (FOUND, 3)
    assert " pairs: " not in hunted.said(3)
    assert re.search(r"commit: 2\d\d MiB beside [\d.]+ MiB at its parent, fails ", hunted.report["message"])


def test_a_fix_is_where_the_number_got_better(laboratory: Laboratory) -> None:
    project = laboratory.project(4, lambda number: f"STEPS = {10 if number >= 3 else 90}\n")
    hunted = laboratory.hunt(project, COUNTS, PATTERN, "find: fix")
    assert (hunted.status, hunted.culprit) == (FOUND, 3)


ALIKE = {
    "the same number": (
        100,
        100,
        PATTERN,
        r"good 100 \(100 to 100\), bad 100 \(100 to 100\)",
        "further apart",
    ),
    "below the threshold": (
        100,
        120,
        'metric: {pattern: "took ([0-9.]+)", threshold: 1.5x}',
        r"\(bad is higher than 150 \(1.5 times the working end's 100\)\): good 100",
        "further apart",
    ),
    "the other way round": (100, 50, PATTERN, "good 100 .* bad 50", "worse: lower"),
}


@pytest.mark.parametrize("good, bad, verdict, words, hint", ALIKE.values(), ids=ALIKE.keys())
def test_ends_whose_numbers_do_not_differ(
    laboratory: Laboratory, good: int, bad: int, verdict: str, words: str, hint: str
) -> None:
    project = laboratory.project(3, lambda number: f"STEPS = {bad if number == 3 else good}\n")
    hunted = laboratory.hunt(project, COUNTS, verdict)
    assert hunted.status == ENDPOINTS
    assert hunted.report["outcome"] == "endpoints"
    told = hunted.words.split("bisector: the ends' numbers do not differ beyond their noise")[1]
    assert re.search(words, told)
    assert hint in told


def test_an_end_without_a_number(laboratory: Laboratory) -> None:
    project = laboratory.project(3, lambda number: "STEPS = 'no idea'\n")
    hunted = laboratory.hunt(project, COUNTS, PATTERN)
    assert hunted.status == ENDPOINTS
    assert "the bad end gives no number to be measured by" in hunted.words


def test_a_commit_that_fails_instead_is_skipped(laboratory: Laboratory) -> None:
    def lib(number: int) -> str:
        return "STEPS = 1 / 0\n" if number == 4 else f"STEPS = {250 if number >= 6 else 100}\n"

    hunted = laboratory.hunt(laboratory.project(8, lib), COUNTS, PATTERN)
    assert (hunted.status, hunted.culprit) == (FOUND, 6)
    assert hunted.said(4).startswith("skip: ")


def test_another_threshold_judges_the_old_trials_again(laboratory: Laboratory) -> None:
    project = laboratory.project(6, lambda number: f"STEPS = {100 * number}\n")
    absolute = 'metric: {{pattern: "took ([0-9.]+)", threshold: {}}}'
    first = laboratory.hunt(project, COUNTS, absolute.format(350))
    second = laboratory.hunt(project, COUNTS, absolute.format(250))
    assert (first.culprit, second.culprit) == (4, 3)
    assert second.report["counts"]["reused"] > 0
