"""Which modules importing a folder's packages brings along, as far as the lines at the margin tell.

A guess from their text: what is wrong with it costs time and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

IMPORT = re.compile(
    rb"^(?:from[ \t]+(?P<origin>[.\w]+)[ \t]+)?import[ \t]+(?P<names>\([^)]*\)|[^\n(]+)", re.MULTILINE
)
WORD = re.compile(r"[\w.]+")
PACKAGE = "__init__"


def reached(site: Path, paths: Iterable[str]) -> set[str]:
    """Those of `paths` (of modules, seen from `site`) that are imported with what lies at the top."""
    modules = {_name(path): path for path in paths}
    waiting = [name for name in modules if "." not in name]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        path = modules.get(name)
        if path is not None and path not in found:
            found.add(path)
            # Before a module of a package there comes the package.
            waiting += _above(name)
            waiting += _imported((site / path).read_bytes(), name, is_package=path.endswith(f"{PACKAGE}.py"))
    return found


def _name(path: str) -> str:
    return path.removeprefix("./").removesuffix(".py").replace("/", ".").removesuffix(f".{PACKAGE}")


def _above(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:depth]) for depth in range(1, len(parts)))


def _imported(text: bytes, name: str, *, is_package: bool) -> Iterator[str]:
    own = name.split(".") if is_package else name.split(".")[:-1]
    for line in IMPORT.finditer(text):
        names = WORD.findall(line["names"].decode("utf-8", "replace"))
        if line["origin"] is None:
            yield from names
            continue
        origin = line["origin"].decode("utf-8", "replace")
        below = origin.lstrip(".")
        dots = len(origin) - len(below)
        base = ".".join([*(own[: len(own) - dots + 1] if dots else ()), *([below] if below else ())])
        yield base
        yield from (f"{base}.{one}" for one in names)
