"""Patterns that the repro's own lines satisfy: a traceback quotes them, whatever went wrong there."""

from __future__ import annotations

import pytest

from bisector.engine.begin import quoted
from bisector.oracles.patterns import search
from bisector.recipe.load import load


@pytest.mark.parametrize(
    ("line", "pattern", "found"),
    [
        ("assert f() == 1, 'f is wrong'", "f is wrong", True),
        ("import f; assert f.f() == 1, 'f is wrong'", "f is wrong", True),
        ("if f() != 1: sys.exit('f is wrong')", "is wrong", True),
        ("    print('f is wrong')", "f is wrong", False),
        ("raise SystemExit('f is wrong')", "f is wrong", False),
        ("assert f() == 1", "AssertionError", False),
    ],
)
def test_a_line_that_may_fail_otherwise_is_told(line: str, pattern: str, found: bool) -> None:
    text = f"repo: /x\ngood: a\nbad: b\nverdict: {{bad_if: {pattern!r}}}\nrepro:\n  python: |\n    {line}\n"
    told = [*quoted(load(text, "recipe.yaml"), search)]
    assert told == ([("bad_if", line.strip())] if found else [])
