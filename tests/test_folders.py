"""Folders that programs left: deeper than Python goes, without rights, with links out of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bisector.environments.layers import remove
from bisector.folders import empty, walk
from bisector.housekeeping import occupied

DEEP = """
import os, sys
for _ in range(1500):
    os.mkdir(sys.argv[1])
    os.chdir(sys.argv[1])
open("bottom", "w").write("x" * 10000)
"""


def nest(folder: Path, name: str) -> None:
    folder.mkdir()
    subprocess.run([sys.executable, "-c", DEEP, name], cwd=folder, check=True)


@pytest.mark.parametrize("name", ["d", "long" * 25], ids=["deep", "longer than a path may be"])
@pytest.mark.parametrize("clear", [empty, remove])
def test_however_deep_it_goes(tmp_path: Path, name: str, clear: object) -> None:
    folder = tmp_path / "folder"
    nest(folder, name)
    assert callable(clear)
    clear(folder)
    assert not folder.exists()


def test_what_lies_deep_is_counted(tmp_path: Path) -> None:
    nest(tmp_path / "folder", "d")
    size = occupied(tmp_path / "folder")
    # pytest could not remove it.
    empty(tmp_path / "folder")
    assert size >= 10000


def test_what_a_program_may_not_enter_any_more(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "closed" / "below").mkdir(parents=True)
    (folder / "closed" / "below" / "file").write_text("")
    for path in (folder / "closed" / "below", folder / "closed", folder):
        path.chmod(0)
    empty(folder)
    assert not folder.exists()


@pytest.mark.parametrize("clear", [empty, remove])
def test_what_links_lead_to_stays(tmp_path: Path, clear: object) -> None:
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o500)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to(kept)
    assert callable(clear)
    clear(tmp_path / "folder")
    assert kept.stat().st_mode & 0o777 == 0o500
    (tmp_path / "folder").symlink_to(kept)
    empty(tmp_path / "folder")
    assert kept.is_dir() and not (tmp_path / "folder").is_symlink()


def test_it_is_gone_through_as_by_the_library(tmp_path: Path) -> None:
    for path in ("a/b/c.py", "a/d.py", "e/f/g/h.txt", "i"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    expected = {top: (sorted(below), sorted(names)) for top, below, names in os.walk(tmp_path)}
    assert {top: (sorted(below), sorted(names)) for top, below, names in walk(tmp_path)} == expected
    (tmp_path / "a" / "link").symlink_to(tmp_path / "e")
    [names] = [names for top, _, names in walk(tmp_path) if top == str(tmp_path / "a")]
    assert sorted(names) == ["d.py", "link"]


def test_what_the_caller_takes_out_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "c").mkdir()
    seen = []
    for folder, below, _ in walk(tmp_path):
        seen.append(Path(folder).name)
        below[:] = [name for name in below if name != "a"]
    assert seen == [tmp_path.name, "c"]
    assert [*walk(tmp_path / "nothing")] == [(str(tmp_path / "nothing"), [], [])]
