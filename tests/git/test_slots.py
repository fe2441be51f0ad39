"""The tree a trial sees: exactly the commit's, whatever the trial before it did there."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.folders import empty
from bisector.git import index as indices
from bisector.git import slots, worktrees
from bisector.git.mirror import Mirror
from bisector.git.slots import Slot
from bisector.git.tree import Tree

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

Mirrored = Callable[..., Mirror]
Damage = Callable[[Path], None]


@contextmanager
def a_slot(mirror: Mirror, commit: str | None = None) -> Iterator[Slot]:
    slot = slots.acquire(mirror, commit)
    try:
        yield slot
    finally:
        slot.release()


def contents(tree: Path) -> dict[str, str]:
    """Every file and link of the tree; what is git's own left out."""
    found = {}
    for root, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if not Path(root, name).is_symlink()]
        for name in names:
            path = Path(root, name)
            assert path.is_symlink() or path.is_file(), path
            if path != tree / ".git":
                found[str(path.relative_to(tree))] = path.read_bytes().decode()
    empty = [path for path in tree.rglob("*") if path.is_dir() and not any(path.iterdir())]
    assert not empty
    return found


def sh(tree: Path, command: str) -> None:
    """As the repro of a trial: nothing of the user's git, but the tree's."""
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": "/nonexistent"}
    subprocess.run(["sh", "-c", command], cwd=tree, env=env, capture_output=True, check=False)


def ignored_files(tree: Path) -> None:
    (tree / "built.o").write_text("x")
    (tree / "deep" / "er").mkdir(parents=True)
    (tree / "deep" / "er" / "built.o").write_text("x")
    (tree / "__pycache__").mkdir()
    (tree / "__pycache__" / "m.pyc").write_text("x")


def nested_repository(tree: Path) -> None:
    (tree / "vendor" / ".git" / "objects").mkdir(parents=True)
    (tree / "vendor" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tree / "vendor" / ".git" / "refs").mkdir()
    (tree / "vendor" / "file").write_text("x")


def readonly_folder(tree: Path) -> None:
    (tree / "locked" / "inner").mkdir(parents=True)
    (tree / "locked" / "inner" / "file").write_text("x")
    (tree / "locked" / "inner").chmod(0o500)
    (tree / "locked").chmod(0o000)


def readonly_package(tree: Path) -> None:
    (tree / "package" / "module.py").chmod(0o400)
    (tree / "package").chmod(0o500)


def links(tree: Path) -> None:
    (tree / "loop").symlink_to("loop")
    (tree / "outside").symlink_to("/etc")
    (tree / "package" / "dangling").symlink_to("nowhere")


def tracked_files(tree: Path) -> None:
    (tree / "state").unlink()
    (tree / "number").write_text("99\n")
    shutil.rmtree(tree / "package")


def folder_instead_of_file(tree: Path) -> None:
    (tree / "state").unlink()
    (tree / "state").mkdir()
    (tree / "state" / "file").write_text("x")


def link_instead_of_folder(tree: Path) -> None:
    shutil.rmtree(tree / "package")
    (tree / "package").symlink_to("/tmp")


def folder_behind_a_link(tree: Path) -> None:
    """Its files are the very same, only not in the tree."""
    shutil.rmtree(tree.parent / "moved", ignore_errors=True)
    (tree / "package").rename(tree.parent / "moved")
    (tree / "package").symlink_to("../moved")


def folder_behind_a_link_within(tree: Path) -> None:
    (tree / "package").rename(tree / "moved")
    (tree / "package").symlink_to("moved")


def attributes_of_its_own(tree: Path) -> None:
    (tree / ".gitattributes").write_text("* text eol=crlf\n")
    (tree / "package" / ".gitattributes").write_text("* text eol=crlf\n")


def pipe_and_socket(tree: Path) -> None:
    os.mkfifo(tree / "package" / "pipe")
    os.mkfifo(tree / "pipe")
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        here = Path.cwd()
        os.chdir(tree)
        listening.bind("socket")
        os.chdir(here)


def repository_in_a_folder(tree: Path) -> None:
    (tree / "package" / ".git" / "refs").mkdir(parents=True)
    (tree / "package" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def contents_replaced(tree: Path) -> None:
    sh(tree, "git replace $(git rev-parse HEAD:state) $(echo mine | git hash-object -w --stdin)")


def readonly_tree(tree: Path) -> None:
    tree.chmod(0o500)


def tree_behind_a_link(tree: Path) -> None:
    shutil.rmtree(tree.parent / "moved", ignore_errors=True)
    tree.rename(tree.parent / "moved")
    tree.symlink_to("moved")


def no_git_link(tree: Path) -> None:
    (tree / ".git").unlink()


def repository_of_its_own(tree: Path) -> None:
    (tree / ".git").unlink()
    (tree / ".git" / "objects").mkdir(parents=True)
    (tree / ".git" / "refs").mkdir()
    (tree / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def git_link_elsewhere(tree: Path) -> None:
    (tree / ".git").write_text("gitdir: /nowhere\n")


def git_link_not_text(tree: Path) -> None:
    (tree / ".git").write_bytes(b"\xff\xfe\x00")


def git_link_unreadable(tree: Path) -> None:
    (tree / ".git").unlink()
    (tree / ".git").symlink_to("/nowhere")


def index_locked(tree: Path) -> None:
    git_dir = Path((tree / ".git").read_text().removeprefix("gitdir: ").strip())
    (git_dir / "index.lock").touch()
    (git_dir / "HEAD.lock").touch()


def index_damaged(tree: Path) -> None:
    git_dir = Path((tree / ".git").read_text().removeprefix("gitdir: ").strip())
    (git_dir / "index").write_bytes(b"DIRC rubbish")


def flags_in_the_index(tree: Path) -> None:
    """A build that hides its edits from git."""
    sh(tree, "git update-index --assume-unchanged number; git update-index --skip-worktree state")
    (tree / "number").write_text("99\n")
    (tree / "state").write_text("edited\n")


def same_size_and_time(tree: Path) -> None:
    before = (tree / "number").stat()
    (tree / "number").write_text("9\n")
    os.utime(tree / "number", ns=(before.st_atime_ns, before.st_mtime_ns))


def everything_gone(tree: Path) -> None:
    shutil.rmtree(tree)


def git_configured(tree: Path) -> None:
    sh(tree, "git config core.autocrlf true; git config core.sparseCheckout true; git config core.bare true")


def filters_configured(tree: Path) -> None:
    sh(tree, "git config filter.mine.smudge 'tr a-z A-Z'")
    sh(tree, 'd=$(git rev-parse --git-common-dir)/info; mkdir -p "$d"; echo "* filter=mine" >"$d/attributes"')


def exclusions_written(tree: Path) -> None:
    sh(tree, 'd=$(git rev-parse --git-common-dir)/info; mkdir -p "$d"; echo junk >"$d/exclude"')
    (tree / "junk").write_text("x")


def sparse_checkout(tree: Path) -> None:
    sh(tree, "git sparse-checkout set --no-cone /package")


def commits_of_its_own(tree: Path) -> None:
    sh(tree, "git checkout -q -b mine; echo 1 >number; git -c user.name=a -c user.email=a@b commit -qam mine")


def a_merge_half_done(tree: Path) -> None:
    sh(tree, "git rm -q --cached state; git read-tree -m HEAD HEAD~1; git stash -q; git bisect start")


DAMAGE: tuple[Damage, ...] = (
    ignored_files,
    nested_repository,
    readonly_folder,
    readonly_package,
    links,
    tracked_files,
    folder_instead_of_file,
    link_instead_of_folder,
    folder_behind_a_link,
    folder_behind_a_link_within,
    attributes_of_its_own,
    pipe_and_socket,
    repository_in_a_folder,
    contents_replaced,
    readonly_tree,
    tree_behind_a_link,
    no_git_link,
    repository_of_its_own,
    git_link_elsewhere,
    git_link_not_text,
    git_link_unreadable,
    index_locked,
    index_damaged,
    flags_in_the_index,
    same_size_and_time,
    everything_gone,
    git_configured,
    filters_configured,
    exclusions_written,
    sparse_checkout,
    commits_of_its_own,
    a_merge_half_done,
)


@pytest.fixture
def project(making: Making) -> Repository:
    more = {
        1: {".gitignore": "*.o\n__pycache__/\n", "package/module.py": "one\n"},
        3: {"package/module.py": "three\n", "added/here.py": "x\n"},
    }
    return making.repository("1..4", files=more)


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda one: one.__name__.replace("_", " "))
def test_the_tree_is_the_commits_after(project: Repository, mirror_of: Mirrored, damage: Damage) -> None:
    before = {".gitignore": "*.o\n__pycache__/\n", "state": "good\n"}
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(project[2])
        damage(slot.tree)
        slot.checkout(project[2])
        assert contents(slot.tree) == {**before, "number": "2\n", "package/module.py": "one\n"}
        damage(slot.tree)
        slot.checkout(project[3])
        more = {"package/module.py": "three\n", "added/here.py": "x\n"}
        assert contents(slot.tree) == {**before, "number": "3\n", **more}
        slot.checkout(project[1])
        assert contents(slot.tree) == {**before, "number": "1\n", "package/module.py": "one\n"}


def test_nothing_outside_is_touched_through_a_link(
    project: Repository, mirror_of: Mirrored, tmp_path: Path
) -> None:
    outside = tmp_path / "precious"
    outside.mkdir()
    (outside / "module.py").write_text("mine\n")
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(project[2])
        shutil.rmtree(slot.tree / "package")
        (slot.tree / "package").symlink_to(outside)
        (slot.tree / "other").symlink_to(outside)
        slot.checkout(project[3])
        assert (slot.tree / "package" / "module.py").read_text() == "three\n"
    assert contents(outside) == {"module.py": "mine\n"}


def test_a_tree_that_leads_elsewhere_is_made_anew(
    project: Repository, mirror_of: Mirrored, tmp_path: Path
) -> None:
    outside = tmp_path / "precious"
    outside.mkdir()
    (outside / "thesis").write_text("mine\n")
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(project[2])
        shutil.rmtree(slot.tree)
        slot.tree.symlink_to(outside)
        slot.checkout(project[3])
        assert (slot.tree / "number").read_text() == "3\n"
    assert contents(outside) == {"thesis": "mine\n"}


@pytest.mark.parametrize(
    "name", ["index", "index.kept", "index.boot", "index.believed", "index.lock", "info"]
)
@pytest.mark.parametrize("kind", ["a folder", "a pipe", "a link"])
def test_what_lies_where_git_or_we_write_is_not_written_through(
    project: Repository, mirror_of: Mirrored, tmp_path: Path, name: str, kind: str
) -> None:
    outside = tmp_path / "precious"
    outside.write_text("mine\n")
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(project[2])
        path = slot.git.git_dir / name
        empty(path)
        if kind == "a folder":
            (path / "inner").mkdir(parents=True)
        elif kind == "a pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(outside)
        (slot.tree / "state").write_text("edited\n")
        slot.checkout(project[3])
        assert (slot.tree / "number").read_text() == "3\n"
        assert (slot.tree / "state").read_text() == "good\n"
    assert outside.read_text() == "mine\n"


def test_what_the_machine_may_not_have_written_before_it_stopped_is_not_believed(
    project: Repository, mirror_of: Mirrored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut the index was on the disk, and files that it tells of were not."""
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(project[2])
        (slot.tree / "number").write_text("8\n")
        index = indices.read(slot.git.git_dir / "index")
        assert index is not None
        index.note("number", (slot.tree / "number").lstat())
        index.believe()
        shutil.copy2(index.path, slot.git.git_dir / "index.kept")
        slot.checkout(project[2])
        assert (slot.tree / "number").read_text() == "8\n", "else this shows nothing"
        monkeypatch.setattr(slots, "this_boot", lambda: "another")
        slot.checkout(project[2])
        assert (slot.tree / "number").read_text() == "2\n"


def test_slots_in_use_at_the_same_time_are_different_ones(project: Repository, mirror_of: Mirrored) -> None:
    mirror = mirror_of(project)
    with a_slot(mirror) as one, a_slot(mirror) as other:
        assert one.tree != other.tree
        one.checkout(project[1])
        other.checkout(project[4])
        assert (one.tree / "number").read_text() == "1\n"
    with a_slot(mirror) as again:
        assert again.tree == one.tree


def test_the_slot_that_was_left_at_the_commit_is_taken(project: Repository, mirror_of: Mirrored) -> None:
    mirror = mirror_of(project)
    with a_slot(mirror) as one, a_slot(mirror) as other:
        assert one.commit == "ref: refs/heads/never-born"
        one.checkout(project[1])
        other.checkout(project[4])
        assert other.commit == project[4]
        other.tree.joinpath("number").write_text("99\n")
        with a_slot(mirror, project[4]) as third:
            assert third.number == 2, "nobody shares what is in use"
    with a_slot(mirror, project[4]) as again:
        assert again.tree == other.tree
        again.checkout(project[4])
        assert contents(again.tree)["number"] == "4\n"
    with a_slot(mirror, project[2]) as first:
        assert first.tree == one.tree


def test_a_worktree_half_made_or_without_head_is_no_slot_at_a_commit(
    project: Repository, mirror_of: Mirrored
) -> None:
    mirror = mirror_of(project)
    with a_slot(mirror) as one:
        one.checkout(project[4])
        making = worktrees.place(mirror, "slot-7.making")
        making.mkdir()
        (making / "HEAD").write_text(f"{project[4]}\n")
        worktrees.place(mirror, "slot-8").mkdir()
    (one.git.git_dir / "HEAD").write_bytes(b"\xff\xfe")
    with a_slot(mirror, project[4]) as again:
        assert again.tree == one.tree
        assert again.commit != project[4]


def test_links_and_the_right_to_execute_are_as_committed(making: Making, mirror_of: Mirrored) -> None:
    project = making.empty()
    work = project.path
    (work / "tool").write_text("#!/bin/sh\n")
    (work / "tool").chmod(0o755)
    (work / "plain").write_text("x")
    (work / "link").symlink_to("plain")
    project.git("add", "-A")
    project.git("commit", "-qm", "one")
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(project.git("rev-parse", "HEAD"))
        assert stat.S_IMODE((slot.tree / "tool").stat().st_mode) & 0o111
        assert not stat.S_IMODE((slot.tree / "plain").stat().st_mode) & 0o111
        assert (slot.tree / "link").readlink() == Path("plain")
        (slot.tree / "tool").chmod(0o644)
        slot.checkout(project.git("rev-parse", "HEAD"))
        assert stat.S_IMODE((slot.tree / "tool").stat().st_mode) & 0o111


POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12\n"


def test_what_the_users_git_is_set_to_changes_no_byte(
    making: Making, mirror_of: Mirrored, machine: Mapping[str, str], tmp_path: Path
) -> None:
    touched = tmp_path / "touched"
    attributes = "*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt filter=mine\n"
    project = making.repository(
        "1..2", files={1: {".gitattributes": attributes, "large.bin": POINTER, "a.txt": "one\ntwo\n"}}
    )
    Path(machine["HOME"], ".gitconfig").write_text(
        "[core]\n\tautocrlf = true\n\teol = crlf\n\tsafecrlf = false\n"
        f'[filter "lfs"]\n\tsmudge = touch {touched}; cat\n\tprocess = touch {touched}\n\trequired = true\n'
        f'[filter "mine"]\n\tsmudge = touch {touched}; tr a-z A-Z\n'
        f"[core]\n\thooksPath = {tmp_path / 'hooks'}\n"
    )
    (tmp_path / "hooks").mkdir()
    hook = tmp_path / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {touched}\n")
    hook.chmod(0o755)
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(project[2])
        assert (slot.tree / "large.bin").read_bytes() == POINTER.encode()
        assert (slot.tree / "a.txt").read_bytes() == b"one\ntwo\n"
    assert not touched.exists()


def test_what_the_commit_itself_says_of_line_ends_holds(making: Making, mirror_of: Mirrored) -> None:
    project = making.repository("1", files={1: {".gitattributes": "*.bat eol=crlf\n", "a.bat": "one\n"}})
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(project[1])
        assert (slot.tree / "a.bat").read_bytes() == b"one\r\n"


def test_every_file_is_known_with_the_id_of_its_content(project: Repository, mirror_of: Mirrored) -> None:
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(project[3])
        said = Tree(slot.git).files()
    assert set(said) == {".gitignore", "state", "number", "package/module.py", "added/here.py"}
    assert said["number"] == project.git("rev-parse", f"{project[3]}:number")
