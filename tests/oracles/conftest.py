"""Real interpreters, run on small scripts in a project of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bisector.model import Places, Run

RunPython = Callable[[str], Run]


def observed(command: list[str], cwd: Path, env: Mapping[str, str]) -> Run:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=60,
    )
    signal = -done.returncode if done.returncode < 0 else None
    return Run(
        exit_status=done.returncode if signal is None else None,
        signal=signal,
        stopped=None,
        seconds=0.1,
        cpu_seconds=0.1,
        peak_memory=None,
        output=done.stdout.decode("utf-8", "replace"),
        output_bytes=len(done.stdout),
    )


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A tree, a scratch directory; the paths hold no name that a rule of wording would also take."""
    for name in ("slot", "scratch"):
        (tmp_path / name).mkdir()
    return Places(tree=str(tmp_path / "slot"), scratch=str(tmp_path / "scratch"))


@pytest.fixture
def project(places: Places) -> Callable[[str, str], None]:
    """Writes a file of the project under test."""

    def write(name: str, text: str) -> None:
        path = Path(places.tree, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return write


@pytest.fixture
def run_python(places: Places) -> RunPython:
    """Runs a script in the scratch directory with the tree on the path."""

    def run(script: str) -> Run:
        repro = Path(places.scratch, "repro.py")
        repro.write_text(script)
        env = {"PYTHONPATH": places.tree, "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
        return observed([sys.executable, str(repro)], Path(places.scratch), env)

    return run


@pytest.fixture
def run_shell(places: Places) -> RunPython:
    def run(command: str) -> Run:
        env = {"PYTHONPATH": places.tree, "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
        return observed(["/bin/sh", "-c", command], Path(places.tree), env)

    return run
