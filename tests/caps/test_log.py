"""Head, tail and count of what was written, however it came in pieces."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as some

from bisector.caps.log import Log, Tail


@settings(derandomize=True, max_examples=200, deadline=None)
@given(some.lists(some.binary(max_size=20)), some.integers(0, 50))
def test_the_file_holds_head_and_tail_up_to_the_limit(pieces: list[bytes], limit: int) -> None:
    whole = b"".join(pieces)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(b"before\n")
        with Log(path, limit) as log:
            for piece in pieces:
                log.take(piece)
        written = path.read_bytes().removeprefix(b"before\n")
    head, tail = limit - limit // 2, limit // 2
    if len(whole) <= limit:
        assert (written, log.dropped) == (whole, 0)
    else:
        dropped = len(whole) - limit
        note = b"\n[... %d bytes dropped ...]\n" % dropped
        assert written == whole[:head] + note + whole[len(whole) - tail :]
        assert log.dropped == dropped
    assert log.total == len(whole)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(some.lists(some.binary(max_size=20)), some.integers(0, 50))
def test_a_tail_is_the_end(pieces: list[bytes], limit: int) -> None:
    tail = Tail(limit)
    for piece in pieces:
        tail.take(piece)
    whole = b"".join(pieces)
    kept = b"".join(tail.chunks())
    assert kept == whole[max(0, len(whole) - limit) :]
    assert tail.dropped == len(whole) - len(kept)


def test_what_came_since_a_moment_can_be_asked_for(tmp_path: Path) -> None:
    with Log(tmp_path / "log", 1000) as log:
        log.take(b"before ")
        moment = log.total
        log.take(b"after")
        assert (log.text(since=moment), log.text()) == ("after", "before after")
        assert log.text(since=log.total) == ""
