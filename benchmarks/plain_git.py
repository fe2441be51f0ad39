"""The hunt without bisector: a shell script that does the same install and the same repro, and git alone."""

from __future__ import annotations

import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clock import run

SCRIPT = """#!/bin/sh
# A fresh virtualenv a commit, the commit's tree in front, the project importable, then the repro.
echo "$(git rev-parse BISECT_HEAD 2>/dev/null || git rev-parse HEAD)" >> {log}
rm -rf {environment}
{uv} venv --quiet --python {python} {environment} || exit 125
export PYTHONPATH="$PWD/src" PYTHONDONTWRITEBYTECODE=1
{environment}/bin/python -c 'import {module}' || exit 125
{environment}/bin/python {repro} || exit 1
"""


@dataclass(frozen=True, slots=True)
class Bisected:
    culprit: str
    seconds: float
    trials: int


def bisect(
    folder: Path, repository: Path, ends: tuple[str, str], module: str, python: str, repro: str
) -> Bisected:
    """Clone, start, run; the clone counts, as bisector's own mirror does in a hunt."""
    folder.mkdir()
    script, log = folder / "script.sh", folder / "trials.log"
    (folder / "repro.py").write_text(repro)
    uv = shlex.quote(str(Path(sys.executable).parent / "uv"))
    words = {"log": log, "environment": folder / "env", "repro": folder / "repro.py", "module": module}
    script.write_text(SCRIPT.format(uv=uv, python=shlex.quote(python), **words))
    script.chmod(0o755)
    began = time.perf_counter()
    clone = folder / "clone"
    run(["git", "clone", "--quiet", str(repository), str(clone)], folder)
    run(["git", "bisect", "start", ends[1], ends[0]], clone)
    run(["git", "bisect", "run", str(script)], clone)
    culprit = run(["git", "rev-parse", "refs/bisect/bad"], clone).strip()
    return Bisected(culprit, time.perf_counter() - began, len(log.read_text().split()))
