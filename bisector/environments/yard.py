"""Where one build is made: a folder of its own, with a virtualenv over what the build sees and a record of what it
reads. Runs its commands there, in the cage.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from bisector.environments import compiled, thin
from bisector.environments.interpreters import GUEST, Interpreter
from bisector.environments.layers import Layer
from bisector.environments.thin import Thin
from bisector.installers import Runner
from bisector.process import Finished, ProgramMissing

RECORDER = "_bisector_recorder"


@dataclass(frozen=True, slots=True)
class Outfit:
    """What a build is made with, whatever the commit. Equal ones could stand for each other."""

    interpreter: Interpreter
    layers: tuple[Layer, ...]
    """What the build sees."""
    imports: str | None
    """The backend's module, where it may be imported before anything is known of the commit."""
    copies: bool
    """What it makes holds the tree's files: each that is looked at counts."""
    timeout: float


@dataclass(frozen=True, slots=True)
class Yard:
    outfit: Outfit
    runner: Runner
    tree: Path
    scratch: Path
    venv: Thin

    @property
    def out(self) -> Path:
        return self.scratch / "out"

    @property
    def record(self) -> Path:
        return self.scratch / "record"

    @property
    def answer(self) -> Path:
        return self.scratch / "answer.json"

    def run(
        self, argv: list[str | Path], cwd: Path, *writable: Path, stdin: int | None = None
    ) -> Finished | ProgramMissing:
        outfit = self.outfit
        env = {
            "PATH": f"{self.venv.bin}:{compiled.SYSTEM_PATH}",
            "HOME": str(self.scratch / "home"),
            "TMPDIR": str(self.scratch),
            "LANG": "C.UTF-8",
            "VIRTUAL_ENV": str(self.venv.path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "BISECTOR_RECORD": str(self.record),
            "BISECTOR_RECORD_TREE": str(self.tree),
            "BISECTOR_RECORD_INVENTORY": "yes" if outfit.copies else "no",
        }
        readable = (*outfit.interpreter.readable, *(layer.path for layer in outfit.layers), GUEST)
        places = (self.tree, self.scratch, *writable)
        return self.runner(argv, cwd, env, outfit.timeout, places, readable, stdin)

    @property
    def hook(self) -> list[str | Path]:
        """The program that calls the backend, with its job on its standard input."""
        return [self.venv.python, GUEST / "hook.py", self.answer]


def furnish(outfit: Outfit, runner: Runner, tree: Path, scratch: Path) -> Yard:
    """`scratch` is empty."""
    venv = thin.make(scratch / "venv", outfit.interpreter, [layer.path for layer in outfit.layers])
    shutil.copyfile(GUEST / "recorder.py", venv.site / f"{RECORDER}.py")
    (venv.site / f"{RECORDER}.pth").write_text(f"import {RECORDER}\n")
    for name in ("home", "out"):
        (scratch / name).mkdir()
    compiled.listen_to_git(venv.bin)
    return Yard(outfit, runner, tree, scratch, venv)
