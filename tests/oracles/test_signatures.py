"""When two failures are the same one; rows to be read aloud."""

from __future__ import annotations

import pytest

from bisector.oracles.signatures import (
    Died,
    Exited,
    FailedTest,
    Frame,
    OutOfMemory,
    Raised,
    Signature,
    TestsFailed,
    TimedOut,
    blames_project,
    difference,
    in_common,
    words,
)

PICK = Frame("shop/core.py", "pick")


def failing(**errors: str) -> TestsFailed:
    return TestsFailed(tuple(FailedTest(name, error) for name, error in errors.items()))


SAME: dict[str, tuple[Signature, Signature]] = {
    "equal in everything": (Raised("IndexError", "axis 3", PICK), Raised("IndexError", "axis 3", PICK)),
    "a class that moved to another module": (
        Raised("numpy.AxisError", "axis 3"),
        Raised("numpy.exceptions.AxisError", "axis 3"),
    ),
    "a function that was renamed": (
        Raised("IndexError", "axis 3", Frame("shop/core.py", "_pick")),
        Raised("IndexError", "axis 3", PICK),
    ),
    "a function that moved to another file": (
        Raised("IndexError", "axis 3", Frame("shop/old.py", "pick")),
        Raised("IndexError", "axis 3", PICK),
    ),
    "a package that moved into src": (
        Raised("IndexError", "axis 3", Frame("src/shop/core.py", "_pick")),
        Raised("IndexError", "axis 3", PICK),
    ),
    "a message with what varied at the failing end": (
        Raised("AssertionError", "{'b', 'c'}"),
        Raised("AssertionError", "{'<*>', '<*>'}"),
    ),
    "raised in the project here, in a library there": (
        Raised("IndexError", "axis 3"),
        Raised("IndexError", "axis 3", PICK),
    ),
    "fewer tests of those that failed there": (
        failing(a="KeyError: 1"),
        failing(a="KeyError: 1", b="KeyError: 2"),
    ),
    "more tests besides": (failing(a="KeyError: 1", c="E"), failing(a="KeyError: 1")),
    "a test whose error was cut": (
        failing(a="ValueError: this mes..."),
        failing(a="ValueError: this message"),
    ),
    "the same signal elsewhere": (Died(11, PICK), Died(11)),
    "the same status": (Exited(3), Exited(3)),
    "two timeouts": (TimedOut(), TimedOut()),
    "two lacks of memory": (OutOfMemory(), OutOfMemory()),
}


@pytest.mark.parametrize("here, expected", SAME.values(), ids=SAME.keys())
def test_the_same_failure(here: Signature, expected: Signature) -> None:
    assert difference(here, expected) is None


ANOTHER: dict[str, tuple[Signature, Signature, str]] = {
    "another class": (
        Raised("KeyError", "'nx-loopback'", PICK),
        Raised("IndexError", "axis 3", PICK),
        "KeyError: 'nx-loopback' instead of IndexError: axis 3",
    ),
    "another message": (
        Raised("AssertionError", "(2, 'usage')"),
        Raised("AssertionError", "(1, '')"),
        "AssertionError: (2, 'usage') instead of AssertionError: (1, '')",
    ),
    "another function of another file": (
        Raised("AssertionError", "", Frame("shop/io.py", "load")),
        Raised("AssertionError", "", PICK),
        "AssertionError in shop/io.py:load instead of shop/core.py:pick",
    ),
    "a file of that name elsewhere": (
        Raised("AssertionError", "", Frame("shop/a/core.py", "load")),
        Raised("AssertionError", "", PICK),
        "AssertionError in shop/a/core.py:load instead of shop/core.py:pick",
    ),
    "other tests": (failing(b="E"), failing(a="E"), "b - E instead of a - E"),
    "the same test with another error": (
        failing(a="KeyError: 1"),
        failing(a="TypeError: 1"),
        "a fails with KeyError: 1 instead of TypeError: 1",
    ),
    "another signal": (Died(6), Died(11), "killed by SIGABRT instead of killed by SIGSEGV"),
    "another status": (Exited(2), Exited(3), "exit 2 instead of exit 3"),
    "an exception instead of a hang": (
        Raised("KeyError", "1"),
        TimedOut(),
        "KeyError: 1 instead of timed out",
    ),
    "a signal without a name": (Died(63), Exited(1), "killed by signal 63 instead of exit 1"),
}


@pytest.mark.parametrize("here, expected, reason", ANOTHER.values(), ids=ANOTHER.keys())
def test_another_failure_says_what_differs(here: Signature, expected: Signature, reason: str) -> None:
    assert difference(here, expected) == reason


IN_COMMON: dict[str, tuple[Signature, Signature, Signature | None]] = {
    "the same twice": (Exited(1), Exited(1), Exited(1)),
    "a message that varies": (
        Raised("E", "edge 3", PICK),
        Raised("E", "edge 4", PICK),
        Raised("E", "edge <*>", PICK),
    ),
    "a frame that varies": (Raised("E", "m", PICK), Raised("E", "m", Frame("a.py", "f")), Raised("E", "m")),
    "tests that failed both times": (
        failing(a="E: 1", b="F"),
        failing(a="E: 2", c="F"),
        failing(a="E: <*>"),
    ),
    "tests that failed once each": (failing(b="F"), failing(c="F"), None),
    "two classes": (Raised("E", "m"), Raised("F", "m"), None),
    "a hang and a crash": (TimedOut(), Died(11), None),
}


@pytest.mark.parametrize("one, other, shared", IN_COMMON.values(), ids=IN_COMMON.keys())
def test_two_observations_give_what_they_share(
    one: Signature, other: Signature, shared: Signature | None
) -> None:
    assert in_common(one, other) == shared
    if shared:
        assert difference(one, shared) is None
        assert difference(other, shared) is None


def test_the_projects_own_code_and_assertions_about_it_blame_the_project() -> None:
    inside = (Raised("AssertionError", "[(0, 1)]"), Raised("E", "", PICK), Died(11, PICK), failing(a="E"))
    outside = (Raised("E", ""), Died(11), Exited(1), TimedOut(), OutOfMemory())
    assert [blames_project(one) for one in (*inside, *outside)] == [True] * 4 + [False] * 5


def test_many_failed_tests_are_named_by_the_first() -> None:
    assert words(failing(a="E", b="F", c="G")) == "a - E (and 2 more)"
