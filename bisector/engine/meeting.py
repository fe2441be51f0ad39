"""A merge that is new although all its parents are old: where its sides meet, in words.

Nothing is run: what both sides changed since they parted is in the history.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from bisector.engine.sources import parsed
from bisector.git import content
from bisector.git.door import Git

MOST_FILES = 6
MOST_STRETCHES = 6


def where_sides_meet(git: Git, merge: str, parents: Sequence[str]) -> str:
    """Lines of files that both sides changed; else modules of one side that use those of the other."""
    base = content.meeting_point(git, parents)
    if base is None:
        return "its sides have no common history"
    sides = [[one.path for one in content.changes(git, base, parent)] for parent in parents]
    shared = [path for path in sides[0] if all(path in side for side in sides[1:])]
    if shared:
        said = [_in_file(git, base, parents, path) for path in shared[:MOST_FILES]]
        words = f"its sides changed the same files since {base[:12]}: {_listed(said, len(shared))}"
    else:
        words = _apart(git, merge, sides)
    own = content.written_by_merge(git, merge)
    return f"{words}; the merge itself wrote lines of {_listed(own[:MOST_FILES], len(own))}" if own else words


def _in_file(git: Git, base: str, parents: Sequence[str], path: str) -> str:
    stretches = (content.changed_lines(git, base, parent, path) for parent in parents)
    said = [
        f"{parent[:12]} {_lines([one.words for one in lines])}"
        for parent, lines in zip(parents, stretches, strict=True)
    ]
    return f"{path} ({'; '.join(said)})"


def _lines(stretches: list[str]) -> str:
    if not stretches:
        return "as a whole"
    return f"lines {', '.join(stretches[:MOST_STRETCHES])}{' ...' if stretches[MOST_STRETCHES:] else ''}"


def _apart(git: Git, merge: str, sides: Sequence[Sequence[str]]) -> str:
    """No file was changed on both sides."""
    used = [
        f"{one} uses {other}"
        for here, side in enumerate(sides)
        for one in side
        for there, others in enumerate(sides)
        if here != there
        for other in _used(git, merge, one, others)
    ]
    if used:
        return f"its sides changed no file in common; {_listed(used[:MOST_FILES], len(used))}"
    said = (_listed(list(side[:MOST_FILES]), len(side)) or "nothing" for side in sides)
    return f"its sides changed no file in common; one side {', the other '.join(said)}"


def _used(git: Git, merge: str, path: str, others: Sequence[str]) -> list[str]:
    """Which of the other side's modules this one imports."""
    text = content.text_at(git, merge, path) if path.endswith(".py") else None
    tree = parsed(text) if text is not None else None
    if tree is None:
        return []
    imported = set(_imported(tree, PurePosixPath(path)))
    return [other for other in others if other.endswith(".py") and _is_one_of(_module(other), imported)]


def _imported(tree: ast.AST, path: PurePosixPath) -> Iterator[tuple[str, ...]]:
    """Every module that an import may mean, as far as its name goes; a relative one from the top."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = path.parent.parts[: len(path.parts) - node.level] if node.level else ()
            named = (*above, *(node.module or "").split(".")) if node.module else above
            yield named
            yield from ((*named, alias.name) for alias in node.names)


def _module(path: str) -> tuple[str, ...]:
    parts = PurePosixPath(path).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def _is_one_of(module: tuple[str, ...], imported: set[tuple[str, ...]]) -> bool:
    """An import does not say in which folder packages begin: `proj.a` may be src/proj/a.py."""
    return any(module[start:] in imported for start in range(len(module)))


def _listed(said: list[str], count: int) -> str:
    more = f" and {count - len(said)} more" if count > len(said) else ""
    return ", ".join(said) + more
