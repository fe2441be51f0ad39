"""git's index, as git wrote it: what is known of each file, and what git makes of what is noted there."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.git import index as indices

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

SECOND = 1_000_000_000


@pytest.fixture
def project(making: Making) -> Repository:
    made = making.empty()
    for name in ("plain", "in/folder", "tool"):
        (made.path / name).parent.mkdir(exist_ok=True)
        (made.path / name).write_text(f"{name}\n")
    (made.path / "tool").chmod(0o755)
    (made.path / "link").symlink_to("plain")
    time.sleep(0.02)
    made.git("add", "-A")
    made.git("commit", "-qm", "one")
    return made


def index_of(project: Repository) -> Path:
    return project.path / ".git" / "index"


def read(project: Repository) -> indices.Index:
    index = indices.read(index_of(project))
    assert index is not None
    return index


def seen(project: Repository, name: str) -> os.stat_result:
    return (project.path / name).lstat()


def written_in_the_second_of(project: Repository, name: str) -> None:
    """The index: as far as git tells one time from another."""
    written = (seen(project, name).st_mtime_ns // SECOND + 1) * SECOND - 1
    os.utime(index_of(project), ns=(written, written))


def modified(project: Repository) -> list[str]:
    """In git's eyes, as far as the index tells it that it need not look."""
    return project.git("-c", "core.checkStat=default", "diff-files", "--name-only").split()


def test_plain_files_are_known_with_their_contents(project: Repository) -> None:
    index = read(project)
    assert set(index.files) == {"plain", "in/folder", "tool", "link"}
    assert index.files["in/folder"].content == project.git("rev-parse", "HEAD:in/folder")
    assert all(index.knows(name, seen(project, name)) for name in index.files)


def edited(path: Path) -> None:
    path.write_text("PLAIN\n")


def of_the_same_time(path: Path) -> None:
    before = path.stat()
    path.write_text("PLAIN\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def made_executable(path: Path) -> None:
    path.chmod(0o755)


def another_file(path: Path) -> None:
    aside = path.with_name("aside")
    aside.write_text("plain\n")
    aside.replace(path)


def a_link(path: Path) -> None:
    path.rename(path.with_name("aside"))
    path.symlink_to("aside")


@pytest.mark.parametrize("change", [edited, of_the_same_time, made_executable, another_file, a_link])
def test_a_file_that_somebody_touched_is_not_known(
    project: Repository, change: Callable[[Path], None]
) -> None:
    change(project.path / "plain")
    assert not read(project).knows("plain", seen(project, "plain"))


def test_a_link_that_somebody_turned_is_looked_at_by_git(project: Repository) -> None:
    """Also where the file system gives it the same number: git's own seconds do not show it."""
    index = read(project)
    assert index.knows("link", seen(project, "link"))
    (project.path / "link").unlink()
    (project.path / "link").symlink_to("other")
    assert not index.knows("link", seen(project, "link"))
    index.doubt("link")
    index.believe()
    assert modified(project) == ["link"]


def test_what_was_written_in_the_moment_of_the_index_is_not_known(project: Repository) -> None:
    path, status = index_of(project), seen(project, "plain")
    os.utime(path, ns=(status.st_ctime_ns, status.st_ctime_ns))
    assert not read(project).knows("plain", status)
    os.utime(path, ns=(status.st_ctime_ns + 1, status.st_ctime_ns + 1))
    assert read(project).knows("plain", status)


def test_git_is_sure_of_what_is_believed_and_looks_at_what_is_doubted(project: Repository) -> None:
    """An edit that git's own seconds do not show: whoever believes must be sure."""
    for name in ("plain", "tool"):
        path = project.path / name
        before = path.stat()
        path.write_text(f"{name.upper()}\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    written_in_the_second_of(project, "tool")
    index = read(project)
    assert index.is_unsure
    index.note("plain", seen(project, "plain"))
    index.doubt("tool")
    index.believe()
    assert not read(project).is_unsure
    assert modified(project) == ["tool"]
    assert project.git("fsck", "--strict") == ""


def test_what_is_doubted_and_unchanged_git_finds_so(project: Repository) -> None:
    index = read(project)
    for name in index.files:
        index.doubt(name)
    index.believe()
    assert not [name for name in index.files if read(project).knows(name, seen(project, name))]
    assert project.git("status", "--porcelain") == ""
    assert [name for name in index.files if read(project).knows(name, seen(project, name))]


def rubbish(project: Repository) -> None:
    index_of(project).write_bytes(b"DIRC rubbish")


def cut_short(project: Repository) -> None:
    said = index_of(project).read_bytes()[:150]
    index_of(project).write_bytes(said + hashlib.sha1(said).digest())


def changed(project: Repository) -> None:
    said = bytearray(index_of(project).read_bytes())
    said[60] ^= 1
    index_of(project).write_bytes(said)


def gone(project: Repository) -> None:
    index_of(project).unlink()


def newer(project: Repository) -> None:
    project.git("update-index", "--index-version", "4")


def with_more_flags(project: Repository) -> None:
    project.git("update-index", "--skip-worktree", "plain")


def not_to_be_looked_at(project: Repository) -> None:
    project.git("update-index", "--assume-unchanged", "plain")


def half_merged(project: Repository) -> None:
    blob = project.git("rev-parse", "HEAD:plain")
    project.git("update-index", "--index-info", stdin=f"100644 {blob} 2\tplain\n100644 {blob} 3\tplain\n")


@pytest.mark.parametrize(
    "change",
    [rubbish, cut_short, changed, gone, newer, with_more_flags, not_to_be_looked_at, half_merged],
)
def test_any_other_index_is_left_to_git(project: Repository, change: Callable[[Repository], None]) -> None:
    change(project)
    assert indices.read(index_of(project)) is None


def test_an_index_of_longer_ids_is_left_to_git(project: Repository) -> None:
    inner = project.path / "inner"
    project.git("init", "-q", "--object-format=sha256", str(inner))
    (inner / "file").write_text("x\n")
    project.git("-C", str(inner), "add", "file")
    assert (inner / ".git" / "index").exists()
    assert indices.read(inner / ".git" / "index") is None
