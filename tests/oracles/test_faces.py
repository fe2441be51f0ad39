"""Other failures beside the regression: its faces, or unfinished work. W works, F fails as hunted."""

from __future__ import annotations

import pytest

from bisector.oracles.faces import Face, faces
from bisector.oracles.finding import CannotTell, Fails, FailsOtherwise, Finding, Works
from bisector.oracles.signatures import Frame, Raised

HERE = Frame("shop/core.py", "pick")
HUNTED = Raised("AssertionError", "sum", HERE)
A = Raised("AttributeError", "no attribute 'a'", HERE)
B = Raised("AttributeError", "no attribute 'b'", HERE)
VALUE = Raised("AssertionError", "got 3")
OUTSIDE = Raised("OSError", "in the repro itself")
LETTERS: dict[str, Finding | None] = {
    "W": Works("exit 0"),
    "F": Fails("same", HUNTED),
    "a": FailsOtherwise("another", A),
    "b": FailsOtherwise("another", B),
    "o": FailsOtherwise("another", OUTSIDE),
    "v": FailsOtherwise("another", VALUE),
    "n": FailsOtherwise("another", Raised("NotImplementedError", "to do", HERE)),
    "s": FailsOtherwise("another", Raised("SyntaxError", "invalid syntax", HERE)),
    "?": CannotTell("exit 125"),
    ".": None,
}

ROWS = {
    "between good commits and the regression": ("WWaaFF", (Face(2, 3, A),)),
    "two faces one after the other": ("WabF", (Face(1, 1, A), Face(2, 2, B))),
    "a face, another, the first again": ("WabaF", (Face(1, 1, A), Face(2, 2, B), Face(3, 3, A))),
    "with untested and untestable commits between": ("W.?a.?a.F", (Face(3, 6, A),)),
    "with a failure of the repro's own between": ("WaoF", (Face(1, 1, A),)),
    "good commits on both sides": ("WaWF", ()),
    "unfinished work, then a face": ("WaWbF", (Face(3, 3, B),)),
    "on top of the regression": ("WFaF", ()),
    "nothing known on one side": ("aF", ()),
    "an assertion of the repro's about another value": ("WvF", (Face(1, 1, VALUE),)),
    "outside the project's code": ("WoF", ()),
    "in a hunt for a fix": ("FaW", (Face(1, 1, A),)),
    "at a regression that came twice": ("WaFbWaF", (Face(1, 1, A), Face(3, 3, B), Face(5, 5, A))),
    "a stub": ("WnF", ()),
    "a file that does not parse": ("WsF", ()),
    "a face beside a stub": ("WanF", (Face(1, 1, A),)),
    "nothing at all": ("", ()),
}


@pytest.mark.parametrize("line, expected", ROWS.values(), ids=ROWS.keys())
def test_other_failures(line: str, expected: tuple[Face, ...]) -> None:
    assert faces([LETTERS[letter] for letter in line]) == expected
