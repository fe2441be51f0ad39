"""Whole hunts over histories that no single environment serves: real git, real uv, wheels made by hand."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bisector.cli.guard import guarded

from ..environments.conftest import make_wheel
from ..environments.registry import Registry, serve

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

FOUND, USAGE, SUSPECTS, ALIKE, FAILED = 0, 2, 3, 4, 5
PATIENCE = 120


@dataclass(frozen=True)
class Hunted:
    status: int
    words: str
    report: Any
    """The report's JSON; None where there is none."""
    project: Repository

    @property
    def culprit(self) -> int | None:
        found = self.report["culprit"]
        return self.project.number(found["commit"]) if found else None

    @property
    def suspects(self) -> set[int]:
        return self.project.numbers(self.report["suspects"])

    def verdicts(self, number: int) -> set[str]:
        return {
            f"{one['verdict']}: {one['reason']}"
            for one in self.report["trials"]
            if one["commit"] == self.project[number]
        }


@dataclass(frozen=True)
class Land:
    """One state directory, one folder of wheels, one repository after the other."""

    folder: Path
    wheels: Path
    making: Making
    capture: pytest.CaptureFixture[str]

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def publish(self, name: str, version: str, body: str = "", requires: Sequence[str] = ()) -> Path:
        source = {f"{name}/__init__.py": f"version = {version!r}\n{body}\n"}
        return make_wheel(self.wheels, name, version, files=source, requires=requires)

    def project(self, rows: str, files: Mapping[int, Mapping[str, str]]) -> Repository:
        """What is not said of a commit stays as it was."""
        made = self.making.empty()
        made.grow(rows, lambda number: files.get(number, {}))
        return made

    def recipe(self, project: Repository, *lines: str, good: int = 1, bad: int | None = None) -> str:
        last = max(project.shas) if bad is None else bad
        keys = {line.partition(":")[0] for line in lines}
        usual = {
            "install": "{mode: pythonpath, module: proj}",
            "repro": 'python -c "import proj; proj.run()"',
            "python": sys.executable,
        }
        rest = [f"{key}: {value}" for key, value in usual.items() if key not in keys]
        head = [f"repo: {project.path}", f"good: {project[good]}", f"bad: {project[last]}"]
        return "\n".join([*head, *lines, *rest]) + "\n"

    def hunt(self, project: Repository, *lines: str, good: int = 1, bad: int | None = None) -> Hunted:
        return self.run(project, self.recipe(project, *lines, good=good, bad=bad))

    def run(self, project: Repository, recipe: str) -> Hunted:
        """In this process: starting another costs more than a small hunt."""
        status, out, words = self.say("run", self.written(recipe), "--json")
        return Hunted(status, words, json.loads(out) if out else None, project)

    def written(self, recipe: str) -> str:
        path = self.folder / "recipe.yaml"
        path.write_text(recipe)
        return str(path)

    def say(self, *words: str) -> tuple[int, str, str]:
        self.capture.readouterr()
        status = guarded([*words, "--state", str(self.state)])
        told = self.capture.readouterr()
        assert "defect" not in told.err, told.err
        return status, told.out, told.err

    def begin(self, recipe: str) -> subprocess.Popen[bytes]:
        """The hunt in a process of its own, that may be killed."""
        return subprocess.Popen(
            [sys.executable, "-m", "bisector", "run", self.written(recipe), "--state", str(self.state)],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@pytest.fixture
def land(
    tmp_path: Path, making: Making, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Land:
    """No package but from the folder of wheels, and the build tools that virtualenv carries."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    virtualenv = importlib.util.find_spec("virtualenv")
    assert virtualenv is not None and virtualenv.origin is not None
    embedded = Path(virtualenv.origin).parent / "seed" / "wheels" / "embed"
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", f"{wheels} {embedded}")
    return Land(tmp_path, wheels, making, capsys)


@pytest.fixture
def online(land: Land, monkeypatch: pytest.MonkeyPatch) -> Land:
    """With the machine's own configuration of packages."""
    monkeypatch.undo()
    return land


@pytest.fixture
def registry(land: Land, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """An index that knows when a release was uploaded, and can be down."""
    folder = land.folder / "index"
    folder.mkdir()
    with serve(folder) as registry:
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.delenv("PIP_FIND_LINKS")
        monkeypatch.setenv("PIP_INDEX_URL", registry.url)
        monkeypatch.setenv("UV_HTTP_RETRIES", "0")
        yield registry
