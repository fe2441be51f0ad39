"""`make test` leaves nothing of what the tests wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]


@pytest.mark.parametrize("workers", ["0", "1"])
def test_what_the_tests_wrote_goes_with_them(tmp_path: Path, workers: str) -> None:
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", workers, "--leave-nothing"]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    ran = subprocess.run([*argv, "tests/test_locks.py"], cwd=TOP, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    assert "passed" in ran.stdout
    assert not [*tmp_path.iterdir()]
