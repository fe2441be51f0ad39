"""The commands as somebody types them: `python -m bisector`, with a state directory of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

PATIENCE = 120


@dataclass(frozen=True)
class Answer:
    """What a command said and how it ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        return cast("dict[str, object]", json.loads(self.out))


@dataclass(frozen=True)
class Typing:
    """Types commands in one folder."""

    folder: Path
    environment: Mapping[str, str]

    def argv(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "bisector", *words]

    def __call__(self, *words: str, stdin: str = "", cwd: Path | None = None, **variables: str) -> Answer:
        done = subprocess.run(
            self.argv(*words),
            cwd=cwd or self.folder,
            env={**self.environment, **variables},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert "defect" not in done.stderr, done.stderr
        return Answer(done.returncode, done.stdout, done.stderr)

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """The command, running; whoever begins it ends it."""
        return subprocess.Popen(
            self.argv(*words),
            cwd=self.folder,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def state(self) -> Path:
        return Path(self.environment["BISECTOR_STATE"])

    def recipe(self, text: str, name: str = "recipe.yaml") -> str:
        (self.folder / name).write_text(text)
        return name


@pytest.fixture
def bisector(tmp_path: Path) -> Typing:
    folder = tmp_path / "desk"
    folder.mkdir()
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "PYENV_ROOT", "PYTHONPATH") if name in os.environ}
    environment = {**kept, "HOME": str(home), "BISECTOR_STATE": str(tmp_path / "state"), "LANG": "C.UTF-8"}
    return Typing(folder, environment)


@pytest.fixture
def source(making: Making) -> Repository:
    """Twelve commits in a line, two of them released; from 7 on `state` is bad."""
    made = making.repository(
        "1..12", culprit=7, files={number: {"src/thing.py": f"N = {number}\n"} for number in (1, 9)}
    )
    made.tag("v1.0", 1)
    made.tag("v1.1", 5)
    return made


@pytest.fixture
def plain(source: Repository) -> str:
    """A recipe for it that installs nothing."""
    return written(source)


@pytest.fixture
def recipe_of(source: Repository) -> Callable[..., str]:
    def make(**more: str) -> str:
        return written(source, **more)

    return make


def written(source: Repository, **more: str) -> str:
    keys = {
        "repo": str(source.path),
        "good": "v1.0",
        "bad": "main",
        "install": "{mode: none}",
        "repro": "{run: 'cat state; grep -q good state', cwd: tree}",
        **more,
    }
    return "".join(f"{key}: {value}\n" for key, value in keys.items())
