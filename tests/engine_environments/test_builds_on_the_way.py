"""Builds that differ along a history: what they read decides, and whose module is imported is proven."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

from .conftest import FAILED, FOUND, PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engine_environments.conftest import Land

CULPRIT = 6
EDITABLE = "install: {mode: editable, build_requirements: [setuptools], module: proj}"

NATIVE_SETUP = """
from setuptools import Extension, setup
fast = Extension("proj.fast", ["native/deep/fast.c"], include_dirs=["elsewhere"])
setup(name="proj", version="1", packages=["proj"], ext_modules=[fast])
"""
NATIVE = """
#include <Python.h>
#include "value.h"
static PyObject *value(PyObject *self, PyObject *none) { return PyLong_FromLong(VALUE); }
static PyMethodDef methods[] = {{"value", value, METH_NOARGS, 0}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "fast", 0, -1, methods};
PyMODINIT_FUNC PyInit_fast(void) { return PyModule_Create(&module); }
"""


def test_an_extension_module_whose_header_lies_in_an_odd_place(land: Land) -> None:
    """Nothing but a header changes, that no Python file names; all other commits share one build."""
    project = land.project(
        "1..10",
        {
            1: {
                "setup.py": NATIVE_SETUP,
                "native/deep/fast.c": NATIVE,
                "elsewhere/value.h": "#define VALUE 1\n",
                "proj/__init__.py": "",
            },
            CULPRIT: {"elsewhere/value.h": "#define VALUE 2\n"},
        },
    )
    check = "import proj.fast; assert proj.fast.value() == 1, proj.fast.value()"
    hunted = land.hunt(project, EDITABLE, f"repro: python -c '{check}'")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def test_metadata_that_changes_with_no_build_file(land: Land) -> None:
    """The version is read from a module by setup.py, as old projects do."""
    setup = (
        "from setuptools import setup\nspace = {}\nexec(open('proj/release.py').read(), space)\n"
        "setup(name='proj', version=space['version'], packages=['proj'])\n"
    )
    files = {"setup.py": setup, "proj/__init__.py": "", "proj/release.py": "version = '1.0'\n"}
    project = land.project("1..10", {1: files, CULPRIT: {"proj/release.py": "version = '2.0'\n"}})
    check = 'import importlib.metadata as m; assert m.version("proj") == "1.0", m.version("proj")'
    hunted = land.hunt(project, EDITABLE, f"repro: python -c '{check}'")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def test_what_a_project_was_built_with_is_told_and_locked(land: Land) -> None:
    """Its first half is built by an older tool than its second; a newer one than both appears afterwards."""
    for version in ("1.0", "2.0"):
        land.publish("stamp", version)
    build = (
        '[build-system]\nrequires = ["setuptools", "stamp"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "proj"\nversion = "1"\n[tool.setuptools]\npackages = ["proj"]\n'
    )
    setup = "import stamp\nassert stamp.version[0] == {!r}\nfrom setuptools import setup\nsetup()\n"
    project = land.project(
        "1..10",
        {
            1: {
                "pyproject.toml": build,
                "setup.py": setup.format("1"),
                "proj/__init__.py": "def run(): pass\n",
            },
            3: {"setup.py": setup.format("2")},
            CULPRIT: {"proj/__init__.py": "def run(): raise KeyError('gone')\n"},
        },
    )
    first = land.hunt(
        project,
        "install: {mode: editable, module: proj}",
        f"pins: [{{before: {project[3]}, build_requirements: ['stamp<2']}}]",
    )
    assert (first.status, first.culprit) == (FOUND, CULPRIT), first.words
    built = first.report["environment"]["bad_build"]
    assert "stamp==2.0" in built
    assert [line.partition("==")[0] for line in built] == ["setuptools", "stamp"]
    assert "stamp==2.0" in land.say("report", first.report["hunt"], "--format", "md")[1]
    _, locked, _ = land.say("report", first.report["hunt"], "--format", "recipe")
    assert "stamp==1.0" in locked
    land.publish("stamp", "2.5")
    again = land.run(project, "# once more\n" + locked.replace("proj.run()", "proj.run( )"))
    assert (again.status, again.culprit) == (FOUND, CULPRIT), again.words
    assert again.report["environment"]["bad_build"] == built
    status, _, words = land.say("try", land.written(locked), project[1])
    assert status == 0, words
    assert "stamp==1.0" in words


def test_a_released_copy_of_the_project_is_an_error_and_no_verdict(land: Land) -> None:
    """The layer holds proj 9, and the folder that the recipe names holds no proj at all."""
    land.publish("proj", "9.0", "def run(): raise KeyError('gone')")
    project = land.project("1..10", {1: {"lib/README": "", "src/proj/__init__.py": "def run(): pass\n"}})
    hunted = land.hunt(
        project,
        "install: {mode: pythonpath, path: lib, module: proj}",
        "dependencies: {requirements: [proj]}",
    )
    assert hunted.status == FAILED, hunted.words
    assert "not the commit's own tree" in hunted.words
    assert hunted.report["culprit"] is None
    assert {one["verdict"] for one in hunted.report["trials"]} == {"error"}


def test_killed_in_the_middle_of_an_install(land: Land, tmp_path: Path) -> None:
    """The first build waits, half made, until bisector is gone; the second life builds anew."""
    begun, gone = tmp_path / "begun", tmp_path / "gone"
    setup = (
        "import pathlib, time\nfrom setuptools import setup\n"
        f"pathlib.Path({str(begun)!r}).touch()\n"
        f"while not pathlib.Path({str(gone)!r}).exists(): time.sleep(0.02)\n"
        "setup(name='proj', version='1', packages=['proj'])\n"
    )
    project = land.project(
        "1..10",
        {
            1: {"setup.py": setup, "proj/__init__.py": "def run(): pass\n"},
            CULPRIT: {"proj/__init__.py": "def run(): raise KeyError('gone')\n"},
        },
    )
    recipe = land.recipe(project, EDITABLE)
    first = land.begin(recipe)
    late = time.monotonic() + PATIENCE
    while not begun.exists() and first.poll() is None and time.monotonic() < late:
        time.sleep(0.02)
    first.kill()
    assert first.wait() == -signal.SIGKILL
    assert begun.exists()
    gone.touch()
    hunted = land.run(project, recipe)
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert list((land.state / "environments" / "aside").iterdir()) == []
