"""What a shared layer holds of bytecode, whoever installed it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bisector.installers import Installer
from bisector.installers.pip import Pip
from bisector.installers.uv import find
from bisector.model import InstallMode

from .conftest import PROJECT, Lab, make_wheel

FILES = {
    "dep/__init__.py": "def fail(): raise KeyError('gone')\n",
    "dep/deep/more.py": "",
    "dep/old.py": "print 'not for this Python'\n",
    "dep/tests/test_dep.py": "value = 7\n",
}


@pytest.mark.parametrize("name", ["uv", "pip"])
def test_all_but_tests_is_compiled_and_says_where_it_lies(lab: Lab, name: str) -> None:
    installer: Installer = find(lab.environ) if name == "uv" else Pip()
    make_wheel(lab.wheels, "dep", "1", files=FILES)
    lab.open(installers=(installer,))
    ready = lab.ready(lab.repo.commit(PROJECT), requirements=("dep",))
    folder = Path(lab.say(ready, "import dep; print(dep.__path__[0])"))
    compiled = {str(path.relative_to(folder)).partition(".cpython")[0] for path in folder.rglob("*.pyc")}
    assert compiled == {"__pycache__/__init__", "deep/__pycache__/more"}
    assert f'File "{folder}/__init__.py", line 1, in fail' in lab.say(ready, "import dep; dep.fail()")
    assert lab.say(ready, "import dep.tests.test_dep as t; print(t.value)") == "7"


@pytest.mark.parametrize(
    ("mode", "guarded", "there"),
    [
        (InstallMode.WHEEL, True, True),
        (InstallMode.WHEEL, False, True),
        (InstallMode.EDITABLE, False, True),
        (InstallMode.EDITABLE, True, False),
    ],
)
def test_a_project_is_compiled_but_for_the_few_lines_that_lead_to_its_tree(
    lab: Lab, mode: InstallMode, guarded: bool, there: bool
) -> None:
    """Where runs could write bytecode into the layer, they find it there."""
    lab.open(guarded=guarded)
    leads = PROJECT["backend.py"].replace(
        '{"proj.pth": os.getcwd() + "\\n"}', '{"leads.py": "x = 1", "proj.pth": os.getcwd()}'
    )
    lab.ready(lab.repo.commit({**PROJECT, "backend.py": leads}), mode)
    made = [*lab.root.glob("state/layers/project-*/lib/python*/site-packages/**/*.pyc")]
    assert bool(made) is there
