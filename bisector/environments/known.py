"""By which names a project's build is found again: what it was seen to read, and the commit that it was made for."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bisector.environments.fingerprint import fingerprint
from bisector.environments.inputs import Breadth, Inputs, from_json
from bisector.environments.layers import Layer
from bisector.folders import walk

MOST_REMEMBERED = 200
"""Sets of inputs kept for one way to build; most projects have a handful."""
BUILT_FOR = ".built-for"
"""In a layer, the name that its build has for the commit that it was made for."""
COMPILED = {".so", ".pyd", ".dylib"}


@dataclass
class KnownInputs:
    """What builds were seen to read, for each way to build."""

    folder: Path
    _mutex: threading.Lock = field(default_factory=threading.Lock)

    def names(self, key: str, files: Mapping[str, str], commit: str) -> Iterator[str]:
        """What builds of any commit may serve this one, newest first."""
        lines = self._lines(self.folder / key)
        for known in map(from_json, reversed(lines)):
            if known is not None:
                yield name_for(key, known, files, commit)

    def remember(self, key: str, read: Inputs) -> None:
        path, line = self.folder / key, read.to_json()
        with self._mutex:
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = self._lines(path)
            if line not in lines:
                aside = path.with_suffix(f".{threading.get_ident()}.part")
                aside.write_text(
                    "".join(f"{one}\n" for one in [*lines, line][-MOST_REMEMBERED:]), encoding="utf-8"
                )
                aside.rename(path)

    @staticmethod
    def _lines(path: Path) -> list[str]:
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def name_for(key: str, read: Inputs, files: Mapping[str, str], commit: str) -> str:
    return fingerprint("project", [key, read.to_json(), read.digest(files, commit)])


def own_name(key: str, files: Mapping[str, str], commit: str) -> str:
    """As if the build read all that there is."""
    return name_for(key, Inputs(frozenset(), breadth=Breadth.ALL, history=True), files, commit)


def built_for(layer: Layer) -> str:
    return (layer.path / BUILT_FOR).read_text(encoding="utf-8")


def is_foreign(layer: Layer, own: str) -> bool:
    """Made for another commit. What was compiled is anybody's: it is dear, and all sources are its inputs."""
    if built_for(layer) == own:
        return False
    return not any(Path(name).suffix in COMPILED for _, _, names in walk(layer.path) for name in names)
