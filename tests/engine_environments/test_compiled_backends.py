"""Hunts through projects that other compilers than setuptools' build: editable, and built only when they must be."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.environments import loaders

from .conftest import FOUND

if TYPE_CHECKING:
    from tests.conftest import Repository
    from tests.engine_environments.conftest import Land

CULPRIT = 5
PROJECT = """\
[build-system]
requires = {requires}
build-backend = "{backend}"
[project]
name = "proj"
version = "3"
"""
C = """\
#include <Python.h>
static PyObject *say(PyObject *self, PyObject *nothing) {{ return PyLong_FromLong({answer}); }}
static PyMethodDef methods[] = {{{{"say", say, METH_NOARGS, ""}}, {{NULL, NULL, 0, NULL}}}};
static struct PyModuleDef module = {{PyModuleDef_HEAD_INIT, "_core", "", -1, methods}};
PyMODINIT_FUNC PyInit__core(void) {{ return PyModule_Create(&module); }}
"""
RUST = '#[no_mangle]\npub extern "C" fn say() -> i32 {{ {answer} }}\n'
BY_C = "from proj._core import say\ndef run(): assert say() == 1, say()\nnumber = {number}\n"
BY_CFFI = "from proj._core import lib\ndef run(): assert lib.say() == 1, lib.say()\nnumber = {number}\n"


@dataclass(frozen=True)
class Kind:
    tool: str
    files: Mapping[str, str]
    source: str
    code: str = C
    package: str = BY_C


KINDS = {
    "meson-python": Kind(
        "cc",
        {
            "pyproject.toml": PROJECT.format(requires='["meson-python"]', backend="mesonpy"),
            "meson.build": "project('proj', 'c', version: '3')\n"
            "py = import('python').find_installation(pure: false)\n"
            "py.install_sources('proj/__init__.py', subdir: 'proj')\n"
            "py.extension_module('_core', 'core.c', install: true, subdir: 'proj')\n",
        },
        "core.c",
    ),
    "scikit-build-core": Kind(
        "cmake",
        {
            "pyproject.toml": PROJECT.format(
                requires='["scikit-build-core"]', backend="scikit_build_core.build"
            ),
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.18)\nproject(proj LANGUAGES C)\n"
            "find_package(Python COMPONENTS Interpreter Development.Module REQUIRED)\n"
            "Python_add_library(_core MODULE core.c WITH_SOABI)\ninstall(TARGETS _core DESTINATION proj)\n",
        },
        "core.c",
    ),
    "maturin": Kind(
        "cargo",
        {
            "pyproject.toml": PROJECT.format(requires='["maturin>=1,<2", "cffi"]', backend="maturin")
            + 'dependencies = ["cffi"]\n[tool.maturin]\nbindings = "cffi"\nmodule-name = "proj._core"\n',
            "Cargo.toml": '[package]\nname = "proj"\nversion = "3.0.0"\nedition = "2021"\n'
            '[lib]\nname = "_core"\ncrate-type = ["cdylib"]\npath = "core.rs"\n',
            "Cargo.lock": 'version = 3\n\n[[package]]\nname = "proj"\nversion = "3.0.0"\n',
        },
        "core.rs",
        RUST,
        BY_CFFI,
    ),
}


MESON, CMAKE, MATURIN = (KINDS[name].files for name in KINDS)
SAYS_LIMIT = C.format(answer="LIMIT")
INCLUDES = {
    "meson: a header that sed makes of Python": (
        "cc",
        {
            **MESON,
            "meson.build": MESON["meson.build"]
            .replace("'core.c',", "'core.c', made,")
            .replace(
                "py.extension",
                "made = custom_target('made', input: 'limits.py', output: 'bounds.h',\n"
                "  command: ['sh', '-c', 'sed \"s/.*=/#define LIMIT /\" @INPUT@ > @OUTPUT@'])\npy.extension",
            ),
        },
        ("limits.py", "LIMIT={answer}\n"),
        ("core.c", '#include "bounds.h"\n' + SAYS_LIMIT, BY_C),
    ),
    "cmake: a hidden file": (
        "cmake",
        {
            **CMAKE,
            "CMakeLists.txt": CMAKE["CMakeLists.txt"]
            + 'file(READ .limit LIMIT)\nstring(STRIP "${LIMIT}" LIMIT)\n'
            "target_compile_definitions(_core PRIVATE LIMIT=${LIMIT})\n",
        },
        (".limit", "{answer}\n"),
        ("core.c", SAYS_LIMIT, BY_C),
    ),
    "cargo: a module of Python": (
        "cargo",
        MATURIN,
        ("helper.py", "{answer}\n"),
        (
            "core.rs",
            'static TEXT: &str = include_str!("helper.py");\n'
            + RUST.format(answer="TEXT.trim().parse().unwrap()"),
            BY_CFFI,
        ),
    ),
}
GIT_VERSION = """\
find_package(Git REQUIRED)
execute_process(COMMAND ${GIT_EXECUTABLE} rev-list --count HEAD
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE COUNT)
string(STRIP "${COUNT}" COUNT)
target_compile_definitions(_core PRIVATE COUNT=${COUNT})
"""


@pytest.mark.network
@pytest.mark.parametrize("what", INCLUDES)
def test_what_others_than_python_read_is_built_in(online: Land, what: str) -> None:
    """What is read changes at the culprit; two commits later the code changes that reads it."""
    tool, files, (place, text), (source, code, package) = INCLUDES[what]
    needs(tool)
    steps = {number: {"proj/__init__.py": package.format(number=number)} for number in range(1, 9)}
    steps[1] |= {**files, source: code, place: text.format(answer=1)}
    steps[CULPRIT] = {place: text.format(answer=7)}
    steps[CULPRIT + 2] |= {source: f"{code}/* touched */\n"}
    hunted = online.hunt(online.project("1..8", steps), "install: {mode: editable, module: proj}")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


@pytest.mark.network
def test_a_version_that_cmake_asks_git_for_is_the_commits_own(online: Land) -> None:
    needs("cmake")
    package = "from proj._core import say\ndef run(): assert say() < 5, say()\nnumber = {number}\n"
    steps = {number: {"proj/__init__.py": package.format(number=number)} for number in range(1, 9)}
    cmake = {**CMAKE, "CMakeLists.txt": CMAKE["CMakeLists.txt"] + GIT_VERSION}
    steps[1] |= {**cmake, "core.c": C.format(answer="COUNT")}
    hunted = online.hunt(online.project("1..8", steps), "install: {mode: editable, module: proj}")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words


def needs(tool: str) -> None:
    """CI installs what these builds need; elsewhere a test without its compiler is skipped."""
    if shutil.which(tool) is None:
        assert "CI" not in os.environ, f"there is no {tool}; .ci/run should have installed it"
        pytest.skip(f"there is no {tool} on this machine")


def history(land: Land, kind: Kind, more: Mapping[int, Mapping[str, str]]) -> Repository:
    """Each commit changes the package, none but the culprit what is compiled."""
    needs(kind.tool)
    steps = {number: {"proj/__init__.py": kind.package.format(number=number)} for number in range(1, 9)}
    steps[1] |= {**kind.files, kind.source: kind.code.format(answer=1)}
    steps[CULPRIT] = {kind.source: kind.code.format(answer=7)}
    return land.project(
        "1..8", {number: {**files, **more.get(number, {})} for number, files in steps.items()}
    )


@pytest.mark.network
@pytest.mark.parametrize("name", ["scikit-build-core", "maturin"])
def test_a_module_that_comes_on_the_way_can_be_imported(online: Land, name: str) -> None:
    kind = KINDS[name]
    package = "import proj.more\n" + kind.package
    later = {number: {"proj/__init__.py": package.format(number=number)} for number in (3, 4, 6, 7, 8)}
    project = history(online, kind, {**later, 3: {**later[3], "proj/more.py": ""}})
    hunted = online.hunt(project, "install: {mode: editable, module: proj}")
    assert (hunted.status, hunted.culprit) == (FOUND, CULPRIT), hunted.words
    assert {one["verdict"] for one in hunted.report["trials"]} == {"good", "bad"}


def is_built(layer: Path) -> bool:
    """Not turned from what was built in another tree."""
    said = json.loads((layer / ".tree").read_text())
    return bool(said["tree"] == said["built_in"])


@pytest.mark.network
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("sandbox", [False, True], ids=["as it is", "sandbox"])
def test_a_culprit_in_compiled_code_is_found_by_two_builds(online: Land, name: str, sandbox: bool) -> None:
    project = history(online, KINDS[name], {})
    asked = online.recipe(project, "install: {mode: editable, module: proj}")
    status, out, words = online.say("run", online.written(asked), *(["--sandbox"] if sandbox else []))
    assert status == FOUND, words
    assert f"{project[CULPRIT][:12]} is the first bad commit" in out
    layers = list(online.state.glob("environments*/layers/project-*"))
    assert len([*filter(is_built, layers)]) == 2
    assert not [path for layer in layers for path in layer.rglob("*") if path.suffix in (".o", ".rlib")]


LOADER = """\
def init():
    finder = MesonpyMetaFinder(
        'proj',
        {{'proj'}},
        '/tree/build/cp311',
        [{command}],
        False,
    )
    other = [ninja, 'ninja']
"""


@pytest.mark.parametrize("command", ["'/gone/bin/ninja'", '"/usr/bin/ninja-build", "-j4"', "'samu'"])
def test_what_would_build_at_import_does_nothing(tmp_path: Path, command: str) -> None:
    for name in ("_proj_editable_loader.py", "_other.py"):
        (tmp_path / name).write_text(LOADER.format(command=command))
    (tmp_path / "_x_editable_loader.py").mkdir()
    loaders.disarm(tmp_path)
    first, *more = command.split(", ")
    assert (tmp_path / "_proj_editable_loader.py").read_text() == LOADER.format(
        command=", ".join([repr(shutil.which("true")), *more])
    )
    assert first in (tmp_path / "_other.py").read_text()
