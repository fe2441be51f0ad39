"""Layers are made once, shared, held while used, evicted when not, and never half made."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bisector.environments.budget import bytes_below, fit, trim
from bisector.environments.layers import Layer, Shelf
from bisector.model import InstallMode, Stage, Trouble, Untestable

from .conftest import PROJECT, Lab

NEVER = threading.Event()


def fill(path: Path) -> None:
    (path / "file").write_text("x" * 10000)


def test_a_layer_is_made_once(tmp_path: Path) -> None:
    made: list[Path] = []

    def build(path: Path) -> None:
        made.append(path)
        fill(path)

    for shelf in (Shelf(tmp_path, guarded=True), Shelf(tmp_path, guarded=False)):
        for _ in range(2):
            layer = shelf.make("deps-1", build, NEVER)
            assert isinstance(layer, Layer)
            assert (layer.path / "file").exists()
        shelf.close()
    assert len(made) == 1


def test_two_at_once_make_one(tmp_path: Path) -> None:
    made: list[Path] = []
    begun, go = threading.Event(), threading.Event()

    def slowly(path: Path) -> None:
        made.append(path)
        begun.set()
        go.wait()
        fill(path)

    with ThreadPoolExecutor() as pool:
        shelves = [Shelf(tmp_path, guarded=True) for _ in range(4)]
        first = pool.submit(shelves[0].make, "deps-1", slowly, NEVER)
        begun.wait()
        others = [pool.submit(shelf.make, "deps-1", slowly, NEVER) for shelf in shelves[1:]]
        go.set()
        layers = [future.result() for future in [first, *others]]
    assert len(made) == 1
    assert all(layer == layers[0] for layer in layers)


def test_who_waits_for_another_can_be_cancelled(tmp_path: Path) -> None:
    begun, go, cancelled = threading.Event(), threading.Event(), threading.Event()

    def slowly(path: Path) -> None:
        begun.set()
        go.wait()

    with ThreadPoolExecutor() as pool:
        first = pool.submit(Shelf(tmp_path, guarded=True).make, "deps-1", slowly, NEVER)
        begun.wait()
        second = pool.submit(Shelf(tmp_path, guarded=True).make, "deps-1", fill, cancelled)
        cancelled.set()
        assert isinstance(second.result(), Trouble)
        go.set()
        first.result()


def test_what_failed_leaves_nothing(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, guarded=True)

    def fail(path: Path) -> Untestable:
        fill(path)
        return Untestable(Stage.INSTALL, "no")

    assert shelf.make("deps-1", fail, NEVER) == Untestable(Stage.INSTALL, "no")
    assert shelf.get("deps-1") is None
    assert list(shelf.aside.iterdir()) == []


def test_what_is_published_is_read_only_and_what_the_cache_owns_stays_as_it_is(tmp_path: Path) -> None:
    cached = tmp_path / "cached"
    cached.write_text("shared")
    cached.chmod(0o644)

    def build(path: Path) -> None:
        (path / "below").mkdir()
        for folder in (path, path / "below"):
            fill(folder)
            (folder / "file").chmod(0o755)
        (path / "below" / "shared").hardlink_to(cached)
        (path / "link").symlink_to(cached)

    layer = Shelf(tmp_path / "shelf", guarded=True).make("deps-1", build, NEVER)
    assert isinstance(layer, Layer)
    modes = {name: (layer.path / name).stat().st_mode & 0o777 for name in ("file", "below/file", "below")}
    assert modes == {"file": 0o555, "below/file": 0o555, "below": 0o555}
    assert cached.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("spoil", ["write", "delete", "add"])
def test_a_layer_that_was_tampered_with_is_made_anew(tmp_path: Path, spoil: str) -> None:
    first = Shelf(tmp_path, guarded=False)
    layer = first.make("deps-1", fill, NEVER)
    assert isinstance(layer, Layer)
    file = layer.path / "file"
    if spoil == "write":
        status = file.stat()
        file.chmod(0o644)
        file.write_text("y" * 10000)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    elif spoil == "delete":
        file.unlink()
    else:
        (layer.path / "more.pth").write_text("import evil")
    assert first.get("deps-1") is None
    again = first.make("deps-1", fill, NEVER)
    assert isinstance(again, Layer)
    assert (again.path / "file").read_text() == "x" * 10000
    assert [item.name for item in again.path.iterdir() if not item.name.startswith(".")] == ["file"]


def test_the_budget_evicts_the_least_used_and_never_what_is_held(tmp_path: Path) -> None:
    user, keeper = Shelf(tmp_path, guarded=True), Shelf(tmp_path, guarded=True)
    for number in range(4):
        assert isinstance(user.make(f"deps-{number}", fill, NEVER), Layer)
        moment = 1_000_000 + number
        os.utime(tmp_path / "locks" / f"deps-{number}.use", (moment, moment))
    user.close()
    keeper.hold("deps-0")
    assert [one.in_use for one in keeper.holdings()] == [True, False, False, False]
    size = keeper.holdings()[0].bytes
    freed = trim(user, bytes_below(tmp_path) - 2 * size)
    assert freed >= 2 * size
    assert [one.key for one in user.holdings()] == ["deps-0", "deps-3"]
    keeper.close()
    trim(user, 0)
    assert user.holdings() == ()


def test_what_fits_is_not_counted_again_until_something_is_made_or_less_is_allowed(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, guarded=True)
    plenty = 1 << 30

    def make(name: str) -> None:
        assert isinstance(shelf.make(name, fill, NEVER), Layer)
        shelf.close()

    make("deps-1")
    assert fit(shelf, plenty) == 0
    assert fit(shelf, 1) > 0, "less is allowed"
    assert shelf.holdings() == ()
    # Behind its back: who looked would find it.
    make("deps-2")
    shelf.grown.unlink()
    assert fit(shelf, 1) == 0
    make("deps-3")
    assert fit(shelf, 1) > 0
    assert shelf.holdings() == ()
    (tmp_path / "fits").write_text("rubbish")
    make("deps-4")
    shelf.grown.unlink()
    assert fit(shelf, 1) > 0


def test_a_hunt_after_everything_was_evicted(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    commit = lab.repo.commit(PROJECT)
    lab.ready(commit, requirements=("dep",))
    lab.current.close()
    lab.open()
    lab.current.fit(0)
    assert lab.current.holdings() == ()
    assert lab.say(lab.ready(commit, requirements=("dep",)), "import dep; print(dep.version)") == "1"


KILLED = """
import os, signal, sys, threading
from pathlib import Path
from bisector.environments.layers import Shelf

def build(path):
    (path / "half").write_text("made")
    os.kill(os.getpid(), signal.SIGKILL)

Shelf(Path(sys.argv[1]), guarded=True).make("deps-1", build, threading.Event())
"""


def test_killed_in_the_middle_of_a_build(tmp_path: Path) -> None:
    died = subprocess.run([sys.executable, "-c", KILLED, tmp_path])
    assert died.returncode == -signal.SIGKILL
    shelf = Shelf(tmp_path, guarded=True)
    assert shelf.get("deps-1") is None
    assert len(list(shelf.aside.iterdir())) == 1
    shelf.sweep()
    assert list(shelf.aside.iterdir()) == []
    layer = shelf.make("deps-1", fill, NEVER)
    assert isinstance(layer, Layer)
    assert not (layer.path / "half").exists()


def test_a_sweep_leaves_alone_what_is_being_made(tmp_path: Path) -> None:
    def build(path: Path) -> None:
        fill(path)
        Shelf(tmp_path, guarded=True).sweep()

    layer = Shelf(tmp_path, guarded=True).make("deps-1", build, NEVER)
    assert isinstance(layer, Layer)
    assert (layer.path / "file").exists()


ATTACK = """
import dep, pathlib, shutil, sys
for path in (pathlib.Path(dep.__file__), pathlib.Path(sys.prefix) / "gone"):
    path.parent.chmod(0o755)
    path.unlink(missing_ok=True)
    path.write_text("version = 'evil'")
shutil.rmtree([place for place in sys.path if place.endswith("site-packages")][0])
pathlib.Path("{tree}/proj/__init__.py").write_text("value = 'evil'")
"""


def test_attacks_of_a_repro_harm_its_own_trial_only(lab: Lab, wheel: Callable[..., Path]) -> None:
    """Without any cage, as an administrator: the worst case. The next trial gets a layer made anew."""
    wheel("dep", "1")
    commit = lab.repo.commit(PROJECT)
    for _ in range(2):
        victim = lab.ready(commit, InstallMode.EDITABLE, requirements=("dep",))
        assert lab.say(victim, "import dep, proj; print(dep.version, proj.value)") == "1 1"
        lab.say(victim, ATTACK.replace("{tree}", str(lab.repo.tree)))
    cached = list((lab.root / "state" / "downloads").rglob("dep/__init__.py"))
    assert cached
    assert all(path.read_text() == "version = '1'\n" for path in cached)


def test_nothing_in_a_layer_is_a_link_into_the_cache_unless_guarded(
    lab: Lab, wheel: Callable[..., Path]
) -> None:
    wheel("dep", "1")
    commit = lab.repo.commit(PROJECT)
    for guarded, links in ((False, 1), (True, 2)):
        shutil.rmtree(lab.root / "state", ignore_errors=True)
        lab.open(guarded=guarded)
        ready = lab.ready(commit, requirements=("dep",))
        file = Path(lab.say(ready, "import dep; print(dep.__file__)"))
        assert file.stat().st_nlink == links


def test_bytecode_is_made_once(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    ready = lab.ready(lab.repo.commit(PROJECT), requirements=("dep",))
    assert Path(lab.say(ready, "import dep; print(dep.__cached__)")).is_file()
