"""What lies in a folder: enough to notice that somebody changed it, without reading any file."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

CACHE = "__pycache__"
FACTS = ".layer.json"


@dataclass(frozen=True, slots=True)
class Census:
    bytes: int
    """On the disk, files shared with a cache included."""
    digest: str
    """Of every name, size, kind and time of change; a dot file at the top does not count, nor bytecode where nothing
    that runs can write to it: some is made later.
    """
    strict: bool


def take_census(path: Path, strict: bool) -> Census:
    """`strict`: count the time of change that nobody can set back. It also moves when a cache lets go of its
    link to a file, so it is only for folders that share no file with anybody.
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
                counts = strict or CACHE not in name
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                    line = f"{name}/"
                else:
                    total += status.st_blocks * 512
                    changed = status.st_ctime_ns if strict else status.st_mtime_ns
                    line = f"{name} {status.st_size} {changed}"
                if counts:
                    lines.append(line)
    lines.sort()
    text = "\n".join(lines).encode("utf-8", "surrogateescape")
    return Census(total, hashlib.sha256(text).hexdigest(), strict)


def facts_of(path: Path) -> Census | None:
    """What was counted when the folder was published; None: nothing that can be read."""
    try:
        said = json.loads((path / FACTS).read_text())
        return Census(int(said["bytes"]), str(said["digest"]), bool(said["strict"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_as_published(path: Path) -> bool:
    facts = facts_of(path)
    return facts is not None and take_census(path, facts.strict).digest == facts.digest


def write_facts(path: Path, *, strict: bool) -> None:
    half = path / f"{FACTS}.half"
    half.unlink(missing_ok=True)
    half.write_text(json.dumps(asdict(take_census(path, strict))))
    half.replace(path / FACTS)
