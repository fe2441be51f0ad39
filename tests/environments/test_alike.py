"""Bytecode of packages that another layer holds as well: taken from there, and never what a package brought."""

from __future__ import annotations

import errno
import importlib.util
import marshal
import os
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bisector.environments import Interpreters, Ready, alike

from .conftest import PROJECT, Lab, make_wheel

SUFFIX = f".{sys.implementation.cache_tag}.pyc"
MODULES = {f"dep/m{number}.py": f"value = {number}\n" for number in range(5)}
DEP = {"dep/__init__.py": "value = 'as its source says'\n", **MODULES}
POISON = "value = 'as its bytecode says'\n"
SAY = "import dep; print(dep.value)"


def bytecode(lab: Lab, ready: Ready) -> dict[str, int]:
    """The compiled modules of `dep`, each with what makes it one file."""
    folder = Path(lab.say(ready, "import dep; print(dep.__path__[0])")) / "__pycache__"
    return {path.name.partition(".")[0]: path.stat().st_ino for path in folder.iterdir()}


def poison(source: Path) -> bytes:
    """Bytecode that says to be of this very file, and is of another source."""
    status = source.stat()
    header = (0, int(status.st_mtime) & 0xFFFFFFFF, status.st_size)
    packed = b"".join(number.to_bytes(4, "little") for number in header)
    return importlib.util.MAGIC_NUMBER + packed + marshal.dumps(compile(POISON, "dep.py", "exec"))


@pytest.fixture
def project(lab: Lab, wheel: Callable[..., Path]) -> str:
    wheel("dep", "1", files=DEP)
    wheel("other", "1")
    return lab.repo.commit(PROJECT)


def test_what_another_layer_has_is_not_compiled_again(lab: Lab, project: str) -> None:
    lab.open(guarded=True)
    first = bytecode(lab, lab.ready(project, requirements=("dep",)))
    ready = lab.ready(project, requirements=("dep", "other"))
    assert bytecode(lab, ready) == first
    assert set(first) == {"__init__", *(f"m{number}" for number in range(5))}
    there = Path(lab.say(ready, "import other; print(other.__path__[0])"))
    assert [path.name for path in (there / "__pycache__").iterdir()] == [f"__init__{SUFFIX}"]
    assert lab.say(ready, SAY) == "as its source says"


def test_another_release_is(lab: Lab, project: str) -> None:
    lab.open(guarded=True)
    lab.ready(project, requirements=("dep", "other"))
    make_wheel(lab.wheels, "dep", "2", files={**DEP, "dep/__init__.py": "value = 'two'\n"})
    ready = lab.ready(project, requirements=("dep>1", "other"))
    assert lab.say(ready, SAY) == "two"


def test_what_runs_could_write_to_lends_nothing(lab: Lab, project: str) -> None:
    lab.open(guarded=False)
    first = bytecode(lab, lab.ready(project, requirements=("dep",)))
    for guarded in (False, True):
        lab.open(guarded=guarded)
        second = bytecode(lab, lab.ready(project, requirements=("dep", "other")))
        assert first.keys() == second.keys()
        assert not set(first.values()) & set(second.values())


def test_what_cannot_be_lent_is_compiled(lab: Lab, project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the other layer is evicted in this moment, or a file has as many links as it can have."""
    lab.open(guarded=True)
    first = bytecode(lab, lab.ready(project, requirements=("dep",)))

    def refuse(*asked: object) -> None:
        raise OSError(errno.EMLINK, "Too many links")

    monkeypatch.setattr(alike, "_link", refuse)
    second = bytecode(lab, lab.ready(project, requirements=("dep", "other")))
    assert first.keys() == second.keys()
    assert not set(first.values()) & set(second.values())


def test_bytecode_that_a_package_brought_is_not_believed(lab: Lab, project: str) -> None:
    """Neither where it lies, nor by a layer that does not have that package at all."""
    lab.open(guarded=True)
    source = Path(lab.say(lab.ready(project, requirements=("dep",)), "import dep; print(dep.__file__)"))
    with zipfile.ZipFile(make_wheel(lab.wheels, "evil", "1"), "a") as archive:
        archive.writestr(f"dep/__pycache__/__init__{SUFFIX}", poison(source))
    shutil.rmtree(lab.root / "state" / "layers")
    lab.open(guarded=True)
    for requirements in (("dep", "evil"), ("dep",)):
        assert lab.say(lab.ready(project, requirements=requirements), SAY) == "as its source says"


def test_bytecode_that_is_no_source_s_stays(lab: Lab, wheel: Callable[..., Path]) -> None:
    """What no import would take for a module's own may be the package's way to bring something."""
    odd = {"dep/__pycache__/kept.txt": "1", f"dep/__pycache__/gone{SUFFIX}": "2", "dep/data/__pycache__": "3"}
    wheel("dep", "1", files={"dep/__init__.py": "", **odd})
    wheel("other", "1")
    lab.open(guarded=True)
    for requirements in (("dep",), ("dep", "other")):
        ready = lab.ready(lab.repo.commit(PROJECT), requirements=requirements)
        folder = Path(lab.say(ready, "import dep; print(dep.__path__[0])"))
        assert {name: (folder.parent / name).read_text() for name in odd} == odd


@pytest.mark.parametrize(
    ("name", "goes"),
    [
        ("m.cpython-311.pyc", True),
        ("m.cpython-311.opt-1.pyc", True),
        ("with.dots.cpython-311.pyc", True),
        ("linked.cpython-311.pyc", True),
        ("other.cpython-311.pyc", False),
        ("m.cpython-311.nbi", False),
        ("m.txt", False),
    ],
)
def test_what_is_thrown_away(tmp_path: Path, name: str, goes: bool) -> None:
    (tmp_path / "__pycache__").mkdir()
    for source in ("m.py", "with.dots.py"):
        (tmp_path / source).write_text("")
    (tmp_path / "linked.py").symlink_to("m.py")
    (tmp_path / "__pycache__" / name).write_text("")
    alike.forget(tmp_path)
    assert (tmp_path / "__pycache__" / name).exists() is not goes


def test_a_lender_is_neither_thrown_away_nor_kept(lab: Lab, project: str) -> None:
    """Another hunt runs in it; whether it is still what was published, that hunt will see for itself."""
    first = lab.open(guarded=True)
    ready = lab.ready(project, requirements=("dep",))
    [key] = [one.key for one in first.holdings() if one.key.startswith("packages")]
    second = lab.open(guarded=True)
    lab.ready(project, requirements=("dep", "other"))
    first.close()
    assert [one.in_use for one in second.holdings() if one.key == key] == [False]
    os.utime(Path(lab.say(ready, "import dep; print(dep.__file__)")))
    lab.open(guarded=True)
    make_wheel(lab.wheels, "third", "1")
    lab.ready(project, requirements=("dep", "third"))
    assert lab.say(ready, SAY) == "as its source says"


def test_another_interpreter_compiles_for_itself(lab: Lab, project: str) -> None:
    """Patch releases mend compilers, and share the number that bytecode bears."""
    alike_to_us = [
        one
        for one in Interpreters(lab.environ).list_all()
        if one.minor == sys.version_info[:2] and one.path != Path(sys.executable).resolve()
    ]
    if not alike_to_us:
        pytest.skip(f"no second Python {sys.version_info[0]}.{sys.version_info[1]} is here")
    lab.open(guarded=True)
    first = bytecode(lab, lab.ready(project, requirements=("dep",)))
    other = str(alike_to_us[-1].path)
    second = bytecode(lab, lab.ready(project, python=other, requirements=("dep", "other")))
    assert not set(first.values()) & set(second.values())


def test_no_link_is_followed(tmp_path: Path) -> None:
    site, other, outside = (tmp_path / name for name in ("site", "other", "outside"))
    for folder in (site / "dep", other / "dep" / "__pycache__", outside):
        folder.mkdir(parents=True)
    (other / "dep" / "m.py").write_text("")
    (other / "dep" / "__pycache__" / f"m{SUFFIX}").write_text("made")
    os.link(other / "dep" / "m.py", site / "dep" / "m.py")
    (site / "dep" / "__pycache__").symlink_to(outside)
    alike.forget(site)
    alike.lend(site, other, SUFFIX)
    assert not [*outside.iterdir()]
    (site / "dep" / "__pycache__").unlink()
    (other / "dep").rename(tmp_path / "elsewhere")
    (other / "dep").symlink_to(tmp_path / "elsewhere")
    alike.lend(site, other, SUFFIX)
    assert not (site / "dep" / "__pycache__").exists()
    (other / "dep").unlink()
    (tmp_path / "elsewhere").rename(other / "dep")
    alike.lend(site, other, SUFFIX)
    assert (site / "dep" / "__pycache__" / f"m{SUFFIX}").read_text() == "made"
