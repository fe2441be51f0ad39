"""Builds are the code of strangers: what they leave must neither crash bisector nor reach out of its folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from bisector.environments import Ready, artefacts
from bisector.model import InstallMode, Stage, Untestable

from .conftest import PROJECT, Lab


def backend(body: str) -> dict[str, str]:
    return {
        **PROJECT,
        "backend.py": f"import os, sys, zipfile\ndef build_editable(folder, *more):\n{indented(body)}",
    }


def indented(body: str) -> str:
    return "".join(f"    {line}\n" for line in body.splitlines())


REFUSED = {
    "no answer": "os._exit(0)",
    "no wheel": "return 'proj-1-py3-none-any.whl'",
    "not a zip": "open(folder + '/a.whl', 'w').write('no'); return 'a.whl'",
    "a path": "return '../../../../etc/hostname'",
    "a number": "return 7",
    "an exit": "sys.exit('no thanks')",
    "a flood": "print('x' * 5_000_000); sys.exit(1)",
    "its own death": "os.kill(os.getpid(), 9)",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_a_build_that_makes_nothing(lab: Lab, body: str) -> None:
    made = lab.prepare(lab.repo.commit(backend(body)))
    assert isinstance(made, Untestable)
    assert made.stage is Stage.INSTALL
    assert len(made.reason) < 10_000


EVIL_WHEEL = """
with zipfile.ZipFile(folder + "/a.whl", "w") as archive:
    archive.writestr("../escaped.txt", "out")
    archive.writestr("/tmp/escaped.txt", "out")
    archive.writestr("proj-1.data/scripts/../../escaped.txt", "out")
    archive.writestr("proj-1.data/nowhere/escaped.txt", "out")
    archive.writestr("proj.pth", os.getcwd() + "\\n")
    archive.writestr("proj-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: proj\\nVersion: 1\\n")
    archive.writestr("proj-1.dist-info/entry_points.txt",
        "[console_scripts]\\n../escaped.txt = proj:x\\n.hidden = proj:x\\nfine = proj:x\\n")
return "a.whl"
"""


def test_a_wheel_stays_in_its_layer(lab: Lab) -> None:
    ready = lab.ready(lab.repo.commit(backend(EVIL_WHEEL)))
    assert lab.say(ready, "import proj; print(proj.value)") == "1"
    assert not list(lab.root.rglob("escaped.txt"))
    assert {"fine"} == {path.name for path in ready.bin.iterdir()} - {"python", "pip"} - versions(ready)


def versions(ready: Ready) -> set[str]:
    return {path.name for path in ready.bin.iterdir() if path.name.startswith(("python3", "pip3"))}


def test_entry_points_that_cannot_be_read(lab: Lab) -> None:
    ready = lab.ready(lab.repo.commit({**PROJECT, "ENTRY_POINTS": "no section here\n"}))
    assert lab.say(ready, "import proj; print(proj.value)") == "1"


def test_what_is_put_back_follows_no_link_out_of_the_tree(tmp_path: Path) -> None:
    kept, tree, outside = tmp_path / "kept", tmp_path / "tree", tmp_path / "outside"
    for folder in (kept / "gen", tree, outside):
        folder.mkdir(parents=True)
    (kept / "gen" / "made.py").write_text("made")
    (kept / "top.py").write_text("made")
    (tree / "gen").symlink_to(outside)
    artefacts.put_back(kept, tree)
    assert (tree / "top.py").read_text() == "made"
    assert list(outside.iterdir()) == []


def test_pipes_and_links_that_a_build_leaves(lab: Lab) -> None:
    steps = ("mkfifo pipe", "ln -s /nowhere dangling", "ln -s proj alias", "echo x > left.txt")
    commit = lab.repo.commit(PROJECT)
    for _ in range(2):
        lab.ready(commit, InstallMode.PYTHONPATH, build=steps, declared=False)
        left = {path.name for path in lab.repo.tree.iterdir()}
        assert {"dangling", "alias", "left.txt"} <= left
    assert (lab.repo.tree / "alias").is_symlink()


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.cfg", "setup.py"])
@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00", b"[[[", b"'" * 100_000, b"a = " + b"[" * 100_000, b"a = " + b"-" * 100_000],
    ids=["bytes", "brackets", "quotes", "depth", "signs"],
)
def test_files_that_cannot_be_read_are_the_commits_fault(lab: Lab, name: str, content: bytes) -> None:
    lab.repo.commit(PROJECT)
    (lab.repo.tree / name).write_bytes(content)
    lab.repo.git("add", "--all")
    lab.repo.git("commit", "--quiet", "--message", "broken")
    made = lab.prepare(lab.repo.git("rev-parse", "HEAD"), InstallMode.WHEEL)
    assert isinstance(made, Ready | Untestable)
