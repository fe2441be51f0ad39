"""Which recipes are the same question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bisector.recipe.load import load
from bisector.recipe.schema import OriginKind, Recipe

Read = Callable[..., Recipe]
BASE = "repo: https://example.org/x\ngood: a\nbad: b\nrepro: python x.py\n"

SAME = [
    ("comments and order", "# why\nrepro: python x.py\nbad: b\ngood: 'a'\nrepo: https://example.org/x\n"),
    ("a name", BASE + "name: other\ndescription: words\n"),
    ("defaults written out", BASE + "find: regression\nhistory: full\nlimits: {timeout: 1m}\nbisector: 1\n"),
    ("other spellings of the ends", BASE.replace("good", "old").replace("bad", "new")),
    ("the long form of repro", BASE.replace("python x.py", "{run: python x.py, cwd: scratch}")),
]
OTHER = [
    ("another end", BASE.replace("good: a", "good: c")),
    ("another repro", BASE.replace("x.py", "y.py")),
    ("the command as a script", BASE.replace("python x.py", "{python: python x.py}")),
    ("another timeout", BASE + "limits: {timeout: 61s}\n"),
    ("another policy", BASE + "verdict: {on_timeout: bad}\n"),
    ("since for before", BASE + "pins: [{since: a, python: '3.9'}]\n"),
    ("before for since", BASE + "pins: [{before: a, python: '3.9'}]\n"),
    ("another index", BASE + "dependencies: {index: {find_links: /wheels}}\n"),
    ("own terms", BASE + "terms: {old: fast, new: slow}\n"),
]


@pytest.mark.parametrize("text", [case[1] for case in SAME], ids=[case[0] for case in SAME])
def test_what_cannot_change_the_answer_does_not_count(read: Read, text: str) -> None:
    assert read(text).digest == read(BASE).digest


def test_what_can_change_the_answer_counts(read: Read) -> None:
    digests = {read(text).digest for _, text in OTHER} | {read(BASE).digest}
    assert len(digests) == len(OTHER) + 1


def test_a_relative_repository_is_another_one_elsewhere() -> None:
    text = BASE.replace("https://example.org/x", "../x")
    here, there, same = (load(text, "r", base=Path(base)).digest for base in ("/a/b", "/c/d", "/a/e"))
    assert here == same
    assert here != there


def test_where_the_text_came_from_does_not_count() -> None:
    assert load(BASE, "r.yaml", base=Path("/a")).digest == load(BASE, "-", origin=OriginKind.STDIN).digest


def test_the_digest_is_the_same_in_every_process_and_release() -> None:
    """A stored hunt is found again by it: change it only with a migration."""
    assert load(BASE, "r.yaml").digest == "0f88840e82053ab3cd074ef841bbe1df94702906ce4ca2d9daa56150843762c2"
