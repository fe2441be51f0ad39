"""Whether what the recipe names by its path is in the repository: told before a hunt, not by its first trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from bisector.git.door import Git
from bisector.git.mirror import Mirror
from bisector.git.refs import lookup
from bisector.model import InstallMode, Judgement
from bisector.recipe.faults import Fault, nearest
from bisector.recipe.places import Places
from bisector.recipe.schema import AUTO, Recipe

_OUT_OF_SIGHT = ("120000", "160000")
"""Links and submodules: what lies behind them is not in the tree's own listing."""


def folder_faults(where: Places, recipe: Recipe, mirror: Mirror) -> list[Fault]:
    """A fault where neither end has any of the folders; what the recipe lays over its commits may bring one."""
    install = recipe.install
    if install.mode is InstallMode.NONE or "." in install.path or recipe.overlay or recipe.fixups:
        return []
    known = {name: _commit(mirror, name) for name in (recipe.old, recipe.new) if name != AUTO}
    ends = {name: sha for name, sha in known.items() if sha is not None}
    if not ends or any(_has(mirror.git, sha, path) for sha in ends.values() for path in install.path):
        return []
    near = nearest(install.path[0], _top_folders(mirror.git, [*ends.values()]))
    return [where.fault("install.path", f"no folder {', '.join(install.path)} at {_named(ends)}", near)]


def overlay_faults(where: Places, recipe: Recipe, mirror: Mirror) -> list[Fault]:
    """A fault for each path that its overlay's own commit has not: it would fit nowhere."""
    ends = {Judgement.OLD: recipe.old, Judgement.NEW: recipe.new}
    found: list[Fault] = []
    for number, overlay in enumerate(recipe.overlay):
        name = ends[overlay.source] if isinstance(overlay.source, Judgement) else overlay.source
        sha = None if name == AUTO else _commit(mirror, name)
        if sha is not None:
            found += _missing(where, number, overlay.paths, mirror.git, {name: sha})
    return found


def _missing(
    where: Places, number: int, paths: Sequence[str], git: Git, end: Mapping[str, str]
) -> Iterator[Fault]:
    (sha,) = end.values()
    for place, path in enumerate(paths):
        if not _is_there(git, sha, path):
            near = nearest(path, git.text("ls-tree", "-rz", "--name-only", sha).split("\0"))
            yield where.fault(
                f"overlay.{number}.paths.{place}", f"nothing is called {path} at {_named(end)}", near
            )


def _named(ends: Mapping[str, str]) -> str:
    """v1 (0123456789), nor at main (9876543210)"""
    return ", nor at ".join(f"{name} ({sha[:10]})" for name, sha in ends.items())


def _commit(mirror: Mirror, name: str) -> str | None:
    return lookup(mirror.git, name, None, mirror.source.key)


def _has(git: Git, sha: str, path: str) -> bool:
    pure = PurePosixPath(path)
    above = [str(one) for one in (pure, *pure.parents) if one.parts]
    return any(
        mode in _OUT_OF_SIGHT or (kind == "tree" and name == str(pure))
        for mode, kind, name in _entries(git, sha, above)
    )


def _is_there(git: Git, sha: str, path: str) -> bool:
    pure = str(PurePosixPath(path))
    return pure == "." or any(name == pure for _, _, name in _entries(git, sha, [pure]))


def _entries(git: Git, sha: str, paths: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Mode, kind and name."""
    for line in git.text("ls-tree", "-z", "-t", sha, "--", *paths).split("\0"):
        if line:
            said, name = line.split("\t", 1)
            mode, kind, _ = said.split(" ", 2)
            yield mode, kind, name


def _top_folders(git: Git, shas: Sequence[str]) -> set[str]:
    return {name for sha in shas for _, kind, name in _entries(git, sha, ()) if kind == "tree"}
