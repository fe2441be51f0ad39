"""What commits did to files: which ones, which lines, what was in them. Facts only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bisector.git.door import Git

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
NOT_UTF8 = "\ufffd"
"""What git's words have in place of bytes that are no UTF-8."""
_COMBINED = re.compile(r"^diff --cc (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One path of a commit: its modes and blobs before and after."""

    path: str
    before: str
    after: str
    modes: tuple[str, str]

    @property
    def changes_mode(self) -> bool:
        """Whether it is another kind of file now; what came or went is none."""
        return len({*self.modes} - {"000000"}) > 1


@dataclass(frozen=True, slots=True)
class Lines:
    """A stretch of lines as they were in the older file; none of them where lines were only added."""

    first: int
    count: int

    @property
    def words(self) -> str:
        if self.count == 0:
            return f"after {self.first}"
        return str(self.first) if self.count == 1 else f"{self.first}-{self.first + self.count - 1}"


def changes(git: Git, older: str, newer: str) -> list[FileChange]:
    """Renames are a file that goes and one that comes."""
    text = git.text("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", older, newer)
    return list(_raw(text))


def changes_from_index(git: Git, sha: str) -> list[FileChange]:
    """What a checkout of the commit would do to what the index says is there."""
    text = git.text("diff-index", "--cached", "-R", "-z", "--raw", "--no-renames", "--no-abbrev", sha)
    return list(_raw(text))


def have_little_in_common(git: Git, one: str, other: str) -> bool:
    """Whether most files of `other`'s tree are different ones in the first, or not there."""
    changed = git.lines("diff-tree", "-r", "--name-only", "--no-renames", one, other)
    return 2 * len(changed) > len(git.lines("ls-tree", "-r", "--name-only", other))


def changes_along(
    git: Git, tip: str, without: Sequence[str], paths: Sequence[str]
) -> Iterator[tuple[str, list[FileChange]]]:
    """Each commit of `tip` that touches one of the paths, the oldest first, with what it did to them."""
    text = git.text(
        *("log", "--topo-order", "--reverse", "--format=%x01%H", "-z", "--raw", "--no-renames"),
        *(
            "--no-abbrev",
            "--no-merges",
            "--full-history",
            tip,
            "--not",
            *without,
            "--",
            *map(_literal, paths),
        ),
    )
    for record in text.split("\x01")[1:]:
        sha, _, rest = record.partition("\0")
        yield sha.strip(), list(_raw(rest.lstrip("\0\n")))


def text_at(git: Git, sha: str, path: str) -> str | None:
    """A file's text; None where the commit has none."""
    ended = git.attempt("cat-file", "blob", f"{sha}:{path}")
    return ended.stdout if ended.exit_status == 0 else None


def changed_lines(git: Git, older: str, newer: str, path: str) -> list[Lines]:
    """Counted in the older file."""
    text = git.text("diff", "-U0", "--no-color", "--no-ext-diff", older, newer, "--", _literal(path))
    return [Lines(int(found[1]), int(found[2] or 1)) for found in _HUNK.finditer(text)]


def patch(git: Git, older: str, newer: str, paths: str) -> str | None:
    """As `git apply` takes it, of files of that pattern; None: there is nothing, or bytes that no text has."""
    words = ("diff", "--binary", "--no-color", "--no-ext-diff", "--no-renames", older, newer, "--", paths)
    text = git.text(*words)
    return text if text and NOT_UTF8 not in text else None


def written_by_merge(git: Git, merge: str) -> list[str]:
    """Files with lines that come from none of the merge's parents."""
    return _COMBINED.findall(git.text("diff-tree", "--cc", "-p", "--no-commit-id", "--no-ext-diff", merge))


def meeting_point(git: Git, parents: Sequence[str]) -> str | None:
    """Where the sides of a merge parted."""
    return git.ask("merge-base", "--octopus", *parents)


def matching(git: Git, tip: str, without: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """The commits whose message has a line for one of the patterns, the oldest first."""
    greps = [f"--grep={pattern}" for pattern in patterns]
    return git.lines("rev-list", "--topo-order", "--reverse", "-E", *greps, tip, "--not", *without)


def in_order(git: Git, shas: Sequence[str]) -> list[str]:
    """Ancestors first."""
    listing = "".join(f"{sha}\n" for sha in shas).encode()
    found = git.lines("rev-list", "--topo-order", "--reverse", "--stdin", stdin=listing)
    wanted = set(shas)
    return [sha for sha in found if sha in wanted]


def mentions(git: Git, sha: str, word: str) -> list[str]:
    """The files of a commit that have this word. By one processor: a run may be under way."""
    ended = git.attempt("grep", "--threads=1", "-l", "-z", "-w", "-I", "-F", "-e", word, sha)
    return [name.partition(":")[2] for name in ended.stdout.split("\0") if name]


def _raw(text: str) -> Iterator[FileChange]:
    parts = iter(text.split("\0"))
    for said in parts:
        if said.startswith(":"):
            old_mode, mode, before, after, _ = said[1:].split(" ", 4)
            yield FileChange(next(parts), before, after, (old_mode, mode))


def _literal(path: str) -> str:
    return f":(literal){path}"
