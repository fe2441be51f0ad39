"""What a registry will probably answer is laid out before it has; nobody gets anything else than its answer."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bisector.environments import Ready
from bisector.environments.layers import remove

from .conftest import PROJECT, Lab, make_wheel
from .registry import Registry

PATIENCE = 20.0
DEP = "import dep; print(dep.version)"


def ready(lab: Lab, commit: str, requirement: str = "dep") -> Ready:
    """For a recipe that alone says what there is to be."""
    return lab.ready(commit, declared=False, requirements=(requirement,))


def likely(lab: Lab) -> list[Path]:
    """What of it is installed."""
    return [*lab.root.glob("state/aside/*/likely/venv/lib/python*/site-packages/dep")]


def wait_for(what: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until
        time.sleep(0.01)


def installs(lab: Lab) -> list[str]:
    """What was installed for trials, as their log has it."""
    return [line for line in (lab.root / "log").read_text().splitlines() if " pip install " in line]


def hunt_anew(lab: Lab) -> None:
    """Another state directory; the installer's downloads are still there."""
    for opened in lab.environments:
        opened.close()
    remove(lab.root / "state")
    (lab.root / "log").unlink(missing_ok=True)
    lab.locks.recorded.clear()
    lab.open()


@pytest.fixture
def commit(lab: Lab, registry: Registry) -> str:
    """What is hunted; its packages have been downloaded."""
    lab.environ["UV_CACHE_DIR"] = str(lab.root / "downloads")
    make_wheel(registry.folder, "dep", "1")
    made = lab.repo.commit(PROJECT)
    ready(lab, made)
    hunt_anew(lab)
    return made


@contextmanager
def begun(lab: Lab) -> Iterator[threading.Thread]:
    """As the hunt begins, before there is a repository."""
    stop = threading.Event()
    request = lab.request("", declared=False, requirements=("dep",))
    thread = threading.Thread(target=lab.current.begin, args=(request, stop))
    thread.start()
    try:
        yield thread
    finally:
        stop.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()
    assert not [*lab.root.glob("state/aside/*")]


@contextmanager
def begun_and_laid_out(lab: Lab, registry: Registry) -> Iterator[threading.Thread]:
    """The registry takes its time until it is awake."""
    registry.awake.clear()
    with begun(lab) as thread:
        wait_for(lambda: likely(lab))
        yield thread


def test_what_is_likely_is_laid_out_while_the_registry_is_asked(
    lab: Lab, registry: Registry, commit: str
) -> None:
    with begun_and_laid_out(lab, registry) as thread:
        assert not [*lab.root.glob("state/layers/*/lib/python*/site-packages/dep")]
        registry.awake.set()
        assert lab.say(ready(lab, commit), DEP) == "1"
        [install] = installs(lab)
        assert "/likely/" in install
        thread.join(PATIENCE)
        assert not thread.is_alive(), "somebody has it: its place is not kept"
    [layer] = lab.root.glob("state/layers/*/lib/python*/site-packages/dep/..")
    assert not [*layer.parents[2].glob("pyvenv.cfg")]
    assert [*layer.glob("dep/__pycache__/*.pyc")], "it is compiled as any other"


def test_what_the_registry_answers_otherwise_is_what_counts(
    lab: Lab, registry: Registry, commit: str
) -> None:
    with begun_and_laid_out(lab, registry) as thread:
        make_wheel(registry.folder, "dep", "2")
        registry.awake.set()
        assert lab.say(ready(lab, commit), DEP) == "2"
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert not [line for line in installs(lab) if "/likely/" in line]


def test_what_is_no_longer_kept_is_fetched(lab: Lab, registry: Registry, commit: str) -> None:
    shutil.rmtree(lab.root / "downloads" / "archive-v0")
    with begun(lab):
        assert lab.say(ready(lab, commit), DEP) == "1"
    assert not installs(lab)[-1].endswith(" --offline")


def test_what_nobody_takes_goes_with_the_hunt(lab: Lab, registry: Registry, commit: str) -> None:
    with begun_and_laid_out(lab, registry) as thread:
        registry.awake.set()
        thread.join(1)
        assert thread.is_alive()


def test_where_the_registry_is_down_it_is_what_the_installer_falls_back_on(
    lab: Lab, registry: Registry, commit: str
) -> None:
    lab.environ["UV_HTTP_RETRIES"] = "0"
    with begun_and_laid_out(lab, registry):
        registry.broken = 1000
        registry.awake.set()
        assert lab.say(ready(lab, commit), DEP) == "1"
        [install] = installs(lab)
        assert "/likely/" in install


def test_a_layer_that_is_there_is_not_laid_out_again(lab: Lab, registry: Registry, commit: str) -> None:
    ready(lab, commit)
    lab.open()
    with begun(lab) as thread:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_a_set_that_belongs_to_another_layer_is_left(lab: Lab, registry: Registry, commit: str) -> None:
    make_wheel(registry.folder, "other", "1")
    with begun_and_laid_out(lab, registry):
        registry.awake.set()
        assert "No module named 'dep'" in lab.say(ready(lab, commit, "other"), DEP)
        assert likely(lab)
