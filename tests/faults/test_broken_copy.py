"""bisector's copy of the repository is damaged: it is only a copy. Where the source itself is, that is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.conftest import Scene


def _replace(path: Path, content: bytes) -> None:
    """Another file: the old one may be the source's as well."""
    path.unlink()
    path.write_bytes(content)


def _corrupt_the_pack(objects: Path) -> None:
    (pack,) = objects.glob("pack/*.pack")
    content = bytearray(pack.read_bytes())
    content[12:-20] = bytes(len(content) - 32)
    _replace(pack, bytes(content))


def _lose_the_pack(objects: Path) -> None:
    for path in objects.glob("pack/*"):
        path.unlink()


def _cut_the_pack(objects: Path) -> None:
    (pack,) = objects.glob("pack/*.pack")
    _replace(pack, pack.read_bytes()[:200])


@pytest.mark.parametrize("damage", [_corrupt_the_pack, _lose_the_pack, _cut_the_pack])
def test_a_broken_copy_is_made_anew(damage: Callable[[Path], None], scene: Scene) -> None:
    scene.source.git("repack", "-a", "-d", "-q")
    assert scene.dies_at("TrialEnded", 4)
    trials = scene.made()
    (objects,) = scene.state.glob("mirrors/*/repo.git/objects")
    damage(objects)
    ended = scene.runs()
    scene.is_right(ended)
    assert "it is broken and is made anew" in ended.err
    assert scene.made()[:4] == trials
    scene.is_clean()


def test_a_broken_source_is_said_to_be_broken(scene: Scene) -> None:
    """Its history is whole, the files of a commit in the middle are not."""
    tree = scene.source.git("rev-parse", f"{scene.source[9]}^{{tree}}")
    (scene.source.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    ended = scene.runs()
    assert ended.status == 5, ended.err
    assert "incomplete" in ended.err
    assert "defect" not in ended.err
