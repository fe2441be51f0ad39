"""The copy that hunts work on: true to its source, whatever the source is, and never a write to it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from bisector.errors import BisectorError, MachineFault, UsageFault
from bisector.git import slots
from bisector.git.door import RepositoryIncomplete
from bisector.git.ledger import open_ledger
from bisector.git.mirror import HEAD, Mirror
from bisector.git.refs import resolve
from bisector.git.source import locate
from bisector.model import Terms

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

Mirrored = Callable[..., Mirror]


def numbered(number: int) -> Mapping[str, str]:
    return {"number": f"{number}\n"}


def refs_of(mirror: Mirror) -> dict[str, str]:
    lines = mirror.git.lines("for-each-ref", "--format=%(refname) %(objectname)")
    return {line.split()[0]: line.split()[1] for line in lines}


def test_a_repository_given_as_a_path_stays_as_it_was_to_the_last_byte(
    making: Making, mirror_of: Mirrored, tmp_path: Path
) -> None:
    project = making.repository("1..6; 3 7; 6+7 8", files={2: {".gitignore": "*.o\n"}})
    project.git("checkout", "--quiet", "-f", "main")
    project.git("tag", "v1", project[2])
    (project.path / "number").write_text("work in progress\n")
    (project.path / "built.o").write_text("ignored\n")
    project.git("stash", "push", "--quiet")
    (project.path / "state").write_text("staged\n")
    project.git("add", "state")
    project.git("bisect", "start", "--no-checkout")
    before = project.fingerprint()

    mirror = mirror_of(project)
    mirror.fetch(print)
    resolve(mirror, "v1", print)
    mirror.fetch_commit(project[7])
    mirror.remote_refs("refs/pull/*/head")
    slot = slots.acquire(mirror)
    slot.checkout(project[8])
    slot.release()
    ledger = open_ledger(mirror, "x", tmp_path / "hunt", Terms(), first_parent=False, paths=())
    ledger.start(project[8], [project[1]], [])

    assert project.fingerprint() == before


@pytest.mark.parametrize("kind", ["path", "file://", "bare", "bare file://", "linked worktree"])
def test_every_kind_of_source_is_mirrored_with_its_branches_and_tags(
    making: Making, mirror_of: Mirrored, kind: str
) -> None:
    project = making.repository("1..5; 2 6", bare=kind.startswith("bare"))
    project.branch("side", 6)
    project.branch("main", 5)
    project.tag("v1", 3, annotated=True)
    path = project.path
    if kind == "linked worktree":
        path = project.path.parent / "linked"
        project.git("worktree", "add", "--quiet", str(path), "side")
    mirror = mirror_of(f"file://{path}" if kind.endswith("file://") else str(path))
    assert refs_of(mirror) == {
        "refs/heads/main": project[5],
        "refs/heads/side": project[6],
        "refs/tags/v1": project.git("rev-parse", "v1"),
        HEAD: project[6] if kind == "linked worktree" else project[5],
    }
    assert mirror.git.lines("rev-list", "--count", "main") == ["5"]


def test_a_detached_head_of_the_source_is_what_head_means(making: Making, mirror_of: Mirrored) -> None:
    project = making.repository("1..5")
    project.git("update-ref", "--no-deref", "HEAD", project[2])
    mirror = mirror_of(project)
    assert resolve(mirror, "HEAD", print) == project[2]
    assert resolve(mirror, "HEAD~1", print) == project[1]


def test_head_on_a_branch_that_is_not_born_hides_nothing_else(making: Making, mirror_of: Mirrored) -> None:
    project = making.repository("1..5")
    project.git("symbolic-ref", "HEAD", "refs/heads/later")
    assert resolve(mirror_of(project), "main", print) == project[5]


@pytest.mark.parametrize("spelling", ["path", "file://"])
def test_a_branch_that_moved_was_forced_back_or_went_is_followed(
    making: Making, mirror_of: Mirrored, spelling: str
) -> None:
    project = making.repository("1..5; 2 6 7")
    for name, number in {"moved": 3, "forced": 7, "gone": 4, "a": 5}.items():
        project.branch(name, number)
    project.tag("retagged", 1)
    mirror = mirror_of(f"file://{project.path}" if spelling == "file://" else project)
    project.branch("moved", 5)
    project.branch("forced", 4)
    project.git("branch", "-D", "gone", "a")
    project.branch("a/b", 6)
    project.git("tag", "-f", "retagged", project[2])
    mirror.fetch(print)
    assert refs_of(mirror) == {
        "refs/heads/main": project[7],
        "refs/heads/moved": project[5],
        "refs/heads/forced": project[4],
        "refs/heads/a/b": project[6],
        "refs/tags/retagged": project[2],
        HEAD: project[7],
    }


@pytest.mark.parametrize("source", ["nowhere", "folder", "https://127.0.0.1:9/project.git"])
def test_nothing_stays_of_a_first_copy_that_failed(tmp_path: Path, mirror_of: Mirrored, source: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(BisectorError):
        mirror_of(source)
    assert list((tmp_path / "state" / "mirrors").iterdir()) == []


def test_a_shallow_source_gives_what_it_has(making: Making, mirror_of: Mirrored) -> None:
    project = making.repository("1..9")
    for spelling in ("path", "file://"):
        shallow = project.path.parent / f"shallow-{spelling[:4]}"
        project.git("clone", "--quiet", "--depth=3", f"file://{project.path}", str(shallow))
        mirror = mirror_of(str(shallow) if spelling == "path" else f"file://{shallow}")
        assert mirror.is_shallow()
        assert mirror.git.lines("rev-list", "--count", "main") == ["3"]
        with pytest.raises(UsageFault, match="HEAD~5") as raised:
            resolve(mirror, "HEAD~5", print)
        assert "shallow" in (raised.value.hint or "")


def test_a_shallow_source_that_was_deepened_is_read_deeper(making: Making, mirror_of: Mirrored) -> None:
    project = making.repository("1..9")
    for spelling in ("path", "file://"):
        shallow = project.path.parent / f"shallow-{spelling[:4]}"
        project.git("clone", "--quiet", "--depth=3", f"file://{project.path}", str(shallow))
        mirror = mirror_of(str(shallow) if spelling == "path" else f"file://{shallow}")
        project.git("-C", str(shallow), "fetch", "--quiet", "--unshallow")
        assert resolve(mirror, "HEAD~5", print) == project[4]


def test_the_users_insteadof_holds(making: Making, mirror_of: Mirrored, machine: Mapping[str, str]) -> None:
    project = making.repository("1..3")
    Path(machine["HOME"], ".gitconfig").write_text(
        f'[url "{project.path.parent}/"]\n\tinsteadOf = https://forge.example/team/\n'
    )
    mirror = mirror_of("https://forge.example/team/source")
    assert resolve(mirror, "main", print) == project[3]
    assert mirror.source.shown == "https://forge.example/team/source"


@pytest.mark.parametrize(
    ("repo", "says"),
    [
        pytest.param("nowhere", "does not exist", id="a folder that is not there"),
        pytest.param("plain", "not a git repository", id="a folder without git"),
        pytest.param("plain/file", "not a git repository", id="a file"),
        pytest.param("file:///nowhere/at/all", "does not exist", id="a file URL to nothing"),
        pytest.param("--upload-pack=touch", "neither a URL nor a path", id="an option"),
        pytest.param("ext::sh -c true", "neither a URL nor a path", id="a command as a URL"),
    ],
)
def test_what_is_no_repository_is_the_recipes_fault(
    mirror_of: Mirrored, tmp_path: Path, repo: str, says: str
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "file").write_text("")
    with pytest.raises(UsageFault, match=says):
        mirror_of(repo)
    assert not list(tmp_path.glob("state/mirrors/*/repo.*"))


def test_a_host_that_does_not_answer_is_the_machines_fault(mirror_of: Mirrored) -> None:
    with pytest.raises(MachineFault, match=r"cannot fetch http://127\.0\.0\.1:9/project"):
        mirror_of("http://127.0.0.1:9/project")


def test_a_source_with_packs_and_borrowed_objects_is_complete_in_the_mirror(
    making: Making, mirror_of: Mirrored
) -> None:
    project = making.repository("1..5")
    project.git("gc", "--quiet")
    shared = project.path.parent / "shared"
    project.git("clone", "--quiet", "--shared", str(project.path), str(shared))
    mirror = mirror_of(str(shared))
    slot = slots.acquire(mirror)
    slot.checkout(project[3])
    assert (slot.tree / "number").read_text() == "3\n"
    slot.release()


ENSURE = """
import os, sys
from pathlib import Path
from bisector.git.mirror import Mirror
from bisector.git.source import locate
source = locate(sys.argv[1], None)
mirror = Mirror(Path(sys.argv[2]), source, dict(os.environ))
sys.stdin.readline()
print(mirror.ensure(lambda text: None))
for _ in range(3):
    mirror.fetch(lambda text: None)
print(mirror.git.text("rev-list", "--count", "--all").strip())
"""


def test_two_hunts_that_begin_at_the_same_time_share_one_copy(
    making: Making, tmp_path: Path, machine: Mapping[str, str]
) -> None:
    project = making.repository("1..50")
    argv = [sys.executable, "-c", ENSURE, f"file://{project.path}", str(tmp_path / "mirror")]
    pair = [
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(machine))
        for _ in range(2)
    ]
    said = []
    for one in pair:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    for one in pair:
        out, _ = one.communicate(timeout=60)
        assert one.returncode == 0
        said.append(out.split())
    assert sorted(made for made, _ in said) == ["False", "True"]
    assert [count for _, count in said] == ["50", "50"]


def test_a_copy_that_was_begun_and_killed_is_made_anew(making: Making, mirror_of: Mirrored) -> None:
    project = making.repository("1..3")
    mirror = mirror_of(project)
    half_made = mirror.git_dir.rename(mirror.folder / "repo.making")
    (half_made / "HEAD").unlink()
    assert not mirror.exists()
    assert mirror.ensure(print)
    assert resolve(mirror, "main", print) == project[3]


def test_locks_that_a_killed_fetch_left_are_in_nobodys_way(making: Making, mirror_of: Mirrored) -> None:
    project = making.repository("1..3")
    mirror = mirror_of(project)
    for lock in ("packed-refs.lock", "config.lock", "refs/heads/main.lock", "refs/source/HEAD.lock"):
        (mirror.git_dir / lock).parent.mkdir(exist_ok=True, parents=True)
        (mirror.git_dir / lock).touch()
    project.grow("3 4", numbered)
    mirror.fetch(print)
    assert resolve(mirror, "main", print) == project[4]


def lose(project: Repository, revision: str, *, empty: bool = False) -> None:
    """One object is gone, or a crash left it empty."""
    sha = project.git("rev-parse", revision)
    path = project.path / ".git" / "objects" / sha[:2] / sha[2:]
    path.unlink()
    if empty:
        path.touch()


@pytest.mark.parametrize("empty", [False, True], ids=["missing", "empty"])
@pytest.mark.parametrize(
    "revision", ["main~2:number", "main~2^{tree}", "main~2"], ids=["file", "tree", "commit"]
)
@pytest.mark.parametrize("spelling", ["path", "file://"])
def test_a_source_that_lacks_objects_is_called_incomplete(
    making: Making, mirror_of: Mirrored, revision: str, empty: bool, spelling: str
) -> None:
    project = making.repository("1..6")
    lost, newest = project[4], project[6]
    lose(project, revision, empty=empty)
    with pytest.raises(RepositoryIncomplete, match="incomplete") as raised:
        mirror = mirror_of(f"file://{project.path}" if spelling == "file://" else project)
        mirror.git.text("rev-list", newest)
        slots.acquire(mirror).checkout(lost)
    assert raised.value.status == 5
    assert "fsck" in (raised.value.hint or "")


def test_a_source_on_another_file_system_is_copied(making: Making, machine: Mapping[str, str]) -> None:
    """No hard links there; memory is one on every Linux."""
    project = making.repository("1..3")
    located = locate(str(project.path), None)
    with TemporaryDirectory(dir="/dev/shm") as folder:
        mirror = Mirror(Path(folder) / located.key, located, machine)
        mirror.ensure(print)
        assert resolve(mirror, "main", print) == project[3]
