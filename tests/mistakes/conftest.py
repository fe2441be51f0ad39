"""Somebody at a prompt who gets something wrong, and the golden file with what bisector answered.

BISECTOR_GOLDEN=write pytest tests/mistakes   writes every golden file anew; then read the difference.
"""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

GOLDEN = Path(__file__).parent / "golden"
SOUND = {
    "repo": "SOURCE",
    "good": "v1.0",
    "bad": "main",
    "install": "{mode: none}",
    "repro": "{run: 'grep -q good state', cwd: tree}",
}
"""A recipe without a mistake, hunted through in a second."""
# What differs from machine to machine or from day to day, in the order it is looked for.
_UNSTABLE = (
    # Which of its trees a trial was made in.
    (r"/scratch/(\d+|ahead-\d+)/", "/scratch/0/"),
    (r"\b\d+(\.\d+)? (B|KiB|MiB|GiB)\b", "SIZE"),
    (r"(?<=timed out after )[\d.]+s", "TIME"),
    (r"(is not a requirement): .*", r"\1: WHY"),
    (r"/bin/sh: (?:line )?1: (.+): (?:command )?not found", r"/bin/sh: 1: \1: not found"),
    (r"/bin/sh: line 1: ", "/bin/sh: 1: "),
    (r"(/[\w.-]+)+/lib/python3\.\d+", "PYTHON"),
    (r"\(there are [\d., ]+\)", "(there are PYTHONS)"),
    (r"127\.0\.0\.1:(?!9\b)\d+", "127.0.0.1:PORT"),
    (r"(unable to access '[^']*'): .*", r"\1: WHY"),
    (r"(?<![\w.])\d+(\.\d+)? (ms|s|min|h)\b( \d+ (s|min)\b)?", "TIME"),
    (r"(?<=hunt )[0-9a-f]{8}\b|(?<=hunts/)[0-9a-f]{8}\b|(?<=status )[0-9a-f]{8}\b", "HUNT"),
)


@dataclass(frozen=True)
class Sources:
    """Repositories to be wrong about."""

    folder: Path
    main: Repository

    @property
    def places(self) -> dict[str, str]:
        """What the recipes call them."""
        return {
            "SOURCE": str(self.main.path),
            "EMPTY": str(self.folder / "empty"),
            "FOLDER": str(self.folder / "folder"),
        }


@pytest.fixture(scope="session")
def sources(workshop: Callable[[str], Making]) -> Sources:
    """Eight commits; the fifth broke it. `elsewhere` shares no history with them."""
    making = workshop("mistakes")
    build = "def build_editable(*words: object) -> str:\n    raise SystemExit('no compiler here')\n"
    backend = "[build-system]\nrequires = []\nbuild-backend = 'build'\nbackend-path = ['.']\n"
    module = {"tool/__init__.py": "", "build.py": build, "pyproject.toml": backend}
    made = making.repository("1..8; 11..12", culprit=5, files={1: module, 4: {"docs/news": "4\n"}})
    made.branch("elsewhere", 12)
    made.branch("main", 8)
    for name, number in (("v1.0", 1), ("v2.0", 8), ("alpha-3.0", 2), ("beta-3.0", 3)):
        made.tag(name, number)
    making.empty("empty")
    (making.folder / "folder").mkdir()
    return Sources(making.folder, made)


@dataclass(frozen=True)
class User:
    """Stands in a folder of their own; home and state directory are theirs alone."""

    folder: Path
    sources: Sources

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def here(self) -> Path:
        return self.folder / "here"

    @property
    def machine(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder / "home"),
            "LANG": "C.UTF-8",
            "BISECTOR_STATE": str(self.state),
        }

    def writes(self, name: str, recipe: str | Mapping[str, str | None]) -> None:
        """A text as it is, or the sound recipe with some keys changed; None takes one away."""
        if not isinstance(recipe, str):
            keys: dict[str, str | None] = {**SOUND, **recipe}
            recipe = "".join(f"{key}: {value}\n" for key, value in keys.items() if value is not None)
        for word, place in self.sources.places.items():
            recipe = recipe.replace(word, place)
        (self.here / name).write_text(recipe, encoding="utf-8")

    def begins(self, command: str, **more: str) -> subprocess.Popen[str]:
        """The command, running."""
        return subprocess.Popen(
            _argv(command),
            cwd=self.here,
            env={**self.machine, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def gets(
        self,
        command: str,
        status: int,
        golden: str,
        *,
        inside: Sequence[str] = (),
        stdin: str = "",
        stdout: int | IO[str] = subprocess.PIPE,
        **more: str,
    ) -> None:
        """The command ends with this status and says what the golden file holds; nothing is begun by a mistake."""
        hunts = self.hunts()
        ended = subprocess.run(
            [*inside, *_argv(command)],
            cwd=self.here,
            env={**self.machine, **more},
            input=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            timeout=180,
            check=False,
        )
        said = f"$ {command}\nexit status {ended.returncode}\n"
        said += f"--- stdout\n{ended.stdout or ''}--- stderr\n{ended.stderr}"
        assert "Traceback" not in ended.stderr, ended.stderr
        assert "defect" not in ended.stderr, ended.stderr
        agree(golden, self.normalised(said))
        assert ended.returncode == status, said
        if status == 2:
            assert self.hunts() == hunts, "a hunt was begun by mistake"

    def hunts(self) -> set[str]:
        """What is on record or has a folder."""
        folder = self.state / "hunts"
        found = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        records = self.state / "records.sqlite3"
        if records.is_file() and records.read_bytes().startswith(b"SQLite"):
            with closing(sqlite3.connect(records)) as database:
                found |= {row[0] for row in database.execute("SELECT id FROM hunts")}
        return found

    def normalised(self, said: str) -> str:
        """Without what is another one next time."""
        names = {
            **{place: word for word, place in self.sources.places.items()},
            str(self.here): "HERE",
            str(self.state): "STATE",
            str(self.folder): "TMP",
            str(self.sources.folder): "TMP",
        }
        for place, word in names.items():
            said = said.replace(place, word)
        for number, sha in self.sources.main.shas.items():
            said = re.sub(rf"\b{sha[:8]}[0-9a-f]*", f"COMMIT-{number}", said)
        for pattern, word in _UNSTABLE:
            said = re.sub(pattern, word, said)
        return said


@pytest.fixture
def user(tmp_path: Path, sources: Sources) -> User:
    for name in ("here", "home"):
        (tmp_path / name).mkdir()
    return User(tmp_path, sources)


def _argv(command: str) -> Sequence[str]:
    program, *rest = shlex.split(command)
    assert program == "bisector"
    return [sys.executable, "-m", "bisector", *rest]


def agree(golden: str, said: str) -> None:
    """The golden file says the same, to the last character."""
    path = GOLDEN / f"{golden.replace(' ', '-')}.txt"
    if os.environ.get("BISECTOR_GOLDEN") == "write":
        path.write_text(said, encoding="utf-8")
    assert said == path.read_text(encoding="utf-8"), (
        f"{path.name}: BISECTOR_GOLDEN=write takes what is said now"
    )
