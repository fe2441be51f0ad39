"""Hunts whose project is built by each Python of this machine, with the newest setuptools that serves it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from bisector.environments import Interpreter, Interpreters

from .conftest import FOUND

if TYPE_CHECKING:
    from tests.engine_environments.conftest import Land

CULPRIT = 6
SETUP = """\
import pathlib
from setuptools import setup
here = pathlib.Path(__file__).resolve().parent
speaks = (here / "speaks.txt").read_text().strip()
setup(
    name="proj",
    version=(here / "RELEASE").read_text().strip(),
    packages=["proj"],
    package_data={"proj": ["*.txt"]},
    entry_points={"proj.plugins": ["says = proj:" + speaks]},
)
"""
PACKAGE = "def one(): return 1\ndef two(): return 2\n"
CHECK = """\
repro:
  python: |
    import configparser, glob, pkgutil, proj, sys
    [told] = {path for folder in sys.path for path in glob.glob(folder + "/proj*-info/entry_points.txt")}
    points = configparser.ConfigParser()
    points.read(told)
    name = points.get("proj.plugins", "says").split(":")[1]
    assert pkgutil.get_data("proj", "data.txt").split()[0] == b"data"
    assert getattr(proj, name)() == 1, name
"""


@pytest.mark.network
@pytest.mark.parametrize("mode", ["editable", "wheel"])
@pytest.mark.parametrize("python", Interpreters(os.environ).list_all(), ids=lambda one: one.version)
def test_an_entry_point_that_a_file_beside_setup_py_decides(
    online: Land, python: Interpreter, mode: str
) -> None:
    """Each commit changes what is read besides: in the build, or by the repro alone."""
    steps = {number: {"proj/data.txt": f"data {number}\n"} for number in range(2, 11)}
    steps |= {number: {"RELEASE": f"{number}.0\n"} for number in (3, 8)}
    steps[1] = {
        "setup.py": SETUP,
        "RELEASE": "1.0\n",
        "speaks.txt": "one\n",
        "proj/__init__.py": PACKAGE,
        "proj/data.txt": "data 1\n",
    }
    steps[CULPRIT] = {"speaks.txt": "two\n"}
    lines = (f"python: {python.path}", f"install: {{mode: {mode}, module: proj}}", CHECK)
    hunted = online.hunt(online.project("1..10", steps), *lines)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert {one["verdict"] for one in hunted.report["trials"]} == {"good", "bad"}
