"""Words of strangers on their way to a terminal, a page and the records: seen, and never obeyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from .conftest import User
from .test_hostile_history import commit, written

if TYPE_CHECKING:
    from tests.conftest import Making

NASTY = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b5m\u202etxt <script>alert(1)</script> [x](javascript:alert(1))"
NOISE = f"""
import sys
out = sys.stdout.buffer
out.write({NASTY.encode()!r} + b"\\n\\xff\\xfe\\0\\x1bP1;2|\\n")
out.write(b"x" * 30_000_000 + b"\\n")
out.flush()
if "bad" in open("state").read():
    raise ValueError({NASTY!r})
"""
OBEYED = {"\x1b", "\x07", "\x9b", "\u202e", "\0"}


def test_nothing_of_it_is_obeyed(user: User, making: Making) -> None:
    source = making.empty()
    author = NASTY.encode().replace(b"<", b"(").replace(b">", b")")
    rows = [("good", b"one"), ("good", b"two"), ("bad", NASTY.encode()), ("bad", b"four")]
    shas = written(
        source,
        *(commit(message=text, author=author, files={b"state": state.encode()}) for state, text in rows),
    )
    source.git("update-ref", "refs/tags/v1\u202e\u2028", shas[0])
    user.writes(source, shas[0], NOISE)
    answers = [
        user.types("check", "recipe.yaml"),
        user.types("run", "recipe.yaml", "--report", "out"),
        user.types("status"),
    ]
    assert [one.status for one in answers] == [0, 0, 0], answers[1].err
    said = "".join(one.out + one.err for one in answers)
    assert shas[2][:10] in said
    files = {path.suffix: path.read_text() for path in (user.here / "out").iterdir()}
    assert {".md", ".html", ".json"} <= files.keys()
    for text in (said, files[".md"], files[".html"]):
        assert not {*text} & OBEYED
    for page in (files[".html"], MarkdownIt("commonmark", {"html": True}).render(files[".md"])):
        assert "<script>alert" not in page
        assert 'href="javascript' not in page
    sizes = [path.stat().st_size for path in user.state.rglob("*.log")]
    assert max(sizes) < 24 << 20, "10 MiB of each run are kept, and an end runs twice"
