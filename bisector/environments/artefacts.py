"""What a build leaves in its tree: kept, and put back into a clean tree of another commit."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bisector.folders import walk

OBJECTS = re.compile(r"(^|/)([^/]+\.p|target/(release|debug))/(.*/)?[^/]+\.(o|rlib|rmeta)$")
"""Of meson and of cargo, in folders of their own. Elsewhere an object may be what a package loads."""


@dataclass(frozen=True, slots=True)
class Left:
    """Paths relative to the tree."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    """Files of the commit that the build wrote over."""


def moment(folder: Path) -> int:
    """Now, as the file system dates its files."""
    mark = folder / "moment"
    mark.touch()
    now = mark.stat().st_mtime_ns
    mark.unlink()
    return now


def find(tree: Path, files: Mapping[str, str], since: int) -> Left:
    """Everything that is not the commit's, and what of it is dated later than `since`."""
    new: list[str] = []
    changed: list[str] = []
    prefix = len(str(tree)) + 1
    waiting = [str(tree)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                path = entry.path[prefix:]
                if entry.name == ".git" or entry.name == "__pycache__":
                    continue
                if path in files:
                    # A folder that git knows as one thing is a submodule.
                    if entry.is_file(follow_symlinks=False) and entry.stat().st_mtime_ns > since:
                        changed.append(path)
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.is_symlink() or entry.is_file():
                    new.append(path)
    return Left(tuple(sorted(new)), tuple(sorted(changed)))


def keep(left: Left, tree: Path, folder: Path, *, objects: bool) -> None:
    """`objects`: also what only another build would read, most of what a compiler leaves; else nobody finds it."""
    useless = set() if objects else {path for path in left.new if OBJECTS.search(path)}
    for path in useless:
        (tree / path).unlink(missing_ok=True)
    for path in (*(path for path in left.new if path not in useless), *left.changed):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / path, target, follow_symlinks=False)


def put_back(folder: Path, tree: Path) -> None:
    """Copies, not links, and writable: the tree is the trial's to spoil. A link out of it is not followed."""
    for inside, _, names in walk(folder):
        target = tree / Path(inside).relative_to(folder)
        if not target.resolve().is_relative_to(tree.resolve()):
            continue
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            copy = target / name
            # A commit may have a link there, and copying would write to what it leads to.
            copy.unlink(missing_ok=True)
            shutil.copy2(Path(inside, name), copy, follow_symlinks=False)
            if not copy.is_symlink():
                copy.chmod(copy.stat().st_mode | 0o200)


def take_away(left: Left, tree: Path) -> None:
    for path in left.new:
        (tree / path).unlink(missing_ok=True)
