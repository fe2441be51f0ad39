"""A new layer's bytecode, as far as other layers hold the very same files: large packages take seconds to compile.

Knows nothing of how layers are made. A file is the same where it is one file under two names: installers link what
they unpacked once. What a package brought of bytecode for a source is thrown away before: all of it is made here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bisector.environments.census import CACHE
from bisector.process import leftovers

OF_A_SOURCE = re.compile(r"(.+?)\.[^.]+(?:\.opt-[^.]+)?\.pyc")
MOST = 2
"""Layers that are looked through: a third would have little that these have not."""


def forget(site: Path) -> None:
    """Of what packages brought, the bytecode that Python would take for a source's own."""
    for folder in _folders(site):
        if folder.name == CACHE:
            for name in _files(folder):
                made = OF_A_SOURCE.fullmatch(name)
                if made is not None and os.path.lexists(folder.parent / f"{made[1]}.py"):
                    (folder / name).unlink()


def most_alike(site: Path, others: Iterable[Path]) -> list[Path]:
    """Those that have most packages in common with it, release by release."""
    own = _releases(site)
    shared = {other: len(own & _releases(other)) for other in others}
    return sorted((other for other in shared if shared[other]), key=lambda other: -shared[other])[:MOST]


def lend(site: Path, other: Path, suffix: str) -> None:
    """Link the bytecode of each file that the other one has as well."""
    if not other.is_dir() or site.stat().st_dev != other.stat().st_dev:
        return
    for folder in list(_folders(site)):
        there = other / folder.relative_to(site)
        theirs = _files(there, other)
        own = _files(folder, site)
        same = [name for name in own if name.endswith(".py") and theirs.get(name) == own[name]]
        if same:
            _link(folder / CACHE, there / CACHE, [f"{name.removesuffix('.py')}{suffix}" for name in same])


def modules(site: Path, suffix: str, unread: str) -> dict[str, bool]:
    """The sources, seen from `site`, and whether each has bytecode; those below a folder of that name left out."""
    found: dict[str, bool] = {}
    for folder, below, _ in os.walk(site):
        below[:] = [name for name in below if name not in {unread, CACHE}]
        here = Path(folder)
        made = _files(here / CACHE)
        top = os.path.relpath(here, site)
        names = (name.removesuffix(".py") for name in _files(here) if name.endswith(".py"))
        found |= {f"{top}/{name}.py": f"{name}{suffix}" in made for name in names}
    return found


def _link(here: Path, there: Path, names: Iterable[str]) -> None:
    made = _files(there)
    if here.is_symlink() or there.is_symlink():
        return
    here.mkdir(exist_ok=True)
    have = _files(here)
    for name in names:
        if name in made and name not in have:
            os.link(there / name, here / name)


def _releases(site: Path) -> set[str]:
    return {path.name for path in site.glob("*.dist-info")}


def _folders(top: Path) -> Iterator[Path]:
    """No link is followed."""
    for folder, _, _ in os.walk(top):
        yield Path(folder)


def _files(folder: Path, top: Path | None = None) -> Mapping[str, int]:
    """Plain files with what makes each one the same; a link that leads out of `top` leads to none."""
    if not folder.is_dir() or (top is not None and not leftovers.is_below(folder, top)):
        return {}
    with os.scandir(folder) as entries:
        return {entry.name: entry.inode() for entry in entries if entry.is_file(follow_symlinks=False)}
