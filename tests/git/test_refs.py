"""What a recipe may call an end, row by row."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from bisector.errors import UsageFault
from bisector.git import refs
from bisector.git.mirror import Mirror
from bisector.git.source import locate

if TYPE_CHECKING:
    from tests.conftest import Making, Repository


def _project(making: Making) -> Repository:
    """Commits a day apart, the first on 2020-09-14, 12:26:40 UTC; released now and then."""
    made = making.repository("1..8; 3 9 10; 5+10 11; 8+11 12")
    for name, number in {
        "v1.0": 1,
        "release-1.1": 2,
        "project-1.2.0": 3,
        "1.3": 4,
        "v2.0rc1": 5,
        "rel_2_0": 6,
        "pkg/v3.0": 7,
    }.items():
        made.tag(name, number)
    made.tag("v2.1", 8, annotated=True)
    made.branch("feature/side", 10)
    made.branch("2.x", 8)
    return made


@pytest.fixture
def project(making: Making) -> Repository:
    return _project(making)


@dataclass(frozen=True)
class Kept:
    """The same project, mirrored once for many rows."""

    project: Repository
    mirror: Mirror


@pytest.fixture(scope="module")
def kept(workshop: Callable[[str], Making]) -> Kept:
    making = workshop("refs")
    project = _project(making)
    source = locate(str(project.path), None)
    mirror = Mirror(making.folder / "mirror", source, {"PATH": os.environ["PATH"]})
    mirror.ensure(print)
    return Kept(project, mirror)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        pytest.param("v1.0", 1, id="a tag"),
        pytest.param("v2.1", 8, id="an annotated tag is the commit it names"),
        pytest.param("refs/tags/v1.0", 1, id="a tag in full"),
        pytest.param("main", 12, id="a branch"),
        pytest.param("origin/main", 12, id="a branch as a clone calls it"),
        pytest.param("feature/side", 10, id="a branch with a slash"),
        pytest.param("origin/feature/side", 10, id="a branch with a slash as a clone calls it"),
        pytest.param("refs/heads/main", 12, id="a branch in full"),
        pytest.param("2.x", 8, id="a branch that looks like a version"),
        pytest.param("HEAD", 12, id="HEAD"),
        pytest.param("@", 12, id="HEAD in short"),
        pytest.param("HEAD~2", 7, id="HEAD~2"),
        pytest.param("HEAD^2", 11, id="the second parent of HEAD"),
        pytest.param("HEAD~1^2", None, id="a parent that is not there"),
        pytest.param("main~3", 6, id="a branch and steps back"),
        pytest.param("v2.1^", 7, id="before an annotated tag"),
        pytest.param("origin/main~1", 8, id="a branch as a clone calls it and a step back"),
        pytest.param("1.0", 1, id="a released version, its tag begins with v"),
        pytest.param("v1.1", 2, id="a released version, written with v, its tag begins with release-"),
        pytest.param("==1.2.0", 3, id="a pinned version, its tag begins with the name"),
        pytest.param("== 1.3", 4, id="a pinned version with a space"),
        pytest.param("1.3.0", 4, id="1.3.0 is 1.3"),
        pytest.param("2.0rc1", 5, id="a release candidate"),
        pytest.param("2.0.0", 6, id="a version whose tag is spelt with underscores"),
        pytest.param("3.0", 7, id="a version whose tag lies in a folder"),
        pytest.param("2.0.1", None, id="a version that was never released"),
        pytest.param("2020-09-17", 3, id="a date is its first moment"),
        pytest.param("2020-09-17T12:26:40Z", 4, id="a moment, the commit of that very second counts"),
        pytest.param("2020-09-17 14:26:40+02:00", 4, id="a moment elsewhere on the globe"),
        pytest.param("2020-09-24", 8, id="a date counts on the main line, not on the side branch"),
        pytest.param("2019-01-01", None, id="a date before the first commit"),
        pytest.param("2.1\n", None, id="a name with a line break"),
        pytest.param("--all", None, id="an option"),
        pytest.param("--output=stolen", None, id="an option that writes"),
        pytest.param("", None, id="no name at all"),
        pytest.param("v1.0..v2.1", None, id="a range"),
        pytest.param("main:state", None, id="a file"),
        pytest.param("0" * 40, None, id="a sha that is nothing"),
    ],
)
def test_a_name_means_a_commit(kept: Kept, name: str, number: int | None) -> None:
    if number is None:
        with pytest.raises(UsageFault, match="names no commit"):
            refs.resolve(kept.mirror, name, print)
    else:
        assert kept.project.number(refs.resolve(kept.mirror, name, print)) == number
    assert not list(kept.mirror.git_dir.glob("stolen*"))


def test_a_sha_in_full_and_in_short(kept: Kept) -> None:
    project, mirror = kept.project, kept.mirror
    assert refs.resolve(mirror, project[4], print) == project[4]
    assert refs.resolve(mirror, project[4][:10], print) == project[4]
    assert refs.resolve(mirror, project[4].upper(), print) == project[4]


def test_a_tag_goes_before_a_branch_of_the_same_name(
    project: Repository, mirror_of: Callable[[Repository], Mirror]
) -> None:
    project.branch("v1.0", 7)
    mirror = mirror_of(project)
    assert refs.resolve(mirror, "v1.0", print) == project[1]
    assert refs.resolve(mirror, "refs/heads/v1.0", print) == project[7]


def test_a_version_that_two_projects_of_one_repository_released_is_refused(
    project: Repository, mirror_of: Callable[[Repository], Mirror]
) -> None:
    project.tag("left-5.0", 4)
    project.tag("right-5.0", 5)
    mirror = mirror_of(project)
    with pytest.raises(UsageFault, match=r"left-5\.0.*right-5\.0|right-5\.0.*left-5\.0"):
        refs.resolve(mirror, "5.0", print)


def test_the_project_itself_goes_before_its_plugins(
    project: Repository, mirror_of: Callable[[Repository], Mirror]
) -> None:
    project.tag("plugin-6.0", 4)
    project.tag("source-6.0", 5)
    mirror = mirror_of(project)
    assert refs.resolve(mirror, "6.0", print) == project[5]


def test_two_tags_of_one_release_on_one_commit_are_no_riddle(
    project: Repository, mirror_of: Callable[[Repository], Mirror]
) -> None:
    project.tag("v7.0", 4)
    project.tag("other-7.0", 4)
    assert refs.resolve(mirror_of(project), "7.0", print) == project[4]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        pytest.param("mian", "main", id="letters swapped"),
        pytest.param("feature/sid", "feature/side", id="a letter short"),
        pytest.param("release-1.2", "release-1.1", id="a release off by one"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest(kept: Kept, typed: str, meant: str) -> None:
    with pytest.raises(UsageFault, match=f"did you mean .*{meant}") as raised:
        refs.resolve(kept.mirror, typed, print)
    assert typed in raised.value.message


def test_a_commit_made_since_the_last_fetch_is_found(
    project: Repository, mirror_of: Callable[[Repository], Mirror]
) -> None:
    mirror = mirror_of(project)
    project.grow("12 13", lambda number: {"number": str(number)})
    project.tag("v9.0", 13)
    assert refs.resolve(mirror, "9.0", print) == project[13]


def test_a_commit_that_no_branch_reaches_is_asked_for_by_its_sha(
    project: Repository, mirror_of: Callable[[Repository], Mirror]
) -> None:
    mirror = mirror_of(project)
    project.grow("12 13", lambda number: {"number": str(number)})
    project.branch("main", 12)
    assert refs.resolve(mirror, project[13], print) == project[13]


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("v1.0", False),
        ("1.1", False),
        ("==1.1", False),
        ("main", True),
        ("HEAD~3", True),
        ("2020-09-17", True),
    ],
)
def test_what_may_mean_another_commit_tomorrow(kept: Kept, name: str, moves: bool) -> None:
    assert refs.moves(kept.mirror.git, name) is moves


def test_a_version_goes_before_a_short_sha_that_looks_like_it(
    making: Making, mirror_of: Callable[[Repository], Mirror]
) -> None:
    project = making.repository("1..60")
    version, number = next((sha[:4], n) for n, sha in project.shas.items() if sha[:4].isdigit())
    released = 1 if number > 1 else 2
    project.tag(f"v{version}", released)
    mirror = mirror_of(project)
    assert refs.resolve(mirror, version, print) == project[released]
    assert refs.resolve(mirror, project[number][:8], print) == project[number]


def test_a_short_sha_that_several_commits_share_is_called_ambiguous(
    making: Making, mirror_of: Callable[[Repository], Mirror]
) -> None:
    project = making.repository("1..600")
    short = Counter(sha[:4] for sha in project.shas.values()).most_common(1)
    ((beginning, count),) = short
    assert count > 1
    with pytest.raises(UsageFault, match="ambiguous") as raised:
        refs.resolve(mirror_of(project), beginning, print)
    assert beginning in raised.value.message


def test_a_branch_that_a_clone_has_only_from_its_origin(
    making: Making, mirror_of: Callable[[str], Mirror]
) -> None:
    origin = making.repository("1..5; 3 6 7", name="origin")
    origin.branch("main", 5)
    origin.branch("maint/1.x", 7)
    clone = making.folder / "clone"
    origin.git("clone", "--quiet", str(origin.path), str(clone))
    origin.git("-C", str(clone), "update-ref", "refs/heads/main", origin[4])
    mirror = mirror_of(str(clone))
    means = {"main": 4, "origin/main": 5, "maint/1.x": 7, "origin/maint/1.x": 7, "origin/maint/1.x~1": 6}
    assert {name: origin.number(refs.resolve(mirror, name, print)) for name in means} == means


def test_a_source_without_any_commit_names_nothing(
    making: Making, mirror_of: Callable[[Repository], Mirror]
) -> None:
    mirror = mirror_of(making.empty())
    for name in ("main", "HEAD", "1.0", "2020-01-01"):
        with pytest.raises(UsageFault, match="names no commit"):
            refs.resolve(mirror, name, print)
