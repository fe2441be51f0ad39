"""What a build left in its tree: what of it is kept for other commits."""

from __future__ import annotations

from pathlib import Path

import pytest

from bisector.environments import artefacts

LEFT = {
    "proj/_core.so": True,
    "proj/program.o": True,
    "build/temp.linux-x86_64-cpython-311/core.o": True,
    "build/cp311/src/_core.cpython-311.so": True,
    "build/cp311/src/_core.cpython-311.so.p/core.c.o": False,
    "build/cp311/meson-info/intro-install_plan.json": True,
    "target/release/deps/libproj.rlib": False,
    "target/release/lib_core.so": True,
    "targets/a.o": True,
}


@pytest.mark.parametrize("objects", [False, True])
def test_objects_in_folders_of_their_own_are_nowhere_afterwards(tmp_path: Path, objects: bool) -> None:
    """The commit that was built and those that share the build have the same files."""
    tree, kept = tmp_path / "tree", tmp_path / "kept"
    for path in LEFT:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(path)
    left = artefacts.find(tree, {}, since=0)
    artefacts.keep(left, tree, kept, objects=objects)
    wanted = {path for path, stays in LEFT.items() if stays or objects}
    for folder in (tree, kept):
        assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == wanted
