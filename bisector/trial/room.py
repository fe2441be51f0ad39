"""The directory, the command and the variables of a repro: chosen for it, nothing inherited."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bisector.folders import empty
from bisector.recipe.schema import Cwd, PythonScript, Repro

SCRIPT = "bisector_repro.py"
"""How a repro given as Python is called in its directory."""


@dataclass(frozen=True)
class Room:
    """The fresh directory of one trial: where the repro runs, its private home and temporary files."""

    scratch: Path
    repro: Repro
    tree: Path

    @property
    def folder(self) -> Path:
        return self.scratch / "run"

    @property
    def cwd(self) -> Path:
        return self.tree if self.repro.cwd is Cwd.TREE else self.folder

    def furnish(self) -> None:
        empty(self.scratch)
        self.scratch.mkdir()
        for place in (self.folder, self.scratch / "home", self.scratch / "tmp"):
            place.mkdir()
        for name, text in self.repro.files:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if isinstance(self.repro.action, PythonScript):
            (self.folder / SCRIPT).write_text(self.repro.action.text, encoding="utf-8")

    def argv(self, python: Path) -> tuple[str, ...]:
        action = self.repro.action
        if isinstance(action, PythonScript):
            return (str(python), str(self.folder / SCRIPT))
        return ("/bin/sh", "-c", action.text)

    def variables(self, machine: Mapping[str, str]) -> dict[str, str]:
        """Chosen, not inherited: no token and no setting of the user reaches the repro."""
        return {
            "PATH": foreign_path(machine),
            "HOME": str(self.scratch / "home"),
            "TMPDIR": str(self.scratch / "tmp"),
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            **dict(self.repro.env),
        }


def foreign_path(machine: Mapping[str, str]) -> str:
    """The machine's PATH without bisector's own environment: its python is not the one under test."""
    own = Path(sys.prefix, "bin")
    parts = machine.get("PATH", "/usr/local/bin:/usr/bin:/bin").split(":")
    return ":".join(part for part in parts if part and Path(part) != own)
