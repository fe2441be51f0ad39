"""Repros that spoil what they can reach: the next trial is right all the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ..environments.conftest import make_wheel
from .conftest import FOUND

if TYPE_CHECKING:
    from tests.engine_environments.conftest import Land

CULPRIT = 6
ATTACKS = (
    "subprocess.run(['pip', 'install', '--no-index', '--no-deps', {evil!r}])",
    "attempt(pathlib.Path(proj.__file__), BROKEN)",
    "attempt(pathlib.Path(dep.__file__), BROKEN)",
    "attempt(pathlib.Path(dep.__file__).parents[1] / 'zz.pth', 'import sys; sys.exit(1)')",
    "[shutil.rmtree(p, ignore_errors=True) for p in sys.path if p.endswith('site-packages')]",
)
REPRO = """
import pathlib, shutil, subprocess, sys
BROKEN = "version = 'evil'\\ndef run(): raise ValueError('spoilt')\\n"
def attempt(path, text):
    try:
        path.parent.chmod(0o755)
        path.unlink(missing_ok=True)
        path.write_text(text)
    except OSError as refused:
        print("refused:", refused)
import dep, proj
assert dep.version == "1.0", "another trial's attack"
proj.run()
{attacks}
"""


@pytest.mark.parametrize("sandbox", ["--sandbox", "--no-sandbox"])
def test_attacks_harm_their_own_trial_only(land: Land, sandbox: str) -> None:
    """Every commit that works makes all attacks; were one to last, the commits after it would not work."""
    land.publish("dep", "1.0")
    evil = make_wheel(land.folder / "evil", "dep", "1.5")
    project = land.project(
        "1..10",
        {
            1: {"proj/__init__.py": "def run(): pass\n"},
            CULPRIT: {"proj/__init__.py": "def run(): raise KeyError('gone')\n"},
        },
    )
    attacks = "\n".join(ATTACKS).format(evil=str(evil))
    script = REPRO.format(attacks=attacks)
    recipe = land.recipe(
        project, "dependencies: {requirements: [dep]}", f"repro: {{python: {json.dumps(script)}}}"
    )
    status, out, words = land.say("run", land.written(recipe), "--json", sandbox)
    assert status == FOUND, words
    assert json.loads(out)["culprit"]["commit"] == project[CULPRIT]
