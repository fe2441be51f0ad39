"""The fence where namespaces are closed to us: a supervisor process that adopts and kills the whole tree."""

from __future__ import annotations

from pathlib import Path

from bisector.caps import supervisor
from bisector.caps.confinement import Confinement


class Subreaper:
    name = "subreaper"
    overhead = 1
    on_leash = True
    guards = False

    def __init__(self, python: Path) -> None:
        self._python = python

    def command(self, confinement: Confinement, words: int, leash: int) -> list[str]:
        return [str(self._python), "-I", "-S", str(supervisor.__file__), str(leash), *confinement.argv]
