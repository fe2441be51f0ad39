"""What left Python's library, held against every Python of this machine."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from bisector.environments.interpreters import Interpreter, Interpreters
from bisector.oracles import departed as module
from bisector.oracles.departed import Departed, Dropped, departed

ASKS = """\
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
def has(what):
    name, _, attribute = what.partition(".")
    try:
        return not attribute or hasattr(importlib.import_module(name), attribute)
    except ImportError:
        return False
def imports(name):
    try:
        return "site-packages" not in str(getattr(importlib.import_module(name), "__file__", ""))
    except ImportError:
        return False
print(json.dumps({what: has(what) if "." in what else imports(what) for what in json.loads(sys.argv[1])}))
"""
NOT_EVERYWHERE = {"crypt", "msilib", "nis", "ossaudiodev", "spwd", "distutils"}
"""A Python may have been built without, or is on another system; setuptools lays its own distutils over the other."""


@pytest.mark.parametrize("python", Interpreters(os.environ).list_all(), ids=lambda one: one.version)
def test_the_table_is_right(python: Interpreter) -> None:
    asked = sorted(module._SINCE.keys() - NOT_EVERYWHERE)
    said = subprocess.run(
        [python.path, "-I", "-c", ASKS, json.dumps(asked)], capture_output=True, text=True, check=True
    )
    has = json.loads(said.stdout)
    assert {what for what in asked if has[what]} == {
        what for what in asked if python.minor < (3, module._SINCE[what])
    }


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("ModuleNotFoundError: No module named 'cgi'", Departed("cgi", 13)),
        ("cannot import name 'Mapping' from 'collections' (/x.py)", Departed("collections.Mapping", 10)),
        ("AttributeError: module 'time' has no attribute 'clock'", Departed("time.clock", 8)),
        ("ModuleNotFoundError: No module named 'pkg_resources'", Dropped("pkg_resources", 82)),
        ("ModuleNotFoundError: No module named 'numpy'", None),
        ("cannot import name 'old' from 'collections'", None),
    ],
)
def test_what_python_says(said: str, gone: Departed | Dropped | None) -> None:
    assert departed(said) == gone


def test_the_hint_names_the_setuptools_that_has_it() -> None:
    assert "`setuptools<82` among `dependencies.requirements`" in Dropped("pkg_resources", 82).hint


def test_the_hint_names_the_last_python_that_has_it() -> None:
    assert Departed("cgi", 13).hint.startswith('cgi left Python with 3.13: `python: "3.12"`')
