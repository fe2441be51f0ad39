"""Small projects whose numbers change at one commit, hunted through the real command."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bisector.cli.guard import guarded

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

Sources = Callable[[int], str]
"""The module `lib` of the commit with this number."""


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

    def trials(self, number: int) -> Sequence[Mapping[str, Any]]:
        return [one for one in self.report["trials"] if one["commit"] == self.project[number]]

    def said(self, number: int) -> str:
        """What was last concluded of a commit, and why."""
        last = self.trials(number)[-1]
        return f"{last['verdict']}: {last['reason']}"


@dataclass(frozen=True)
class Laboratory:
    """Makes projects and hunts in them; hunts of one test share a state directory."""

    folder: Path
    making: Making
    capture: pytest.CaptureFixture[str]

    def project(self, last: int, lib: Sources) -> Repository:
        """Commits 1 to `last` in a line; each adds a note, `lib` changes where the source says so."""
        made = self.making.empty()
        made.grow(f"1..{last}", lambda number: {"lib.py": lib(number), f"notes/{number}": ""})
        return made

    def hunt(self, project: Repository, script: str, verdict: str, *more: str) -> Hunted:
        """From the first commit to the last."""
        last = max(project.shas)
        recipe = [
            f"repo: {project.path}",
            f"old: {project[1]}",
            f"new: {project[last]}",
            "install: {mode: pythonpath, module: lib}",
            f"repro: {{python: {json.dumps(script)}}}",
            f"verdict: {{{verdict}}}",
            *more,
        ]
        path = self.folder / "recipe.yaml"
        path.write_text("\n".join(recipe) + "\n")
        self.capture.readouterr()
        status = guarded(["run", str(path), "--state", str(self.folder / "state"), "--json"])
        told = self.capture.readouterr()
        assert "Traceback" not in told.err
        return Hunted(status, told.err, json.loads(told.out) if told.out else None, project)


@pytest.fixture
def laboratory(tmp_path: Path, making: Making, capsys: pytest.CaptureFixture[str]) -> Laboratory:
    return Laboratory(tmp_path, making, capsys)
