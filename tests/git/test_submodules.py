"""Submodules: at each commit the revision that it names, and nothing left of another commit's."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.git import slots
from bisector.git.door import GitFailed
from bisector.git.mirror import Mirror

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

Mirrored = Callable[..., Mirror]


@dataclass
class Project:
    """1: no submodule; 2: part at its first revision; 3: at its second; 4: moved; 5: gone again."""

    source: Repository
    part: Repository
    shas: dict[int, str]


def committed(source: Repository, subject: str) -> str:
    source.git("commit", "-qam", subject)
    return source.git("rev-parse", "HEAD")


@pytest.fixture
def project(making: Making) -> Project:
    inner = making.repository("1..2", name="inner")
    part = making.empty("part")
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    part.git(*add, "../inner", "inner")
    (part.path / "version").write_text("1\n")
    part.git("add", "version")
    first = committed(part, "one")
    (part.path / "version").write_text("2\n")
    second = committed(part, "two")

    source = making.empty()
    shas = {}
    (source.path / "top").write_text("1\n")
    source.git("add", "top")
    shas[1] = committed(source, "no submodule")
    source.git(*add, "../part", "libs/part")
    source.git("-C", "libs/part", "checkout", "-q", first)
    source.git("add", "libs/part")
    shas[2] = committed(source, "part at one")
    source.git("-C", "libs/part", "checkout", "-q", second)
    shas[3] = committed(source, "part at two")
    source.git("mv", "libs/part", "moved")
    shas[4] = committed(source, "moved")
    source.git("rm", "-qf", "moved")
    shas[5] = committed(source, "gone")
    assert inner.path.exists()
    return Project(source, part, shas)


def files(tree: Path) -> Mapping[str, str]:
    found = (path for path in tree.rglob("*") if path.is_file() and path.name not in (".git", ".gitmodules"))
    return {str(path.relative_to(tree)): path.read_text().strip() for path in found}


def expected(number: int) -> Mapping[str, str]:
    inner = {"inner/state": "good", "inner/number": "2"}
    part = {2: "libs/part", 3: "libs/part", 4: "moved"}.get(number)
    if part is None:
        return {"top": "1"}
    return {
        "top": "1",
        f"{part}/version": "1" if number == 2 else "2",
        **{f"{part}/{name}": text for name, text in inner.items()},
    }


@pytest.mark.parametrize("spelling", ["path", "file://"])
@pytest.mark.parametrize("order", ["12345", "54321", "3142", "2423"])
def test_each_commit_has_its_own(project: Project, mirror_of: Mirrored, order: str, spelling: str) -> None:
    path = project.source.path
    slot = slots.acquire(mirror_of(str(path) if spelling == "path" else f"file://{path}"))
    for number in map(int, order):
        slot.checkout(project.shas[number])
        assert files(slot.tree) == expected(number)
    slot.release()


def test_what_a_trial_left_in_one_is_cleaned_away(project: Project, mirror_of: Mirrored) -> None:
    slot = slots.acquire(mirror_of(project.source))
    slot.checkout(project.shas[2])
    part = slot.tree / "libs" / "part"
    (part / "version").write_text("edited")
    (part / "junk").write_text("x")
    (part / "inner" / "junk").write_text("x")
    shutil.rmtree(part / "inner")
    slot.checkout(project.shas[2])
    assert files(slot.tree) == expected(2)
    shutil.rmtree(slot.tree)
    slot.checkout(project.shas[3])
    assert files(slot.tree) == expected(3)
    slot.release()


def test_one_that_cannot_be_fetched_is_no_verdict_on_the_project(
    project: Project, mirror_of: Mirrored
) -> None:
    slot = slots.acquire(mirror_of(project.source))
    shutil.rmtree(project.part.path)
    with pytest.raises(GitFailed, match=r"the submodule libs/part cannot be had: .*/part' does not "):
        slot.checkout(project.shas[2])
    with pytest.raises(GitFailed, match="the submodule libs/part cannot be had: "):
        slot.checkout(project.shas[4])
    slot.checkout(project.shas[5])
    assert files(slot.tree) == expected(5)
    slot.release()


def test_a_revision_that_is_gone_is_told_with_the_submodule(project: Project, mirror_of: Mirrored) -> None:
    slot = slots.acquire(mirror_of(project.source))
    project.part.git("checkout", "-q", "--orphan", "anew")
    project.part.git("commit", "-qm", "anew")
    project.part.git("branch", "-D", "main")
    project.part.git("reflog", "expire", "--all", "--expire=now")
    project.part.git("gc", "-q", "--prune=now")
    with pytest.raises(GitFailed, match=r"the submodule libs/part cannot be had: .*not our ref"):
        slot.checkout(project.shas[2])
    slot.release()


def test_a_protocol_that_the_forge_gave_up_is_asked_for_by_another(
    making: Making, mirror_of: Mirrored, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = making.empty()
    link = '[submodule "part"]\n\tpath = part\n\turl = git://github.com/somebody/part\n'
    (source.path / ".gitmodules").write_text(link)
    source.git("add", ".gitmodules")
    source.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},part")
    source.git("commit", "-qm", "an old address")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    slot = slots.acquire(mirror_of(source))
    with pytest.raises(
        GitFailed, match=r"the submodule part cannot be had: .*'https://github.com/somebody/part"
    ):
        slot.checkout(source.git("rev-parse", "HEAD"))
    slot.release()


def test_two_slots_have_theirs_side_by_side(project: Project, mirror_of: Mirrored) -> None:
    mirror = mirror_of(project.source)
    one, other = slots.acquire(mirror), slots.acquire(mirror)
    one.checkout(project.shas[2])
    other.checkout(project.shas[4])
    assert files(one.tree) == expected(2)
    assert files(other.tree) == expected(4)
    one.release()
    other.release()
