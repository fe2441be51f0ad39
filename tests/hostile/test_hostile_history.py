"""Commits as only a program writes them: read as values all the same, and hunted through."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.git import slots
from bisector.git.commits import change, read
from bisector.git.door import GitFailed
from bisector.git.mirror import Mirror
from bisector.git.refs import is_date, nearest, tags
from bisector.git.tree import Tree

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

Mirrored = Callable[["Repository | str"], Mirror]
DATES = {
    "before there was a calendar": (b"-2000000000 +0000", 1970, 0),
    "in the next century": (b"4102444800 +0000", 2100, 0),
    "after the last year of Python's": (b"253402300800 +0000", 9999, 0),
    "after the last year of anybody's": (b"99999999999999 +0000", 9999, 0),
    "a zone beyond the globe": (b"1600000000 +2460", 2020, 0),
    "a zone beyond that one": (b"1600000000 -9999", 2020, 0),
    "half an hour": (b"1600000000 -0330", 2020, -210),
}


def written(repo: Repository, *commits: bytes) -> list[str]:
    """Commits from the words of `git fast-import`, one upon the other; the last one is `main`."""
    stream = b""
    for number, words in enumerate(commits, 1):
        above = b"from :%d\n" % (number - 1) if number > 1 else b""
        stream += words.replace(b"MARK\n", b"mark :%d\n" % number).replace(b"FROM\n", above)
        stream += b"get-mark :%d\n" % number
    done = subprocess.run(
        ["git", "fast-import", "--quiet", "--force", "--date-format=raw-permissive"],
        cwd=repo.path,
        input=stream,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().split()


def commit(
    date: bytes = b"1600000000 +0000",
    message: bytes = b"a subject",
    author: bytes = b"Ada",
    files: dict[bytes, bytes] | None = None,
    header: bytes = b"",
) -> bytes:
    who = author + b" <ada@example.org> " + date
    lines = [b"commit refs/heads/main\nMARK\nauthor %s\ncommitter %s\n%s" % (who, who, header)]
    lines += [b"data %d\n%s\nFROM\n" % (len(message), message)]
    for path, content in (files or {b"file": date + message}).items():
        quoted = b"".join(b"\\%03o" % byte for byte in path)
        lines += [b'M 644 inline "%s"\ndata %d\n%s\n' % (quoted, len(content), content)]
    return b"".join(lines)


@pytest.mark.parametrize(("date", "year", "minutes"), DATES.values(), ids=DATES.keys())
def test_any_date_is_a_date(
    making: Making, mirror_of: Mirrored, date: bytes, year: int, minutes: int
) -> None:
    source = making.empty()
    [sha] = written(source, commit(date))
    [found] = read(mirror_of(source).git, [sha])
    shift = found.commit_date.utcoffset()
    assert (found.commit_date.year, (shift and shift.total_seconds() / 60) or 0) == (year, minutes)
    assert found.author_date == found.commit_date
    assert found.commit_date.astimezone(timezone.utc).year == year


MESSAGES = {
    "the mark that parts records": b"\x01\x01subject\n\n\x01\x01\x01body",
    "a body that begins with it": b"subject\n\n\x01body",
    "no UTF-8": b"caf\xe9 \xff\xfe\n\nbody \x80",
    "line ends of Unicode's": "one\u2028two\x85three\x0bfour\x0cfive".encode(),
    "escapes": b"\x1b]0;title\x07\x1b[2J red\x1b[31m",
    "nothing": b"",
    "a subject without end": b"x" * 1_000_000,
}


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES.keys())
def test_any_message_is_a_message(making: Making, mirror_of: Mirrored, message: bytes) -> None:
    source = making.empty()
    shas = written(source, commit(), commit(message=message), commit(message=b"the next one"))
    found = read(mirror_of(source).git, shas)
    assert [one.sha for one in found] == shas
    assert [one.parents for one in found] == [(), (shas[0],), (shas[1],)]
    assert (found[0].subject, found[2].subject) == ("a subject", "the next one")
    assert found[1].author_name == "Ada"


def test_any_encoding_and_any_author(making: Making, mirror_of: Mirrored) -> None:
    source = making.empty()
    shas = written(
        source,
        commit(message=b"caf\xe9", header=b"encoding ISO-8859-1\n"),
        commit(message=b"caf\xe9", header=b"encoding nobody knows\n"),
        commit(author=b"\x1b[31mA\xff"),
        commit(author=b""),
    )
    found = read(mirror_of(source).git, shas)
    assert found[0].subject == "café"
    assert [one.author_email for one in found] == ["ada@example.org"] * 4
    assert found[2].author_name.encode(), "can be written down"


def test_paths_of_any_bytes_and_ten_thousand_of_them(making: Making, mirror_of: Mirrored) -> None:
    source = making.empty()
    odd = {
        b"--help": b"1",
        b"a\nb": b"2",
        b"\xff\xfe": b"3",
        "x\u2028y".encode(): b"4",
        b"\x1b[2J": b"5",
        b" ": b"6",
    }
    many = {b"many/%d/%d" % (number % 100, number): b"" for number in range(10_000)}
    shas = written(source, commit(files=odd), commit(files=many))
    mirror = mirror_of(source)
    first, second = read(mirror.git, shas)
    assert len(change(mirror.git, first).files) == len(odd)
    assert all(path.encode() for path in change(mirror.git, first).files), "can be written down"
    assert len(change(mirror.git, second).files) == 10_000
    slot = slots.acquire(mirror)
    slot.checkout(shas[1])
    assert len(Tree(slot.git).files()) == 10_000 + len(odd)
    assert (slot.tree / "--help").read_text() == "1"
    slot.release()


def test_tags_with_the_line_ends_of_unicode(making: Making, mirror_of: Mirrored) -> None:
    source = making.empty()
    written(source, commit())
    for name in ("v1.0", "v1.1\u2028v9", "v1.2\x85", "v1.3\u202etxt", "-v2.0"):
        source.git("update-ref", f"refs/tags/{name}", "main")
    mirror = mirror_of(source)
    assert "v1.0" in [tag.name for tag in tags(mirror.git)]
    assert "v1.0" in nearest(mirror.git, "v1.00")


@pytest.mark.parametrize(
    "text", ["2023-02-30", "2023-01-01T99:99", "2023-01-01 10:61", "2023-01-01T10:00+99:99"]
)
def test_a_moment_that_no_clock_shows_is_no_date(text: str) -> None:
    assert not is_date(text)


GIT_NAMES = (
    b".GIT/config",
    b".git/hooks/post-checkout",
    b"git~1/config",
    b".g\xe2\x80\x8cit/config",
    b"a/../../x",
)


@pytest.mark.parametrize("path", GIT_NAMES)
def test_paths_that_git_forbids_reach_nothing(
    making: Making, mirror_of: Mirrored, tmp_path: Path, path: bytes
) -> None:
    """Written as objects: fast-import would refuse them."""
    source = making.empty()
    blob = source.git("hash-object", "-w", "--stdin", stdin="[core]\n\tsshCommand = touch stolen\n")
    tree = b""
    for part in reversed(path.split(b"/")):
        mode, sha = (b"100644", blob) if not tree else (b"40000", tree.decode())
        entry = mode + b" " + part + b"\0" + bytes.fromhex(sha)
        done = subprocess.run(
            ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
            cwd=source.path,
            input=entry,
            capture_output=True,
            check=True,
        )
        tree = done.stdout.strip()
    sha = source.git(
        "commit-tree", "-m", "x", tree.decode(), variables={"GIT_AUTHOR_DATE": "1600000000 +0000"}
    )
    source.git("update-ref", "refs/heads/main", sha)
    slot = slots.acquire(mirror_of(source))
    link = f"gitdir: {slot.git.git_dir}\n"
    try:
        slot.checkout(sha)
    except GitFailed:
        pass
    assert (slot.tree / ".git").read_text() == link
    assert not (tmp_path / "stolen").exists()
    assert not (slot.tree.parent / "x").exists()
    slot.release()
