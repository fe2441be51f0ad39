"""What the words of a fence mean."""

from __future__ import annotations

import pytest

from bisector.caps.witness import KEPT, Witness

BUBBLEWRAP = '{ "child-pid": 1234567, "mnt-namespace": 4026532177 }\n'
TIMES = "0m0.00s 0m0.00s\n1m2.50s 0m0.25s\n"


def heard(words: str) -> Witness:
    witness = Witness()
    witness.take(words.encode())
    return witness


@pytest.mark.parametrize(
    ("words", "ending"),
    [
        ("status 0\n", (0, None)),
        ("status 3\n" + TIMES + '{ "exit-code": 3 }\n', (3, None)),
        ("Killed\nstatus 137\n", (None, 9)),
        ('sh: line 1:  2 Segmentation fault      ( exec "$@" 2>&1 )\nstatus 139\n', (None, 11)),
        ("status 137\n", (137, None)),
        ("status 141\n", (None, 13)),
        ("status 255\n", (255, None)),
        ("signal 15\n", (None, 15)),
        ("status 143\nusage 0.1 4096\n", (None, 15)),
        ('{ "exit-code": 137 }\n', (None, 9)),
        ('{ "exit-code": 1 }\n', (1, None)),
        ("", None),
        ("bwrap: Can't find source path /gone: No such file or directory\n", None),
    ],
)
def test_the_ending(words: str, ending: tuple[int | None, int | None] | None) -> None:
    assert heard(BUBBLEWRAP + words).ending() == ending


def test_complaints_are_what_is_not_protocol() -> None:
    witness = heard(f"{BUBBLEWRAP}bwrap: no\nstatus 1\n{TIMES}usage 0.5 10\n")
    assert witness.complaints() == "bwrap: no"


def test_usage_is_told_by_stub_or_shell() -> None:
    assert (heard(TIMES).cpu_seconds(), heard(TIMES).peak_of_one()) == (62.75, None)
    assert (heard("usage 0.5 10\n").cpu_seconds(), heard("usage 0.5 10\n").peak_of_one()) == (0.5, 10)
    assert heard("").cpu_seconds() is None


def test_a_process_that_is_no_first_one_is_not_taken_for_it() -> None:
    """The number may be somebody else's by now; killing it would be murder."""
    assert heard(BUBBLEWRAP).first_process() is None
    assert heard('{ "child-pid": 1 }\n{ "child-pid": 2 }\n').first_process() is None


def test_who_floods_the_pipe_does_not_fill_our_memory() -> None:
    witness = heard("status 0\n")
    for _ in range(100):
        witness.take(b"x" * KEPT)
    assert len(witness.complaints()) < KEPT
    assert witness.ending() == (0, None)
