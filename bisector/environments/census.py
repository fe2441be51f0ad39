"""What lies in a folder: enough to notice that somebody changed it, without reading any file."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

CACHE = "__pycache__"
FACTS = ".layer.json"
NOTE = ".later"
"""In a layer that is in use before all is compiled: the modules that are left, a line each."""
BOOT = ".later.boot"
"""Beside it, in which run of the machine that was."""


@dataclass(frozen=True, slots=True)
class Census:
    bytes: int
    """On the disk, files shared with a cache included."""
    digest: str
    """Of every name, size, kind and time of change; a dot file at the top does not count."""
    strict: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a layer since it was published."""

    census: Census
    made: str
    """Which making of it this is, however much of its bytecode came later."""
    partial: bool
    """The bytecode of what is noted was not counted: it comes later."""


def take_census(path: Path, strict: bool, noted: frozenset[str] = frozenset()) -> Census:
    """`strict`: count the time of change that nobody can set back. It also moves when a cache lets go of its
    link to a file, so it is only for folders that share no file with anybody. Bytecode of what is noted is left out.
    """
    total = 0
    lines: list[str] = []
    waiting = [str(path)]
    prefix = len(str(path)) + 1
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                name = entry.path[prefix:]
                if name.startswith(".") and "/" not in name:
                    continue
                status = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                    lines.append(f"{name}/")
                    continue
                total += status.st_blocks * 512
                if not (noted and source_of(name) in noted):
                    changed = status.st_ctime_ns if strict else status.st_mtime_ns
                    lines.append(f"{name} {status.st_size} {changed}")
    lines.sort()
    text = "\n".join(lines).encode("utf-8", "surrogateescape")
    return Census(total, hashlib.sha256(text).hexdigest(), strict)


def source_of(name: str) -> str | None:
    """The module whose bytecode this file is, finished or not."""
    folder, _, file = name.rpartition("/")
    above, _, last = folder.rpartition("/")
    return f"{above}/{file.partition('.')[0]}.py" if last == CACHE else None


def noted(path: Path) -> frozenset[str]:
    """Modules, seen from the layer, whose bytecode comes later."""
    try:
        return frozenset((path / NOTE).read_text("utf-8", "surrogateescape").splitlines())
    except FileNotFoundError:
        return frozenset()


def facts_of(path: Path) -> Facts | None:
    """None: nothing that can be read."""
    try:
        said = json.loads((path / FACTS).read_text())
        census = Census(int(said["bytes"]), str(said["digest"]), bool(said["strict"]))
        return Facts(census, str(said["made"]), bool(said["partial"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_as_published(path: Path) -> bool:
    facts = facts_of(path)
    if facts is None:
        return False
    left = noted(path) if facts.partial else frozenset()
    is_it = take_census(path, facts.census.strict, left).digest == facts.census.digest
    # In this very moment the rest may have come, and counts.
    return is_it or (facts.partial and facts_of(path) != facts and is_as_published(path))


def publish(path: Path, *, strict: bool) -> None:
    left = noted(path)
    census = take_census(path, strict, left)
    _write(path, Facts(census, census.digest, bool(left)))


def complete(path: Path) -> None:
    """All of its bytecode is there, and counts from now on."""
    facts = facts_of(path)
    if facts is not None and facts.partial:
        _write(path, Facts(take_census(path, facts.census.strict), facts.made, partial=False))


def _write(path: Path, facts: Facts) -> None:
    half = path / f"{FACTS}.half"
    half.unlink(missing_ok=True)
    half.write_text(json.dumps({**asdict(facts.census), "made": facts.made, "partial": facts.partial}))
    half.replace(path / FACTS)
