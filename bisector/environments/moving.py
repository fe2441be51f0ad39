"""A project's layer names the tree it was built in. For another tree of the same content it is turned to that one.

Knows nothing of builds. What holds the path otherwise than as text is bound to its tree.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

TIES = ".tree"
"""In a layer, which tree it names and how. A dot file at the top is no part of it."""
BYTECODE = ".pyc"


class Tie(Enum):
    """What becomes of a layer in another tree."""

    FREE = "free"
    """It names no tree and serves any."""
    TURNED = "turned"
    BOUND = "bound"
    """It would have to be built anew."""


def settle(layer: Path, tree: Path, built_in: Path | None = None) -> None:
    """Write down what ties the layer to its tree, which is where it was built if nothing else is said."""
    ties = {_tie(path, tree) for path in _files(layer)}
    tie = next((one for one in (Tie.BOUND, Tie.TURNED) if one in ties), Tie.FREE)
    said = {"tree": str(tree), "tie": tie.value, "built_in": str(built_in or tree)}
    (layer / TIES).write_text(json.dumps(said))


def serves(layer: Path, tree: Path) -> bool:
    said = _said(layer)
    return said.get("tie") == Tie.FREE.value or said.get("tree") == str(tree)


def can_turn(layer: Path) -> bool:
    return _said(layer).get("tie") in (Tie.FREE.value, Tie.TURNED.value)


def turn(layer: Path, tree: Path, result: Path, *, share: bool) -> None:
    """Fill `result` with what `layer`, which can be turned, would be if it had been built in `tree`.

    `share`: what names no tree may be a link to the other layer's file.
    """
    take = os.link if share else shutil.copy2
    old = Path(str(_said(layer)["tree"]))
    for path in _files(layer):
        target = result / path.relative_to(layer)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            target.symlink_to(os.fsdecode(_turned(os.fsencode(path.readlink()), old, tree)))
        elif _tie(path, old) is Tie.FREE:
            take(path, target)
        elif path.suffix != BYTECODE:
            target.write_bytes(_turned(path.read_bytes(), old, tree))
            shutil.copymode(path, target)
    settle(result, tree, old)


def _said(layer: Path) -> dict[str, object]:
    try:
        said = json.loads((layer / TIES).read_text())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _files(layer: Path) -> Iterator[Path]:
    """All but what the layer says of itself. A link to a folder is one of them."""
    for folder, folders, names in os.walk(layer):
        inside = Path(folder)
        links = [name for name in folders if (inside / name).is_symlink()]
        yield from (inside / name for name in (*names, *links) if inside != layer or not name.startswith("."))


def _tie(path: Path, tree: Path) -> Tie:
    """Bytecode is made anew from its source, which is turned with it."""
    content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
    if not any(spelling in content for spelling in _spellings(tree)):
        return Tie.FREE
    return Tie.TURNED if path.suffix == BYTECODE or _is_text(content) else Tie.BOUND


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


def _turned(content: bytes, old: Path, new: Path) -> bytes:
    for spelling in _spellings(old):
        content = content.replace(spelling, os.fsencode(new))
    return content


def _spellings(tree: Path) -> tuple[bytes, ...]:
    """As it is called, and where it really lies."""
    return tuple(dict.fromkeys((os.fsencode(tree), os.fsencode(os.path.realpath(tree)))))
