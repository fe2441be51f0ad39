"""Hunts whose environments differ: in worlds made up for it, and for real with packages from the loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bisector.engine.run import Result
from bisector.git.mirror import Mirror
from bisector.git.source import locate
from bisector.model import Judgement
from bisector.store import Store, open_store

from ..environments.conftest import make_wheel
from ..environments.registry import Registry, serve
from .worlds import Crossed, World

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

FIRST_DAY = 1_600_000_000
DAY = 86_400


@dataclass(frozen=True)
class Hunted:
    status: int
    words: str
    report: Any

    @property
    def culprit(self) -> str | None:
        found = self.report["culprit"]
        return found["commit"] if found else None

    @property
    def notices(self) -> str:
        return "\n".join(self.report["notices"])


@dataclass(frozen=True)
class Shop:
    """`bisector run` in a folder of its own, and an index that its packages come from."""

    folder: Path
    registry: Registry
    asked: list[str] = field(default_factory=list)

    def publish(
        self, name: str, version: str, day: float, body: str = "", requires: Sequence[str] = ()
    ) -> None:
        """A release whose module has a body, uploaded on the day of the commit with that number."""
        source = f"version = {version!r}\n{body}\n"
        wheel = make_wheel(
            self.registry.folder, name, version, files={f"{name}/__init__.py": source}, requires=requires
        )
        self._upload(wheel, day)

    def publish_broken(self, name: str, version: str, day: float) -> None:
        """A release that can be resolved and not installed."""
        wheel = self.registry.folder / f"{name}-{version}-py3-none-any.whl"
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{name}-{version}.dist-info/METADATA", metadata)
        self._upload(wheel, day)

    def _upload(self, wheel: Path, day: float) -> None:
        moment = datetime.fromtimestamp(FIRST_DAY + day * DAY, timezone.utc)
        self.registry.uploaded[wheel.name] = moment.strftime("%Y-%m-%dT%H:%M:%SZ")

    def hunt(self, project: Repository, good: int, bad: int, *more: str) -> Hunted:
        """The recipe's lines after the repository and the ends."""
        lines = [f"repo: {project.path}", f"good: {project[good]}", f"bad: {project[bad]}", *more]
        path = self.folder / "recipe.yaml"
        path.write_text("\n".join([*lines, f"python: {sys.executable}"]) + "\n")
        ended = subprocess.run(
            [sys.executable, "-m", "bisector", "run", str(path), "--state", str(self.folder / "s"), "--json"],
            cwd=self.folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.folder),
                "PIP_CONFIG_FILE": os.devnull,
                "PIP_INDEX_URL": self.registry.url,
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        return Hunted(ended.returncode, ended.stderr, json.loads(ended.stdout) if ended.stdout else None)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    folder = tmp_path / "index"
    folder.mkdir()
    with serve(folder) as registry:
        yield Shop(tmp_path, registry)


Hunting = Callable[..., tuple[Result, Crossed]]


@pytest.fixture
def hunting(tmp_path: Path, making: Making) -> Iterator[Hunting]:
    opened: list[Store] = []

    def hunt(
        world: World,
        rows: str = "1..8",
        more: str = "",
        project: Repository | None = None,
    ) -> tuple[Result, Crossed]:
        project = project or making.repository(rows)
        source = locate(str(project.path), None)
        machine = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        mirror = Mirror(tmp_path / "mirrors" / source.key, source, machine)
        mirror.ensure(lambda text: None)
        store = open_store(tmp_path / "records")
        opened.append(store)
        made = Crossed(
            tmp_path, mirror, store, lambda sha: Judgement.OLD, world=world, number_of=project.number
        )
        last = max(project.shas)
        ends = f"old: {project[1]}\nnew: {project[last]}"
        return made.hunt(
            made.row(f"repo: {project.path}\n{ends}\nrepro: run\ninstall: {{mode: pythonpath}}\n{more}")
        ), made

    yield hunt
    for store in opened:
        store.close()
