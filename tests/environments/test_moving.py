"""What a build made in one tree serves another tree of the same content, turned to it; or it is built anew."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bisector.environments import Ready
from bisector.environments.moving import LARGEST, can_turn, serves, settle, turn
from bisector.model import InstallMode

from .conftest import PROJECT, Lab, Repo

SETUPTOOLS = {
    "pyproject.toml": '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n',
    "setup.py": "from setuptools import setup\n"
    "setup(name='proj', version='3', package_dir={'proj': 'code'}, packages=['proj'],\n"
    "      entry_points={'console_scripts': ['hi = proj:hi']})\n",
    "code/__init__.py": "def hi(): print(__file__)\n",
}


def beside(lab: Lab, name: str, sha: str) -> Lab:
    """The same shelf and records, another tree of the same repository at that commit."""
    tree = lab.root / name
    subprocess.run(["git", "clone", "--quiet", str(lab.repo.tree), str(tree)], check=True)
    other = replace(lab, repo=Repo(tree), scratches=100 * len(name))
    other.repo.checkout(sha)
    return other


def test_a_second_tree_is_not_built(lab: Lab) -> None:
    commit = lab.repo.commit({**PROJECT, "VERSION": "7", "ENTRY_POINTS": "[console_scripts]\nhi = proj:hi\n"})
    lab.ready(commit)
    other = beside(lab, "other", commit)
    ready = other.ready(commit)
    assert lab.builds() == 1
    assert not lab.current.is_bound
    assert other.say(ready, "import proj; print(proj.__file__)") == str(other.repo.tree / "proj/__init__.py")
    asks = (
        "import importlib.metadata as m; print(m.version('proj')); "
        "print(m.distribution('proj').read_text('direct_url.json'))"
    )
    assert other.say(ready, asks).startswith("7\n")
    assert other.repo.tree.as_uri() in other.say(ready, asks)
    assert str(lab.repo.tree) not in other.say(ready, asks)
    assert other.prove(ready) is None


def test_the_first_tree_keeps_its_own(lab: Lab) -> None:
    commit = lab.repo.commit(PROJECT)
    lab.ready(commit)
    beside(lab, "other", commit).ready(commit)
    assert lab.say(lab.ready(commit), "import proj; print(proj.__file__)").startswith(f"{lab.repo.tree}/")
    assert lab.builds() == 1


def test_a_loader_that_was_compiled_names_the_other_tree_too(lab: Lab) -> None:
    """Setuptools maps such a package by a module of its own, of which a layer has the bytecode."""
    commit = lab.repo.commit(SETUPTOOLS)
    layers = {layer.key for layer in lab.current.holdings()}
    lab.ready(commit)
    built = {layer.key for layer in lab.current.holdings()} - layers
    other = beside(lab, "other", commit)
    ready = other.ready(commit)
    turned = [layer for layer in lab.current.holdings() if layer.key not in {*layers, *built}]
    assert len(turned) == 1
    assert other.run(ready, str(ready.bin / "hi")) == str(other.repo.tree / "code/__init__.py")


def test_a_wheel_serves_every_tree_as_it_is(lab: Lab) -> None:
    commit = lab.repo.commit(PROJECT)
    first = lab.ready(commit, InstallMode.WHEEL)
    second = beside(lab, "other", commit).ready(commit, InstallMode.WHEEL)
    assert second.readable == first.readable


def test_what_names_its_tree_in_no_text_is_built_for_each(lab: Lab) -> None:
    backend = PROJECT["backend.py"].replace(
        "def build_editable(folder, config_settings=None, metadata_directory=None):\n",
        "def build_editable(folder, config_settings=None, metadata_directory=None):\n"
        "    open('proj/made.bin', 'wb').write(b'\\0' + os.getcwd().encode())\n",
    )
    commit = lab.repo.commit({**PROJECT, "backend.py": backend})
    assert isinstance(lab.ready(commit), Ready)
    assert lab.current.is_bound
    other = beside(lab, "other", commit)
    for _ in range(2):
        assert isinstance(other.ready(commit), Ready)
        assert (other.repo.tree / "proj/made.bin").read_bytes() == b"\0" + str(other.repo.tree).encode()
    assert lab.builds() == 2


def layer_of(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.mark.parametrize(
    ("content", "turns"),
    [
        (b"nothing", True),
        (b"/a/tree\n/a/tree/src\n", True),
        (b"\0/a/tree", False),
        (b"\xff/a/tree", False),
        (b"\0\xff/another/tree", True),
    ],
)
def test_only_text_is_turned(tmp_path: Path, content: bytes, turns: bool) -> None:
    layer = layer_of(tmp_path / "layer", {"lib/x.pth": content})
    settle(layer, Path("/a/tree"))
    assert can_turn(layer) is turns
    assert serves(layer, Path("/a/tree"))
    assert serves(layer, Path("/b/tree")) is (b"/a/tree" not in content)
    if turns:
        turn(layer, Path("/b/tree"), tmp_path / "turned", share=True)
        said = (tmp_path / "turned/lib/x.pth").read_bytes()
        assert said == content.replace(b"/a/tree", b"/b/tree")
        assert serves(tmp_path / "turned", Path("/b/tree"))


@pytest.mark.parametrize("tree", ["/home/zo\u00e9/tree", "/home/my projects/tree", "/a\\b/tree"])
def test_where_files_may_spell_the_path_otherwise_nothing_is_turned(tmp_path: Path, tree: str) -> None:
    """JSON, addresses and Python escape such letters: what looks as if it named no tree may name it."""
    layer = layer_of(tmp_path / "layer", {"lib/x.json": json.dumps({"root": tree}).encode()})
    settle(layer, Path(tree))
    assert not can_turn(layer)
    assert serves(layer, Path(tree))
    assert not serves(layer, Path("/b/tree"))


@pytest.mark.parametrize(
    ("name", "content"), [("x.egg", b"packed"), ("x.bin", "/a/tree".encode("utf-16-le")), ("big", b"")]
)
def test_what_cannot_be_looked_through_is_bound(tmp_path: Path, name: str, content: bytes) -> None:
    layer = layer_of(tmp_path / "layer", {name: content})
    if name == "big":
        os.truncate(layer / name, LARGEST + 1)
    settle(layer, Path("/a/tree"))
    assert not can_turn(layer)


def test_a_pipe_in_a_layer_is_not_waited_for(tmp_path: Path) -> None:
    layer = layer_of(tmp_path / "layer", {"lib/x.pth": b""})
    os.mkfifo(layer / "lib/pipe")
    settle(layer, Path("/a/tree"))
    assert not can_turn(layer)


def test_folders_and_hidden_files_come_along(tmp_path: Path) -> None:
    layer = layer_of(tmp_path / "layer", {".hidden": b"/a/tree", "lib/x.pth": b"/a/tree"})
    (layer / "lib/empty").mkdir()
    settle(layer, Path("/a/tree"))
    turn(layer, Path("/b/tree"), tmp_path / "turned", share=False)
    assert (tmp_path / "turned/lib/empty").is_dir()
    assert (tmp_path / "turned/.hidden").read_bytes() == b"/b/tree"


def test_links_and_bytecode(tmp_path: Path) -> None:
    layer = layer_of(tmp_path / "layer", {"lib/x.py": b"x = '/a/tree'", "lib/x.pyc": b"\0/a/tree"})
    (layer / "lib/inside").symlink_to("x.py")
    (layer / "lib/outside").symlink_to("/a/tree/src")
    settle(layer, Path("/a/tree"))
    turn(layer, Path("/b/tree"), tmp_path / "turned", share=True)
    turned = tmp_path / "turned/lib"
    assert {path.name for path in turned.iterdir()} == {"x.py", "inside", "outside"}
    assert (turned / "outside").readlink() == Path("/b/tree/src")
    assert (turned / "inside").readlink() == Path("x.py")


def test_a_layer_that_says_nothing_serves_nobody(tmp_path: Path) -> None:
    for said in ("", "[]", json.dumps({"tree": 3})):
        (tmp_path / ".tree").write_text(said)
        assert not serves(tmp_path, Path("/a/tree"))
        assert not can_turn(tmp_path)
