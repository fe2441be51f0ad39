"""Other people's repositories, recipes and code, none of it meant well; and somebody whose secrets it is after."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.git.mirror import Mirror
from bisector.git.source import locate

if TYPE_CHECKING:
    from tests.conftest import Repository

PATIENCE = 180


@pytest.fixture
def mirror_of(tmp_path: Path) -> Callable[[Repository | str], Mirror]:
    """The mirror of a repository, or of whatever a recipe would call it, made and filled."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    machine = {"PATH": os.environ["PATH"], "HOME": str(home)}

    def make(source: Repository | str) -> Mirror:
        located = locate(source if isinstance(source, str) else str(source.path), tmp_path)
        mirror = Mirror(tmp_path / "state" / "mirrors" / located.key, located, machine)
        mirror.ensure(lambda _: None)
        return mirror

    return make


@dataclass(frozen=True)
class Answer:
    """What a command said and how it ended."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class User:
    """Somebody with a home, a state directory and a folder to stand in, all their own."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def here(self) -> Path:
        return self.folder / "here"

    def machine(self, more: Mapping[str, str]) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "BISECTOR_STATE": str(self.state),
            **more,
        }

    def writes(self, source: Repository, good: str, script: str, **more: str) -> None:
        """A recipe that only needs Python, for the bad end of the main line."""
        keys = {
            "repo": str(source.path),
            "good": good,
            "bad": "main",
            "install": "{mode: none}",
            "repro": json.dumps({"python": script, "cwd": "tree"}),
            **more,
        }
        (self.here / "recipe.yaml").write_text("".join(f"{key}: {value}\n" for key, value in keys.items()))

    def argv(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "bisector", *words]

    def types(self, *words: str, stdin: str = "", more: Mapping[str, str] | None = None) -> Answer:
        done = subprocess.run(
            self.argv(*words),
            cwd=self.here,
            env=self.machine(more or {}),
            input=stdin.encode(),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        said = done.stderr.decode(errors="replace")
        assert "Traceback" not in said, said
        assert "defect" not in said, said
        return Answer(done.returncode, done.stdout.decode(errors="replace"), said)


@pytest.fixture
def user(tmp_path: Path) -> User:
    made = User(tmp_path)
    for folder in (made.home, made.here):
        folder.mkdir(exist_ok=True)
    return made
