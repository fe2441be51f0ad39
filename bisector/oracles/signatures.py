"""What a failure is known by, and whether two of them are the same failure.

A signature is what stays of a failing run when place and moment are taken out. Knows no output formats.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from signal import Signals
from typing import NamedTuple

from bisector.oracles.wording import common_template, fits


@dataclass(frozen=True, slots=True)
class Frame:
    """The innermost frame in the project's own code; no line number, that moves with every commit."""

    file: str
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.function}"


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception ended it. `message` is reworded and may have holes; `importing`: see `untestable`."""

    kind: str
    message: str
    frame: Frame | None = None
    importing: bool = False


class FailedTest(NamedTuple):
    test: str
    error: str


@dataclass(frozen=True, slots=True)
class TestsFailed:
    """A test runner told which tests failed, and how."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    tests: tuple[FailedTest, ...]


@dataclass(frozen=True, slots=True)
class Died:
    """A signal ended it."""

    signal: int
    frame: Frame | None = None


@dataclass(frozen=True, slots=True)
class Exited:
    """It ended with this status and nothing in its output says why."""

    status: int


@dataclass(frozen=True, slots=True)
class TimedOut:
    pass


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    pass


Signature = Raised | TestsFailed | Died | Exited | TimedOut | OutOfMemory


def words(signature: Signature) -> str:
    """The failure in one line."""
    match signature:
        case Raised(kind, message):
            return f"{_short(kind)}: {message}" if message else _short(kind)
        case TestsFailed(tests):
            first = " - ".join(part for part in tests[0] if part)
            return first if len(tests) == 1 else f"{first} (and {len(tests) - 1} more)"
        case Died(signal, frame):
            return _signal_name(signal) + (f" in {frame}" if frame else "")
        case Exited(status):
            return f"exit {status}"
        case TimedOut():
            return "timed out"
        case OutOfMemory():
            return "out of memory"


def blames_project(signature: Signature) -> bool:
    """Did the project's own code fail, or an assertion about what it gave?

    The repro is the same at every commit: where its assertion fails with another value, the project gave it.
    """
    match signature:
        case Raised(kind, frame=frame):
            return frame is not None or _short(kind) == "AssertionError"
        case Died(frame=frame):
            return frame is not None
        case TestsFailed():
            return True
        case _:
            return False


def difference(here: Signature, expected: Signature) -> str | None:
    """None: the same failure. Else what differs, in words.

    | expected    | the same when                                                                           |
    |-------------|-----------------------------------------------------------------------------------------|
    | Raised      | same class (by its last name: classes move between modules) and same message; and,      |
    |             | where both were raised in the project, in the same function or in the same file         |
    | TestsFailed | one of the tests that failed there fails here with the same error                       |
    | Died        | same signal                                                                             |
    | Exited      | same status                                                                             |
    | TimedOut, OutOfMemory | likewise                                                                      |

    Function or file, not both: a renamed function or a moved module is no other failure, while the same bare
    AssertionError from another function of another file is.
    """
    match here, expected:
        case Raised(), Raised():
            return _raised_differently(here, expected)
        case TestsFailed(), TestsFailed():
            return _tests_differ(here, expected)
        case Died(signal=signal), Died(signal=other):
            return None if signal == other else _instead(here, expected)
        case _:
            return None if here == expected else _instead(here, expected)


def _instead(here: Signature, expected: Signature) -> str:
    return f"{words(here)} instead of {words(expected)}"


def _raised_differently(here: Raised, expected: Raised) -> str | None:
    if _short(here.kind) != _short(expected.kind) or not fits(here.message, expected.message):
        return _instead(here, expected)
    ours, theirs = here.frame, expected.frame
    if ours is None or theirs is None or ours.function == theirs.function or _same_file(ours, theirs):
        return None
    return f"{words(here)} in {ours} instead of {theirs}"


def _same_file(one: Frame, other: Frame) -> bool:
    """Also when the package moved below another directory, as into src/."""
    short, long = sorted((one.file, other.file), key=len)
    return f"/{long}".endswith(f"/{short}")


def _tests_differ(here: TestsFailed, expected: TestsFailed) -> str | None:
    wanted = dict(expected.tests)
    in_both = [one for one in here.tests if one.test in wanted]
    if any(_same_error(one.error, wanted[one.test]) for one in in_both):
        return None
    if in_both:
        test, error = in_both[0]
        return f"{test} fails with {error or 'no error'} instead of {wanted[test] or 'no error'}"
    return _instead(here, expected)


def _same_error(one: str, other: str) -> bool:
    """pytest cuts its summary to the terminal's width: then what is left must agree."""
    if one.endswith("...") or other.endswith("..."):
        length = min(len(text.removesuffix("...")) for text in (one, other))
        return one[:length] == other[:length]
    return fits(one, other)


def in_common(first: Signature, second: Signature) -> Signature | None:
    """What two observations of one commit's failure share: the signature to hold others against.

    Where their messages differ, the template has holes. None: two different failures, so a flaky one.
    """
    match first, second:
        case Raised(), Raised() if _short(first.kind) == _short(second.kind):
            return replace(
                first,
                message=common_template(first.message, second.message),
                frame=first.frame if first.frame == second.frame else None,
                importing=first.importing and second.importing,
            )
        case TestsFailed(), TestsFailed():
            others = dict(second.tests)
            shared = (
                FailedTest(test, common_template(error, others[test]))
                for test, error in first.tests
                if test in others
            )
            return TestsFailed(tests) if (tests := tuple(shared)) else None
        case _:
            return first if difference(first, second) is None else None


def as_pattern(signature: Signature) -> str | None:
    """A regular expression for the recipe's bad_if; None where no words of the output tell the failure."""
    match signature:
        case Raised(kind, message):
            return re.escape(_short(kind)) + (rf":\s+{_loosened(message)}" if message else "")
        case TestsFailed(tests):
            name = re.split(r"::|\.|/", tests[0].test.partition("[")[0])[-1]
            return rf"(?:FAILED|ERROR|FAIL)\b.*\b{re.escape(name)}\b"
        case _:
            return None


def _loosened(message: str) -> str:
    """A placeholder stands for whatever was there; a message cut short is its beginning."""
    pieces = re.findall(r"<[\w*]+>|\s+|[^<\s]+|<", message[:120])
    return "".join(
        ".*" if re.fullmatch(r"<[\w*]+>", piece) else r"\s+" if piece.isspace() else re.escape(piece)
        for piece in pieces
    )


def _short(kind: str) -> str:
    return kind.rpartition(".")[2]


def _signal_name(number: int) -> str:
    try:
        return f"killed by {Signals(number).name}"
    except ValueError:
        return f"killed by signal {number}"
