"""A project's layer names the tree it was built in. For another tree of the same content it is turned to that one.

Knows nothing of builds. What holds the path otherwise than as text is bound to its tree.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from bisector.environments.census import FACTS
from bisector.folders import walk

TIES = ".tree"
"""In a layer, which tree it names and how. A dot file at the top is no part of it."""
BYTECODE = ".pyc"
PLAIN = re.compile(r"[A-Za-z0-9._/~+-]+")
"""Paths that JSON, addresses and Python all spell alike. Of any other one nobody knows how a file may name it."""
OWN = {TIES, FACTS}
PACKED = {".bz2", ".egg", ".gz", ".whl", ".xz", ".zip", ".zst"}
LARGEST = 64 << 20


class Tie(Enum):
    """What becomes of a layer in another tree."""

    FREE = "free"
    """It names no tree and serves any."""
    TURNED = "turned"
    BOUND = "bound"
    """It would have to be built anew."""


def settle(layer: Path, tree: Path, built_in: Path | None = None) -> None:
    """Write down what ties the layer to its tree, which is where it was built if nothing else is said."""
    plain = all(PLAIN.fullmatch(os.fsdecode(spelling)) for spelling in _spellings(tree))
    ties = {_tie(path, tree) for path in _files(layer)} if plain else {Tie.BOUND}
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
    old, take = Path(str(_said(layer)["tree"])), os.link if share else shutil.copy2
    for path in _files(layer):
        target = result / path.relative_to(layer)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            target.symlink_to(os.fsdecode(_turned(os.fsencode(path.readlink()), old, tree)))
        elif path.is_dir():
            target.mkdir(exist_ok=True)
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
    """All but what the layer says of itself, folders and links to folders included."""
    for folder, folders, names in walk(layer):
        inside = Path(folder)
        yield from (inside / name for name in (*names, *folders) if inside != layer or name not in OWN)


def _tie(path: Path, tree: Path) -> Tie:
    """Of bytecode that names the tree, another tree has none: who imports the module compiles it."""
    status = path.lstat()
    if stat.S_ISDIR(status.st_mode):
        return Tie.FREE
    if stat.S_ISLNK(status.st_mode):
        content = os.fsencode(path.readlink())
    elif not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST or path.suffix in PACKED:
        return Tie.BOUND
    else:
        content = path.read_bytes()
    wide = (os.fsdecode(one).encode(code) for one in _spellings(tree) for code in ("utf-16-le", "utf-16-be"))
    if any(spelling in content for spelling in wide):
        return Tie.BOUND
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
