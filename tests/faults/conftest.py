"""A hunt by the real command that is ended in every bad way, and what must be true of it afterwards."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from pydantic import TypeAdapter

from bisector.caps import survey
from bisector.locks import try_lock
from bisector.model import Purpose, Ran, Trial

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

CULPRIT = 10
PATIENCE = 90.0
"""Seconds that anything here may take before it is given up."""
DYING = Path(__file__).parent / "dying.py"
_TRIAL = TypeAdapter(Trial)
Identity = tuple[str, str, str]


@dataclass(frozen=True)
class Ended:
    """How one life of bisector ended."""

    status: int
    out: str
    err: str


@dataclass
class Scene:
    """One hunt and the folders that are its own."""

    folder: Path
    source: Repository
    state: Path
    lives: list[int] = field(default_factory=list)
    """The process ids that bisector has had."""

    @property
    def recipe(self) -> Path:
        return self.folder / "recipe.yaml"

    @property
    def seen(self) -> Path:
        """What lives have died of."""
        return self.folder / "seen"

    @property
    def records(self) -> Path:
        return self.state / "records.sqlite3"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    @property
    def machine(self) -> Mapping[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.temporary),
            "LANG": "C.UTF-8",
            "BISECTOR_STATE": str(self.state),
        }

    def writes(self, **more: str) -> None:
        keys = {
            "repo": str(self.source.path),
            "good": self.source[1],
            "bad": "main",
            "install": "{mode: pythonpath, path: src}",
            "repro": "{run: 'python -c \"import tool\" && grep -q good state', cwd: tree}",
            **more,
        }
        self.recipe.write_text("".join(f"{key}: {value}\n" for key, value in keys.items()))

    def begins(self, *options: str, before: Sequence[str] = (), **more: Any) -> subprocess.Popen[str]:
        """The command under way; `before`: what it is started by."""
        begun = subprocess.Popen(
            [*before, sys.executable, "-m", "bisector", "run", str(self.recipe), "--json", *options],
            cwd=self.folder,
            env=self.machine,
            text=True,
            **{
                "stdin": subprocess.DEVNULL,
                "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE,
                **more,
            },
        )
        self.lives.append(begun.pid)
        return begun

    def runs(self, *options: str) -> Ended:
        """The command, to its end."""
        return self.ends(self.begins(*options))

    def ends(self, begun: subprocess.Popen[str]) -> Ended:
        out, err = begun.communicate(timeout=PATIENCE)
        return Ended(begun.returncode, out, err)

    def told(self, name: str) -> Ended:
        """How a run ended that a script wrote down as NAME.status, .out and .err."""
        status, out, err = (self.folder / f"{name}.{part}" for part in ("status", "out", "err"))
        return Ended(int(status.read_text()), out.read_text(), err.read_text())

    def waits_for_trials(self, begun: subprocess.Popen[str], number: int) -> None:
        """Until so many are on record."""
        limit = time.monotonic() + PATIENCE
        while len(self.trials()) < number:
            assert begun.poll() is None, begun.communicate()
            assert time.monotonic() < limit, "no trial comes to an end"
            time.sleep(0.02)

    def dies_at(self, kinds: str, number: int = 1) -> bool:
        """One life that ends by kill -9 at so many events that none before it died of; False: it lived on."""
        begun = subprocess.Popen(
            [sys.executable, str(DYING), str(self.recipe), str(self.seen), kinds, str(number - 1)],
            env=self.machine,
            cwd=self.folder,
        )
        self.lives.append(begun.pid)
        return begun.wait(PATIENCE) == -signal.SIGKILL

    def is_killed_after(self, seconds: float, *options: str) -> bool:
        """One life of so many seconds; whether it was cut short."""
        with (self.folder / "killed.txt").open("a") as said:
            begun = self.begins(*options, stdout=said, stderr=said)
        try:
            begun.wait(seconds)
        except subprocess.TimeoutExpired:
            begun.kill()
        return begun.wait() == -signal.SIGKILL

    def forgets(self) -> None:
        """As on a new machine: the next hunt begins with its mirror."""
        rmtree(self.state)

    def trials(self) -> list[Trial]:
        if not self.records.exists():
            return []
        with closing(sqlite3.connect(self.records, timeout=PATIENCE)) as database:
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'trials'").fetchall():
                return []
            rows = database.execute("SELECT facts FROM trials ORDER BY seq").fetchall()
        return [_TRIAL.validate_json(row[0]) for row in rows]

    def processes(self) -> list[str]:
        """What still runs and has to do with this hunt."""
        found = []
        for each in psutil.process_iter():
            with suppress(psutil.Error):
                told = [*each.cmdline(), each.cwd(), *each.environ().values()]
                if str(self.folder) in " ".join(told) and each.status() != psutil.STATUS_ZOMBIE:
                    found.append(f"{each.pid} {' '.join(each.cmdline())}")
        return found

    def is_alone(self) -> None:
        """Nobody has outlived bisector."""
        limit = time.monotonic() + PATIENCE
        while left := self.processes():
            assert time.monotonic() < limit, f"outlived bisector: {left}"
            time.sleep(0.02)

    def groups(self) -> list[Path]:
        """Control groups of any of its lives."""
        hierarchies = survey(os.environ["PATH"]).cgroups.hierarchies
        return [
            path
            for each in hierarchies
            for pid in self.lives
            for path in each.parent.glob(f"bisector-*-{pid}-*-*")
        ]

    def locked(self) -> list[Path]:
        """Files that somebody holds a lock on."""
        found = []
        for path in self.state.rglob("*.lock"):
            descriptor = try_lock(path) if path.is_file() else None
            if descriptor is None:
                found.append(path)
            else:
                os.close(descriptor)
        return [path for path in found if path.is_file()]

    def scratch(self) -> list[Path]:
        """What belongs to trials alone, and should have gone with them."""
        places = ("hunts/*/scratch/*", "tries/*", "environments/aside/*", "mirrors/*/repo.making")
        found = [path for place in places for path in self.state.glob(place)]
        return [*found, *self.temporary.iterdir(), *self.state.glob("mirrors/*/repo.git/**/*.lock")]

    def mounts(self) -> list[str]:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
        return [line for line in lines if str(self.folder) in line.split(" - ")[0]]

    def made(self) -> list[Identity]:
        """Which trials are on record, in their order."""
        return [identity(trial) for trial in self.trials()]

    def is_right(self, ended: Ended) -> None:
        """The hunt came to the planted commit and made no finished trial twice."""
        assert ended.status == 0, ended.err
        report = json.loads(ended.out)
        assert report["outcome"] == "found"
        assert report["culprit"]["commit"] == self.source[CULPRIT]
        made = [identity(trial) for trial in self.trials() if isinstance(trial.outcome, Ran)]
        assert len(made) == len(set(made)), "a trial was made twice"
        assert {purpose.value for purpose in (Purpose.END, Purpose.SEARCH, Purpose.CONFIRM)} <= {
            purpose for _, _, purpose in made
        }

    def goes_on(self) -> None:
        """Nobody outlived the life that ended; the same command keeps its trials and comes to the end."""
        self.is_alone()
        trials = self.made()
        self.is_right(self.runs())
        assert self.made()[: len(trials)] == trials
        self.is_clean()

    def is_clean(self) -> None:
        """Nothing of any of its lives is left but what the hunt is about."""
        self.is_alone()
        assert self.groups() == []
        assert self.locked() == []
        assert self.scratch() == []
        assert self.mounts() == []
        for mirror in self.state.glob("mirrors/*/repo.git"):
            self.source.git("--git-dir", str(mirror), "fsck", "--full", "--no-dangling", "--no-progress")

    def puts_wheel(self, name: str = "helping", version: str = "1.0") -> Path:
        """The smallest wheel that installers take."""
        folder = self.folder / "wheels"
        folder.mkdir(parents=True, exist_ok=True)
        info = f"{name}-{version}.dist-info"
        files = {
            f"{name}.py": "answer = 42\n",
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/RECORD": "",
        }
        with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
            for member, text in files.items():
                archive.writestr(member, text)
        return folder


def identity(trial: Trial) -> Identity:
    return (trial.commit, trial.key, trial.purpose.value)


@pytest.fixture
def scene(making: Making, tmp_path: Path) -> Iterator[Scene]:
    """Sixteen commits, a merge among them; the tenth broke it."""
    source = making.repository(
        "1..8; 4 9 10 11; 8+11 12..16", culprit=CULPRIT, files={1: {"src/tool/__init__.py": ""}}
    )
    made = Scene(tmp_path, source, tmp_path / "state")
    made.temporary.mkdir()
    (tmp_path / "home").mkdir()
    made.writes()
    yield made
    for line in made.processes():
        pid = int(line.split()[0])
        if pid in made.lives:
            os.kill(pid, signal.SIGKILL)
