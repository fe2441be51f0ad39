"""Searching the output, here and in a process of its own that may be ended."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from bisector.oracles.patterns import (
    LONGEST_TEXT,
    Absent,
    Found,
    SearchResult,
    TookTooLong,
    from_json,
    search,
    to_json,
)

SEARCHES: dict[str, tuple[str, str, SearchResult]] = {
    "the last match counts": (r"took (\d+)", "took 1\n  took 2 s \nend", Found("took 2 s", "2")),
    "a group that took no part": (r"a(b)?", "xa", Found("xa", "")),
    "lines have beginnings": (r"^b$", "a\nb\nc", Found("b", "b")),
    "over several lines": (r"a\nb", "xa\nby", Found("xa", "a\nb")),
    "nothing": (r"z", "a", Absent()),
    "an empty match": (r"$", "a", Found("a", "")),
}


@pytest.mark.parametrize("pattern, text, expected", SEARCHES.values(), ids=SEARCHES.keys())
def test_what_is_found(pattern: str, text: str, expected: SearchResult) -> None:
    assert search(pattern, text) == expected


def test_only_the_end_of_a_flood_is_searched() -> None:
    assert search("needle", "needle" + "x" * LONGEST_TEXT) == Absent()
    assert search("needle", "x" * LONGEST_TEXT + "needle") == Found(
        "x" * (LONGEST_TEXT - 6) + "needle", "needle"
    )


@pytest.mark.parametrize(
    "result", [Found("a", "b"), Absent(), TookTooLong(1.5)], ids=["found", "absent", "given up"]
)
def test_results_travel_as_json(result: SearchResult) -> None:
    assert from_json(to_json(result)) == result


@pytest.mark.parametrize("text", ["[]", '{"line": 3}', "no json", '{"seconds": "3"}'])
def test_what_no_search_has_written_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        from_json(text)


def test_a_process_of_its_own_finds_the_same() -> None:
    asked = json.dumps({"pattern": r"took (\d+)", "text": "took 7"})
    done = subprocess.run(
        [sys.executable, "-m", "bisector.oracles.patterns"],
        input=asked,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert from_json(done.stdout) == Found("took 7", "7")


def test_an_exploding_pattern_can_be_ended_there() -> None:
    asked = json.dumps({"pattern": r"^(a+)+$", "text": "a" * 200 + "b"})
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(
            [sys.executable, "-m", "bisector.oracles.patterns"],
            input=asked,
            capture_output=True,
            text=True,
            timeout=1,
            check=False,
        )
