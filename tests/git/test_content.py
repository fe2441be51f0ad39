"""Changes as text: a patch that git takes back, and none where text cannot hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bisector.git.content import have_little_in_common, patch
from bisector.git.door import Git, local_environment

if TYPE_CHECKING:
    from tests.conftest import Making


@pytest.mark.parametrize(
    ("file", "before", "after", "there"),
    [
        ("a.py", b"one\n", "zwei ü\n".encode(), True),
        ("a.py", b"one\n", "zwei ü\n".encode("latin-1"), False),
        ("a.py", "eins ü\n".encode("latin-1"), b"two\n", False),
        ("a.txt", b"one\n", b"two\n", False),
    ],
)
def test_a_patch_is_what_it_says_or_none(
    making: Making, file: str, before: bytes, after: bytes, there: bool
) -> None:
    made = making.empty()
    for content in (before, after):
        (made.path / file).write_bytes(content)
        made.git("add", "--all")
        made.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "-m", "step")
    git = Git(made.path / ".git", local_environment({}))
    text = patch(git, "HEAD^", "HEAD", "*.py")
    assert (text is not None) is there
    if text is not None:
        made.git("checkout", "--quiet", "HEAD^")
        made.git("apply", "-", stdin=text)
        assert (made.path / file).read_bytes() == after


@pytest.mark.parametrize(("changed", "little"), [(1, False), (2, False), (3, True), (4, True)])
def test_trees_that_have_little_in_common(making: Making, changed: int, little: bool) -> None:
    """Four files in each; one that goes counts, too."""
    made = making.empty()
    made.grow(
        "1..2", lambda number: {f"{name}.py": f"{number if name < changed else 0}" for name in range(4)}
    )
    git = Git(made.path / ".git", local_environment({}))
    assert have_little_in_common(git, made[1], made[2]) is little
