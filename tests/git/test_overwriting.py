"""Large jumps between trees, where files are written over: the tree is the commit's, as git itself lays it out."""

from __future__ import annotations

import io
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.git import slots
from bisector.git.door import GitFailed, RepositoryIncomplete
from bisector.git.mirror import Mirror
from bisector.git.overwriting import LARGEST_SPARE, MANY, MOST_SPARE
from bisector.git.slots import Slot

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

Mirrored = Callable[..., Mirror]
Tree = Mapping[str, "str | bytes | None"]
"""What lies at each path; None: nothing."""
SIZE = MANY + 20


@contextmanager
def a_slot(mirror: Mirror) -> Iterator[Slot]:
    slot = slots.acquire(mirror)
    try:
        yield slot
    finally:
        slot.release()


def committed(project: Repository, tree: Tree, *, executable: tuple[str, ...] = ()) -> str:
    """One more commit, with these files changed; a text that begins with -> is a link. No file is made for it."""
    tip = project.git("rev-parse", "--verify", "--quiet", "refs/heads/main", check=False)
    who = b"Ada <ada@example.org> 1600000000 +0000"
    parts = [b"commit refs/heads/main\nmark :1\nauthor %b\ncommitter %b\ndata 4\nmore\n" % (who, who)]
    parts += [b"from %b\n" % tip.encode()] if tip else []
    parts += [b"D %b\n" % quoted(name) for name in tree]
    for name, content in tree.items():
        if content is not None:
            said = content.encode() if isinstance(content, str) else content
            mode = b"120000" if said.startswith(b"->") else b"100755" if name in executable else b"100644"
            said = said.removeprefix(b"->") if mode == b"120000" else said
            parts.append(b"M %b inline %b\ndata %d\n%b\n" % (mode, quoted(name), len(said), said))
    parts.append(b"get-mark :1\n")
    argv = ["git", "-C", str(project.path), "fast-import", "--quiet"]
    made = subprocess.run(argv, input=b"".join(parts), stdout=subprocess.PIPE, check=True)
    return made.stdout.decode().strip()


def quoted(name: str) -> bytes:
    return b'"%b"' % os.fsencode(name).replace(b"\t", b"\\t")


def many(word: str, count: int = SIZE) -> dict[str, str]:
    return {f"package/part{number % 7}/module{number}.py": f"{word} {number}\n" for number in range(count)}


def found(tree: Path) -> dict[str, tuple[str, bytes]]:
    """Every file and link, and each folder that is empty."""
    everything: dict[str, tuple[str, bytes]] = {}
    for root, folders, names in os.walk(os.fsencode(tree)):
        folders[:] = [name for name in folders if name != b".git"]
        for name in [*folders, *names]:
            path = Path(os.fsdecode(os.path.join(root, name)))  # noqa: PTH118
            mode = path.lstat().st_mode
            said = os.fsencode(path.readlink()) if stat.S_ISLNK(mode) else b""
            if stat.S_ISREG(mode):
                said = path.read_bytes()
            is_full = stat.S_ISDIR(mode) and any(path.iterdir())
            if path.name != ".git" and not is_full:
                shown = stat.filemode(mode) if not stat.S_ISLNK(mode) else "link"
                everything[os.fspath(path.relative_to(tree))] = (shown, said)
    return everything


def as_git_has_it(project: Repository, sha: str) -> dict[str, tuple[str, bytes]]:
    argv = ["git", "-C", str(project.path), "archive", sha]
    archive = subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive), errors="surrogateescape") as members:
        return {one.name: packed(members, one) for one in members if not one.isdir()}


def packed(members: tarfile.TarFile, one: tarfile.TarInfo) -> tuple[str, bytes]:
    if one.issym():
        return "link", os.fsencode(one.linkname)
    content = members.extractfile(one)
    assert content is not None
    return stat.filemode(stat.S_IFREG | (0o755 if one.mode & 0o100 else 0o644)), content.read()


def is_clean(slot: Slot) -> bool:
    """In git's own eyes, which looks at every content."""
    (slot.git.git_dir / "index").unlink()
    slot.git.text("read-tree", "HEAD")
    return not slot.git.lines("status", "--porcelain", "--ignored")


@pytest.fixture
def project(making: Making) -> Repository:
    return making.empty()


def test_files_are_written_over_and_none_is_made(project: Repository, mirror_of: Mirrored) -> None:
    one = committed(project, {**many("one"), "gone": "gone\n", "kept": "kept\n"})
    other = committed(project, {**many("other, and longer"), "gone": None, "new/er/file": "new\n"})
    name = "package/part1/module1.py"
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(one)
        before = {path: (slot.tree / path).stat().st_ino for path in (name, "gone", "kept")}
        slot.checkout(other)
        assert found(slot.tree) == as_git_has_it(project, other)
        assert (slot.tree / name).stat().st_ino == before[name]
        assert (slot.tree / "new/er/file").stat().st_ino == before["gone"]
        slot.checkout(one)
        assert found(slot.tree) == as_git_has_it(project, one)
        assert {path: (slot.tree / path).stat().st_ino for path in before} == before
        assert is_clean(slot)


def test_fewer_files_are_gits_alone(project: Repository, mirror_of: Mirrored) -> None:
    one = committed(project, many("one"))
    other = committed(project, many("other", MANY - 1))
    name = "package/part1/module1.py"
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(one)
        before = (slot.tree / name).stat().st_ino
        slot.tree.with_name("holds the inode").hardlink_to(slot.tree / name)
        slot.checkout(other)
        assert (slot.tree / name).read_text() == "other 1\n"
        assert (slot.tree / name).stat().st_ino != before
        assert not slot.tree.with_name("spare").exists()


def with_a_tree_above(project: Repository, sha: str) -> str:
    """As a commit of a stranger may have it: git reads it, and refuses to check it out."""

    def made(*words: str, said: bytes) -> str:
        argv = ["git", "-C", str(project.path), "hash-object", "-w", "--stdin", *words]
        return subprocess.run(argv, input=said, stdout=subprocess.PIPE, check=True).stdout.decode().strip()

    def tree(*entries: tuple[str, str, str]) -> str:
        said = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(sha) for mode, name, sha in entries)
        return made("-t", "tree", "--literally", said=said)

    above = tree(("100644", "outside", made(said=b"out\n")))
    listed = [line.split() for line in project.git("ls-tree", sha).splitlines()]
    known = [(mode.lstrip("0"), name, content) for mode, _, content, name in listed]
    top = tree(("40000", "..", above), *known)
    return project.git("commit-tree", "-p", sha, "-m", "above", top)


def test_no_commit_has_files_outside_its_tree(project: Repository, mirror_of: Mirrored) -> None:
    one = committed(project, many("one"))
    above = with_a_tree_above(project, committed(project, many("other")))
    project.git("update-ref", "refs/heads/main", above)
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(one)
        with pytest.raises(GitFailed):
            slot.checkout(above)
        assert not [*slot.tree.parent.glob("**/outside")]


def test_names_that_look_alike_in_git_s_words(project: Repository, mirror_of: Mirrored) -> None:
    names = ("A\udcfcber", "A\ufffdber", "B\udcfcber")
    one = committed(project, {**many("one"), **{name: f"{name!a} one\n" for name in names[:2]}})
    other = committed(project, {**many("other"), **{name: f"{name!a} and another\n" for name in names}})
    with a_slot(mirror_of(project)) as slot:
        for sha in (one, other, one):
            slot.checkout(sha)
            assert found(slot.tree) == as_git_has_it(project, sha)


def test_files_are_as_open_to_others_as_git_makes_them(
    project: Repository, mirror_of: Mirrored, machine: Mapping[str, str]
) -> None:
    """Where the user's repositories are a group's, their index is, and not their files."""
    Path(machine["HOME"], ".gitconfig").write_text("[core]\n\tsharedRepository = group\n")
    one = committed(project, many("one"), executable=("package/part1/module1.py",))
    other = committed(project, many("other"), executable=("package/part1/module1.py",))
    with a_slot(mirror_of(project)) as slot:
        for sha in (one, other, one):
            slot.checkout(sha)
            assert found(slot.tree) == as_git_has_it(project, sha)


def kinds(turned: bool) -> Tree:
    """What is a file in one commit and something else in the other."""
    one: Tree = {
        "file or folder": "file\n",
        "folder or file": None,
        "folder or file/inside/deep": "deep\n",
        "file or link": "file\n",
        "link or file": "->kept",
        "folder or link/inside": "inside\n",
        "link or folder": "->package",
        "empty or full": "",
        "large": b"\0" * 300_000,
        "no text": bytes(range(256)),
    }
    other: Tree = {
        "file or folder": None,
        "file or folder/inside/deep": "deep\n",
        "folder or file": "file\n",
        "file or link": "->kept",
        "link or file": "file\n",
        "folder or link": "->package",
        "link or folder": None,
        "link or folder/inside": "inside\n",
        "empty or full": "full\n" * 30_000,
        "large": b"small",
        "no text": bytes(range(255, -1, -1)),
    }
    return other if turned else one


def test_whatever_else_changes_is_as_git_has_it(project: Repository, mirror_of: Mirrored) -> None:
    names = {os.fsdecode(b"latin \xe9.py"): "old\n", "with space\tand tab": "old\n", "umlaut \u00e4": "old\n"}
    one = committed(project, {**many("one"), **kinds(False), **names, "tool": "x\n", "kept": "kept\n"})
    later = dict.fromkeys(names, "new\n")
    other = committed(
        project, {**many("other"), **kinds(True), **later}, executable=("tool", "package/part2/module2.py")
    )
    with a_slot(mirror_of(project)) as slot:
        for sha in (one, other, one, other):
            slot.checkout(sha)
            assert found(slot.tree) == as_git_has_it(project, sha)
            assert is_clean(slot)


@pytest.mark.parametrize(
    "attributes", ["*.py eol=crlf\n", "*.py ident\n", "*.py working-tree-encoding=UTF-16\n"]
)
@pytest.mark.parametrize("place", ["", "package/part2/"])
def test_what_the_tree_says_of_its_files_holds(
    project: Repository, mirror_of: Mirrored, attributes: str, place: str
) -> None:
    plain = committed(project, many("$Id$ plain"))
    project.git("read-tree", plain)
    # By hand: what is added from a folder is turned back.
    said, content = (
        project.git("hash-object", "-w", "--stdin", stdin=text) for text in (attributes, "$Id$\nturned\n")
    )
    rows = [f"100644 {content}\t{name}\n" for name in many("")]
    rows.append(f"100644 {said}\t{place}.gitattributes\n")
    project.git("update-index", "--add", "--index-info", stdin="".join(rows))
    turned = project.git("commit-tree", "-p", plain, "-m", "turned", project.git("write-tree"))
    project.git("update-ref", "refs/heads/turned", turned)
    with a_slot(mirror_of(project)) as slot:
        for sha in (plain, turned, plain, turned):
            slot.checkout(sha)
            assert found(slot.tree) == as_git_has_it(project, sha)


def test_line_ends_that_are_as_kept_and_filters_that_nobody_has_are_no_matter(
    project: Repository, mirror_of: Mirrored
) -> None:
    said = "* text=auto\n*.py eol=lf filter=lfs -text\n"
    one = committed(project, {**many("one"), ".gitattributes": said})
    other = committed(project, many("other"))
    name = "package/part1/module1.py"
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(one)
        before = (slot.tree / name).stat().st_ino
        slot.checkout(other)
        assert (slot.tree / name).stat().st_ino == before
        assert found(slot.tree) == as_git_has_it(project, other)


def edited(tree: Path) -> None:
    """Of the same size and, as far as that can be set, of the same time."""
    for number in range(5):
        path = tree / f"package/part{number}/module{number}.py"
        before = path.stat()
        path.write_text(path.read_text().replace("o", "0"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def removed(tree: Path) -> None:
    shutil.rmtree(tree / "package/part3")
    (tree / "package/part1/module1.py").unlink()


def elsewhere(tree: Path) -> None:
    """The very same files, behind a link."""
    (tree / "package/part4").rename(tree.with_name("moved"))
    (tree / "package/part4").symlink_to("../../moved")


def of_other_kinds(tree: Path) -> None:
    for number, name in enumerate(("module1", "module8", "module15", "module22")):
        path = tree / "package/part1" / f"{name}.py"
        path.unlink()
        if number == 0:
            path.symlink_to("/etc/passwd")
        elif number == 1:
            os.mkfifo(path)
        elif number == 2:
            path.mkdir()
        else:
            path.write_text("other\n")
            path.chmod(0o4755)


def left_over(tree: Path) -> None:
    """Where the next commit has files of its own."""
    (tree / "new").mkdir()
    (tree / "new/file").write_text("in the way\n")
    (tree / "added").symlink_to("/tmp")


def index_lost(tree: Path) -> None:
    git_dir = Path((tree / ".git").read_text().removeprefix("gitdir: ").strip())
    (git_dir / "index").write_bytes(b"DIRC rubbish")


@pytest.mark.parametrize("damage", [edited, removed, elsewhere, of_other_kinds, left_over, index_lost])
def test_whatever_a_run_did_to_the_tree(
    project: Repository, mirror_of: Mirrored, damage: Callable[[Path], None]
) -> None:
    one = committed(project, {**many("one"), "gone": "gone\n"})
    more = {"gone": None, "new/file": "new\n", "added/file": "added\n"}
    other = committed(project, {**many("other"), **more})
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(one)
        damage(slot.tree)
        slot.checkout(other)
        assert found(slot.tree) == as_git_has_it(project, other)
        assert is_clean(slot)


def test_a_file_under_another_name_outside_stays_as_it_is(
    project: Repository, mirror_of: Mirrored, tmp_path: Path
) -> None:
    """A run may have linked the commit's file to where its user keeps results."""
    one = committed(project, {**many("one"), "gone": "gone\n"})
    other = committed(project, {**many("other"), "gone": None, "new": "new\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(one)
        (outside / "first").hardlink_to(slot.tree / "package/part1/module1.py")
        (outside / "second").hardlink_to(slot.tree / "gone")
        slot.checkout(other)
        assert found(slot.tree) == as_git_has_it(project, other)
    assert (outside / "first").read_text() == "one 1\n"
    assert (outside / "second").read_text() == "gone\n"


def a_link(spare: Path, precious: Path) -> None:
    (spare / "0").symlink_to(precious)


def another_name(spare: Path, precious: Path) -> None:
    (spare / "0").hardlink_to(precious)


def a_pipe(spare: Path, precious: Path) -> None:
    os.mkfifo(spare / "0")


def a_folder(spare: Path, precious: Path) -> None:
    (spare / "0").mkdir()


def nothing_but_a_link(spare: Path, precious: Path) -> None:
    shutil.rmtree(spare)
    spare.symlink_to(precious.parent)


def nothing_but_a_file(spare: Path, precious: Path) -> None:
    shutil.rmtree(spare)
    spare.write_text("x")


@pytest.mark.parametrize(
    "damage", [a_link, another_name, a_pipe, a_folder, nothing_but_a_link, nothing_but_a_file]
)
def test_what_lies_aside_is_used_only_if_it_is_what_it_seems(
    project: Repository, mirror_of: Mirrored, tmp_path: Path, damage: Callable[[Path, Path], None]
) -> None:
    one = committed(project, many("one"))
    other = committed(project, {**many("other"), **{f"new{number}": "new\n" for number in range(9)}})
    precious = tmp_path / "precious" / "file"
    precious.parent.mkdir()
    precious.write_text("mine\n")
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(other)
        slot.checkout(one)
        damage(slot.tree.with_name("spare"), precious)
        for sha in (other, one, other):
            slot.checkout(sha)
            assert found(slot.tree) == as_git_has_it(project, sha)
    assert found(precious.parent) == {"file": ("-rw-r--r--", b"mine\n")}


def test_no_more_lies_aside_than_is_worth_it(project: Repository, mirror_of: Mirrored) -> None:
    one = committed(project, {**many("one", MOST_SPARE + 50), "large": "x" * (LARGEST_SPARE + 1)})
    other = committed(project, {**dict.fromkeys(many("", MOST_SPARE + 50)), "large": None, "state": "x\n"})
    with a_slot(mirror_of(project)) as slot:
        slot.checkout(one)
        slot.checkout(other)
        assert [*found(slot.tree)] == ["state"]
        aside = [path.stat().st_size for path in slot.tree.with_name("spare").iterdir()]
    assert len(aside) <= MOST_SPARE
    assert max(aside) <= LARGEST_SPARE


def test_a_content_that_is_missing_is_told(project: Repository, mirror_of: Mirrored) -> None:
    one = committed(project, many("one"))
    other = committed(project, many("other"))
    mirror = mirror_of(project)
    packs = mirror.git_dir / "objects" / "pack"
    for pack in [*packs.glob("*.pack")]:
        with pack.rename(mirror.folder / pack.name).open("rb") as objects:
            subprocess.run(
                ["git", "-C", str(mirror.git_dir), "unpack-objects", "-q"], stdin=objects, check=True
            )
    lost = project.git("rev-parse", f"{other}:package/part1/module1.py")
    (mirror.git_dir / "objects" / lost[:2] / lost[2:]).unlink()
    with a_slot(mirror) as slot:
        slot.checkout(one)
        with pytest.raises(RepositoryIncomplete):
            slot.checkout(other)


KILLED = """\
import os, sys
from pathlib import Path
from bisector.git import slots
from bisector.git.mirror import Mirror
from bisector.git.source import locate
located = locate(sys.argv[1], Path("/"))
slot = slots.acquire(Mirror(Path(sys.argv[2]), located, dict(os.environ)))
print(flush=True)
while True:
    for sha in sys.argv[3:]:
        slot.checkout(sha)
"""


def test_killed_at_any_moment(project: Repository, mirror_of: Mirrored) -> None:
    chance = random.Random(7)
    one = committed(project, {**many("one"), **kinds(False)})
    other = committed(project, {**many("other"), **kinds(True)})
    mirror = mirror_of(project)
    argv = [sys.executable, "-c", KILLED, str(project.path), str(mirror.folder), other, one]
    for _ in range(8):
        child = subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True)
        with child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(chance.random() * 0.3)
            os.killpg(child.pid, signal.SIGKILL)
        with a_slot(mirror) as slot:
            for sha in chance.sample([one, other], 2):
                slot.checkout(sha)
                assert found(slot.tree) == as_git_has_it(project, sha)


def mixed(chance: random.Random, names: list[str]) -> dict[str, str | None]:
    return {
        name: chance.choice([None, "->nowhere", *(f"{chance.random()}\n" * lines for lines in (1, 2, 900))])
        for name in names
    }


@pytest.mark.parametrize("seed", range(4))
def test_trees_made_by_chance(project: Repository, mirror_of: Mirrored, seed: int) -> None:
    chance = random.Random(seed)
    names = [f"{chance.choice('abcd')}/{chance.choice('efgh')}/{number}" for number in range(MANY + 300)]
    shas = []
    for _ in range(4):
        tree = mixed(chance, names)
        run = [name for name, content in tree.items() if content and not content.startswith("->")]
        shas.append(committed(project, tree, executable=tuple(chance.sample(run, 50))))
    with a_slot(mirror_of(project)) as slot:
        for _ in range(8):
            sha = chance.choice(shas)
            slot.checkout(sha)
            assert found(slot.tree) == as_git_has_it(project, sha)
            for name in chance.sample([*found(slot.tree)], 20):
                path = slot.tree / name
                path.unlink()
                left: list[Callable[[], None]] = [path.mkdir, path.touch, lambda: None]
                chance.choice(left)()
