"""A project is built while the packages that it needs are laid out, where they are known without the build."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bisector.caps import choose, survey
from bisector.environments import Place, Ready
from bisector.model import InstallMode, Limits, Stage, Untestable

from .conftest import PROJECT, Lab, make_wheel
from .test_caged import Caged

WAITS = """
import glob, time
for _ in range(200):
    if glob.glob({layers!r} + "/*/lib/python*/site-packages/dep/__init__.py"):
        break
    time.sleep(0.1)
else:
    raise SystemExit("nothing was laid out meanwhile")
"""
STATIC = '\n[project]\nname = "proj"\nversion = "1"\ndependencies = ["dep"]\n'
DYNAMIC = '\n[project]\nname = "proj"\nversion = "1"\ndynamic = ["dependencies"]\n'


def waiting(lab: Lab, table: str = "") -> dict[str, str]:
    """A project whose build ends when the layer of its dependency is there, or fails."""
    waits = WAITS.format(layers=str(lab.root / "state" / "layers"))
    pyproject = PROJECT["pyproject.toml"] + table
    return {**PROJECT, "backend.py": PROJECT["backend.py"] + waits, "pyproject.toml": pyproject}


def test_what_the_recipe_names(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    ready = lab.ready(lab.repo.commit(waiting(lab)), declared=False, requirements=("dep",))
    assert lab.say(ready, "import dep, proj; print(dep.version, proj.value)") == "1 1"


def test_what_the_project_says_without_a_build(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    tree = {**waiting(lab, STATIC), "REQUIRES": "dep\n"}
    assert lab.say(lab.ready(lab.repo.commit(tree)), "import dep; print(dep.version)") == "1"


def test_what_only_the_build_says_is_laid_out_after_it(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    tree = {**PROJECT, "pyproject.toml": PROJECT["pyproject.toml"] + DYNAMIC, "REQUIRES": "dep\n"}
    assert lab.say(lab.ready(lab.repo.commit(tree)), "import dep; print(dep.version)") == "1"


@pytest.mark.parametrize("broken", [True, False])
def test_what_is_in_the_way_of_either_is_said_as_ever(lab: Lab, broken: bool) -> None:
    """Where both fail, the build's own word counts: it comes first."""
    commit = lab.repo.commit({**PROJECT, **({"BROKEN": ""} if broken else {})})
    for _ in range(2):
        failed = lab.prepare(commit, declared=False, requirements=("missing",))
        assert isinstance(failed, Untestable)
        assert failed.stage is Stage.INSTALL
        assert ("this tree is broken" in failed.reason) is broken
        assert ("missing" in failed.reason) is not broken
    assert not [*lab.root.glob("scratch*/trial-beside/*")]


SLOW = """
import os, time, zipfile
here = {here!r}
META = "Metadata-Version: 2.1\\nName: slow\\nVersion: 1\\n"
WHEEL = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
{helpers}
def build_wheel(folder, config_settings=None, metadata_directory=None):
    {step}
    with zipfile.ZipFile(os.path.join(folder, "slow-1-py3-none-any.whl"), "w") as archive:
        archive.writestr("slow.py", "version = '1'")
        for name, text in (("METADATA", META), ("WHEEL", WHEEL), ("RECORD", "")):
            archive.writestr("slow-1.dist-info/" + name, text)
    return "slow-1-py3-none-any.whl"
"""
SOURCE = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "slow"
version = "1"
"""
MEET = """
def meets(own, other):
    \"\"\"Whether the other one is at work, given a while to begin; who was here before finds itself alone.\"\"\"
    first = not os.path.exists(here + "/" + own)
    open(here + "/" + own, "w").close()
    for _ in range(200 if first else 1):
        if first and os.path.exists(here + "/" + other):
            return True
        time.sleep(0.1)
    return False
"""


def source_archive(lab: Lab, step: str) -> None:
    """`slow`, which there is as source alone; `step` is done when it is built."""
    backend = SLOW.format(here=str(lab.root), helpers=MEET, step=step)
    told = "Metadata-Version: 2.1\nName: slow\nVersion: 1\n"
    with tarfile.open(lab.wheels / "slow-1.tar.gz", "w:gz") as archive:
        for name, text in {"pyproject.toml": SOURCE, "backend.py": backend, "PKG-INFO": told}.items():
            info = tarfile.TarInfo(f"slow-1/{name}")
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))


def building(lab: Lab, step: str) -> dict[str, str]:
    """A project; `step` is done when it is built."""
    helpers = f"import os, time\nhere = {str(lab.root)!r}\n{MEET}"
    build = PROJECT["backend.py"].replace(
        'if os.path.exists("BROKEN"):', f'{step}\n    if os.path.exists("BROKEN"):'
    )
    return {**PROJECT, "backend.py": helpers + build}


@pytest.mark.parametrize("which", ["project", "package"])
def test_a_build_that_fails_beside_another_one_is_made_again_alone(lab: Lab, which: str) -> None:
    """Of memory, say, or of a port: other releases would have been taken for it."""
    fails = 'if meets({!r}, {!r}): raise SystemExit("not alone")'
    meets = "meets({!r}, {!r})"
    source_archive(lab, (fails if which == "package" else meets).format("package", "project"))
    tree = building(lab, (fails if which == "project" else meets).format("project", "package"))
    commit = lab.repo.commit(tree)
    for _ in range(2):
        ready = lab.ready(commit, declared=False, requirements=("slow",))
        assert ready.facts.rungs == ()
    assert "not alone" in (lab.root / "log").read_text()


def test_the_second_build_finds_what_the_first_one_found(lab: Lab, wheel: Callable[..., Path]) -> None:
    """Folders that the first one made and files that it changed are as they were."""
    wheel("dep", "1")
    fails = f"mkdir {lab.root}/once && exit 1"
    steps = ("mkdir out", "sed -i s/1/2/ proj/__init__.py", f"test -e {lab.root}/once || {{ {fails}; }}")
    commit = lab.repo.commit(PROJECT)
    for _ in range(2):
        more = {"declared": False, "requirements": ("dep",), "build": steps}
        ready = lab.ready(commit, InstallMode.PYTHONPATH, **more)
        assert ready.facts.rungs == ()
        assert (lab.repo.tree / "proj/__init__.py").read_text() == "value = 2\n"
        lab.open()
    assert (lab.root / "once").exists()


def test_what_is_in_the_way_of_packages_that_nobody_needs_is_no_matter(
    lab: Lab, wheel: Callable[..., Path]
) -> None:
    """The project says one thing, its build another: the build is right."""
    wheel("dep", "1", files={"dep.pth": "import sys; sys.exit('no Python starts with this')\n"})
    commit = lab.repo.commit({**PROJECT, "pyproject.toml": PROJECT["pyproject.toml"] + STATIC})
    assert lab.say(lab.ready(commit), "import proj; print(proj.value)") == "1"


def test_a_build_that_fails_waits_for_nothing(lab: Lab) -> None:
    source_archive(lab, 'time.sleep(60); open(here + "/through", "w").close()')
    commit = lab.repo.commit({**PROJECT, "BROKEN": ""})
    failed = lab.prepare(commit, declared=False, requirements=("slow",))
    assert isinstance(failed, Untestable)
    assert "this tree is broken" in failed.reason
    assert not (lab.root / "through").exists()


ATTACK = """
import os
top = os.environ.get("HOME", "")
while len(top) > 1 and not os.path.basename(top).startswith("scratch"):
    top = os.path.dirname(top)
for folder, _, _ in os.walk(top) if len(top) > 1 else ():
    try:
        open(os.path.join(folder, "attack"), "w").close()
    except OSError:
        pass
"""


def test_packages_cannot_write_where_others_work(lab: Lab) -> None:
    """Their code runs whenever Python starts; what is compiled and installed meanwhile goes to other hunts too."""
    files = {"evil.pth": "import evil_attack\n", "evil_attack.py": ATTACK}
    make_wheel(lab.wheels, "evil", "1", files=files)
    commit = lab.repo.commit(PROJECT)
    lab.repo.checkout(commit)
    place = in_the_sandbox(lab)
    request = lab.request(commit, InstallMode.PYTHONPATH, declared=False, requirements=("evil",))
    ready = lab.open(guarded=True).prepare(request, place)
    assert isinstance(ready, Ready), ready
    assert lab.current.prove(ready, place) is None
    assert not [*lab.root.rglob("attack")]


def in_the_sandbox(lab: Lab) -> Place:
    cage = choose(survey(os.environ["PATH"]), Limits(), sandbox=True, best_effort=False)
    place = lab.place()
    assert place.beside is not None
    runners = [Caged(cage, lab.root / f"caged-{number}.log") for number in range(2)]
    return replace(place, runner=runners[0], beside=replace(place.beside, runner=runners[1]))
