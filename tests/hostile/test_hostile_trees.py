"""What a commit, or the program under test in it, can lay in a tree: git and bisector step around it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.errors import BisectorError
from bisector.folders import empty
from bisector.git import slots
from bisector.git.mirror import Mirror
from bisector.git.slots import Slot
from bisector.git.source import locate
from bisector.model import EnvironmentRequest, InstallMode, Limits
from bisector.plan import OverlayFiles, TrialRequest
from bisector.recipe.alterations import CherryPick, Patch
from bisector.recipe.schema import Repro, ShellCommand
from bisector.trial.alter import alter

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

Mirrored = Callable[["Repository | str"], Mirror]
HOOKS = ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman")


@pytest.fixture
def stolen(tmp_path: Path) -> Path:
    """Made by whatever gets a command of its own to run."""
    return tmp_path / "stolen"


def settings(stolen: Path) -> str:
    """Every switch of git's that names a program, set to one."""
    run = f"touch {stolen}"
    return f"""
[core]
\tfsmonitor = {run}
\tsshCommand = {run}
\thooksPath = {stolen.parent}/hooks
\tpager = {run}
\teditor = {run}
\tgitProxy = {run}
\taskPass = {run}
\tattributesFile = {stolen.parent}/attributes
[filter "evil"]
\tsmudge = {run}; cat
\tclean = {run}; cat
\tprocess = {run}
\trequired = true
[merge "evil"]
\tdriver = {run}
[diff "evil"]
\tcommand = {run}
\ttextconv = {run}
[diff]
\texternal = {run}
[uploadpack]
\tpackObjectsHook = {run}
[credential]
\thelper = "!{run}"
[gpg]
\tprogram = {run}
[log]
\tshowSignature = true
[alias]
\tcheckout = "!{run}"
"""


def arm(git_dir: Path, stolen: Path) -> None:
    """A repository whose settings and hooks are a trap."""
    with (git_dir / "config").open("a") as file:
        file.write(settings(stolen))
    hooks = stolen.parent / "hooks"
    for folder in (hooks, git_dir / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            (folder / name).write_text(f"#!/bin/sh\ntouch {stolen}\n")
            (folder / name).chmod(0o755)
    (stolen.parent / "attributes").write_text("* filter=evil diff=evil merge=evil\n")


def committed(source: Repository, subject: str) -> str:
    source.git("add", "--all")
    source.git("commit", "-q", "-m", subject)
    return source.git("rev-parse", "HEAD")


@pytest.mark.parametrize("spelling", ["{}", "file://{}"])
def test_nothing_that_the_source_is_set_to_runs(
    making: Making, mirror_of: Mirrored, stolen: Path, spelling: str
) -> None:
    source = making.empty()
    (source.path / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    (source.path / "file").write_text("1\n")
    first = committed(source, "one")
    (source.path / "file").write_text("2\n")
    second = committed(source, "two")
    arm(source.path / ".git", stolen)
    mirror = mirror_of(spelling.format(source.path))
    mirror.fetch(lambda _: None)
    slot = slots.acquire(mirror)
    for sha in (first, second, first):
        slot.checkout(sha)
        assert alter(slot, _request(OverlayFiles(second, ("file",)))) is None
    slot.release()
    assert not stolen.exists()


def _request(*overlays: OverlayFiles, fixups: tuple[Patch | CherryPick, ...] = ()) -> TrialRequest:
    return TrialRequest(
        repository="source",
        commit="",
        environment=EnvironmentRequest("", datetime(2024, 1, 1, tzinfo=timezone.utc), None, InstallMode.NONE),
        repro=Repro(ShellCommand("true")),
        limits=Limits(),
        overlays=overlays,
        fixups=fixups,
    )


@pytest.fixture
def with_part(making: Making) -> tuple[Repository, str]:
    """A project with a submodule in it; the commit that has it."""
    part, source = making.empty("part"), making.empty()
    (part.path / "text").write_text("1\n")
    (part.path / ".gitattributes").write_text("* filter=evil\n")
    committed(part, "part")
    source.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../part", "part")
    return source, committed(source, "with a part")


def trap(tree: Path, stolen: Path, place: Path, link: Path) -> None:
    """As the program under test, in its cage, may do: point the submodule at a repository of its own."""
    shutil.copytree(
        tree.parent.parent.parent / "repo.git" / "worktrees" / "slot-0" / "modules" / "part", place
    )
    arm(place, stolen)
    text = (place / "config").read_text()
    (place / "config").write_text("\n".join(line for line in text.split("\n") if "worktree =" not in line))
    (place / "index").unlink()
    (tree / "part" / "text").unlink()
    link.unlink(missing_ok=True)


def as_file(tree: Path, place: Path) -> None:
    (tree / "part" / ".git").write_text(f"gitdir: {place}\n")


def as_link(tree: Path, place: Path) -> None:
    (tree / "part" / ".git").symlink_to(place)


def as_folder(tree: Path, place: Path) -> None:
    shutil.copytree(place, tree / "part" / ".git")


@pytest.mark.parametrize("lay", [as_file, as_link, as_folder])
def test_a_submodule_that_was_pointed_elsewhere_is_not_obeyed(
    with_part: tuple[Repository, str],
    mirror_of: Mirrored,
    stolen: Path,
    tmp_path: Path,
    lay: Callable[[Path, Path], None],
) -> None:
    source, sha = with_part
    slot = slots.acquire(mirror_of(source))
    slot.checkout(sha)
    trap(slot.tree, stolen, tmp_path / "trap", slot.tree / "part" / ".git")
    lay(slot.tree, tmp_path / "trap")
    slot.checkout(sha)
    assert (slot.tree / "part" / "text").read_text() == "1\n"
    assert not stolen.exists()
    slot.release()


URLS = (
    "ext::sh -c touch% {}",
    "fd::17",
    "--upload-pack=touch {}",
    "-u./x",
    "ssh://-oProxyCommand=touch%20{}/x",
)


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("nearby", [True, False])
def test_no_submodule_runs_a_command(
    making: Making, mirror_of: Mirrored, stolen: Path, url: str, nearby: bool
) -> None:
    slot, sha = _with_module(making, mirror_of, url.format(stolen))
    with pytest.raises(BisectorError):
        replace(slot, nearby=nearby).checkout(sha)
    assert not stolen.exists()
    slot.release()


@pytest.mark.parametrize("spelling", ["{}", "file://{}", "../private"])
def test_a_project_from_elsewhere_gets_no_folder_of_this_machine(
    making: Making, mirror_of: Mirrored, spelling: str
) -> None:
    private = making.repository("1", name="private")
    slot, sha = _with_module(making, mirror_of, spelling.format(private.path))
    with pytest.raises(BisectorError):
        replace(slot, nearby=False).checkout(sha)
    assert not (slot.tree / "part" / "state").exists()
    slot.release()


def _with_module(making: Making, mirror_of: Mirrored, url: str) -> tuple[Slot, str]:
    source = making.repository("1")
    words = f'[submodule "part"]\n\tpath = part\n\turl = "{url}"\n\tupdate = !touch stolen\n'
    blob = source.git("hash-object", "-w", "--stdin", stdin=words)
    rows = f"100644 blob {blob}\t.gitmodules\n160000 commit {source[1]}\tpart\n"
    tree = source.git("mktree", "--missing", stdin=rows)
    sha = source.git("commit-tree", "-m", "x", tree)
    source.git("update-ref", "refs/heads/main", sha)
    return slots.acquire(mirror_of(source)), sha


def test_nothing_is_written_through_a_link_in_the_tree(
    making: Making, mirror_of: Mirrored, tmp_path: Path
) -> None:
    """`folder` is a folder at one commit and a way out at the next."""
    outside = tmp_path / "outside"
    outside.mkdir()
    source = making.empty()
    (source.path / "folder").mkdir()
    (source.path / "folder" / "file").write_text("1\n")
    first = committed(source, "a folder")
    shutil.rmtree(source.path / "folder")
    (source.path / "folder").symlink_to(outside)
    second = committed(source, "a way out")
    slot = slots.acquire(mirror_of(source))
    patch = "--- /dev/null\n+++ b/folder/new\n@@ -0,0 +1 @@\n+x\n"
    upwards = patch.replace("folder/new", "../../new")
    for request in (
        _request(OverlayFiles(first, ("folder/file",))),
        _request(fixups=(Patch(patch),)),
        _request(fixups=(Patch(upwards),)),
        _request(fixups=(Patch(patch.replace("folder/new", ".git/new")),)),
        _request(fixups=(CherryPick(first),)),
    ):
        slot.checkout(second)
        alter(slot, request)
        assert list(outside.iterdir()) == []
    assert not (slot.tree.parent.parent / "new").exists()
    slot.release()


def test_a_patch_that_unpacks_to_gigabytes_is_refused(
    making: Making, mirror_of: Mirrored, tmp_path: Path
) -> None:
    """A few hundred bytes of a binary patch can ask for any size."""
    source = making.repository("1")
    slot = slots.acquire(mirror_of(source))
    slot.checkout(source[1])
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(100 << 20)
    blob = source.git("hash-object", "-w", str(huge))
    tree = source.git("mktree", stdin=f"100644 blob {blob}\thuge\n")
    words = source.git("diff", "--binary", "--no-renames", source[1], tree)
    unfit = alter(slot, _request(fixups=(Patch(words + "\n"),)))
    assert unfit is not None
    assert "does not apply" in unfit.reason
    assert not (slot.tree / "huge").exists()
    slot.release()


def test_a_link_in_place_of_a_folder_is_removed_and_not_followed(tmp_path: Path) -> None:
    outside, link = tmp_path / "outside", tmp_path / "link"
    (outside / "kept").mkdir(parents=True, mode=0o755)
    link.symlink_to(outside)
    empty(link)
    assert not link.is_symlink()
    assert (outside / "kept").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    "repo", ["ext::sh -c x", "EXT::sh -c x", "fd::3", "-oProxyCommand=x", "--upload-pack=x"]
)
def test_what_would_run_a_program_is_no_repository(repo: str, tmp_path: Path) -> None:
    with pytest.raises(BisectorError):
        locate(repo, tmp_path)


@pytest.mark.parametrize(
    "url", ["ssh://-oProxyCommand=touch%20{0}/x", "git://-x/y", "foo::bar", "transport-helper::touch {0}"]
)
def test_no_address_runs_a_command(mirror_of: Mirrored, stolen: Path, url: str) -> None:
    with pytest.raises(BisectorError):
        mirror_of(url.format(stolen))
    assert not stolen.exists()
