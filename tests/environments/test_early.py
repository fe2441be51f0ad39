"""Packages that the recipe alone names are found before there is a tree to install."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from bisector.environments.interpreters import Interpreter
from bisector.environments.naming import Served
from bisector.installers import Bench
from bisector.installers.port import Wanted
from bisector.model import InstallMode, Stage, Trouble, Untestable

from .conftest import PROJECT, Lab

PATIENCE = 20.0
SAYS = "import dep; print(dep.version)"


def early(lab: Lab, mode: InstallMode, **more: object) -> Callable[[], None] | None:
    asked: dict[str, object] = {"declared": False, "requirements": ("dep",), **more}
    return lab.current.early(lab.request("a" * 40, mode, **asked), lab.place())


def layers(lab: Lab) -> list[Path]:
    return [*lab.root.glob("state/layers/*/lib/python*/site-packages/dep")]


@pytest.mark.parametrize("mode", [InstallMode.PYTHONPATH, InstallMode.NONE])
def test_what_needs_no_tree_is_done_without_one(
    lab: Lab, wheel: Callable[..., Path], mode: InstallMode
) -> None:
    wheel("dep", "1")
    work = early(lab, mode)
    assert work is not None
    work()
    assert layers(lab)
    assert early(lab, mode) is None
    wheel("dep", "2")
    ready = lab.ready(lab.repo.commit(PROJECT), mode, declared=False, requirements=("dep",))
    assert lab.say(ready, SAYS) == "1"


@pytest.mark.parametrize(
    "more",
    [
        {"declared": True},
        {"python": None},
        {"python": "9.9"},
        {"exact": True},
        {"requirements": ()},
        {"build": ("true",)},
    ],
)
def test_what_needs_the_tree_is_left_to_it(
    lab: Lab, wheel: Callable[..., Path], more: dict[str, object]
) -> None:
    wheel("dep", "1")
    assert early(lab, InstallMode.PYTHONPATH, **more) is None


@pytest.mark.parametrize("mode", [InstallMode.EDITABLE, InstallMode.WHEEL])
def test_what_is_laid_out_beside_a_build_is_left_to_that(
    lab: Lab, wheel: Callable[..., Path], mode: InstallMode
) -> None:
    wheel("dep", "1")
    assert early(lab, mode) is None


def test_what_cannot_be_found_is_not_looked_for_twice(lab: Lab) -> None:
    """On a date, which is the user's word: no other releases are tried."""
    on = datetime(2024, 1, 1, tzinfo=timezone.utc)
    work = early(lab, InstallMode.PYTHONPATH, as_of=on)
    assert work is not None
    work()
    said = (lab.root / "log").read_text()
    assert "dep" in said
    failed = lab.prepare(
        lab.repo.commit(PROJECT), InstallMode.PYTHONPATH, declared=False, requirements=("dep",), as_of=on
    )
    assert isinstance(failed, Untestable)
    assert failed.stage is Stage.INSTALL
    assert (lab.root / "log").read_text() == said


@dataclass
class Silent:
    """An installer whose registry does not answer, and takes its time to find that out."""

    name = "silent"
    asked: int = 0
    begun: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def unavailable(self) -> str | None:
        return None

    def unfit(self, version: tuple[int, int]) -> str | None:
        return None

    def resolve(self, wanted: Wanted, bench: Bench) -> tuple[str, ...] | Untestable | Trouble:
        self.asked += 1
        self.begun.set()
        assert self.over.wait(PATIENCE)
        return Trouble("no answer")

    def install(self, python: Path, lines: tuple[str, ...], bench: Bench) -> Untestable | Trouble | None:
        raise AssertionError("nothing was resolved")


@pytest.mark.parametrize(("called_off", "alone"), [(False, True), (True, True), (False, False)])
def test_who_waited_while_a_registry_was_silent_does_not_wait_again(
    lab: Lab, called_off: bool, alone: bool
) -> None:
    """Who asks later does; and who waited for somebody that was called off, or had other work beside it."""
    registry = Silent()
    dependencies = lab.open(installers=(registry,)).dependencies
    interpreter = lab.current.interpreters.find(str(lab.request("a" * 40).python))
    assert isinstance(interpreter, Interpreter)
    request, first = lab.request("a" * 40), replace(lab.place(), keeps_failures=alone)
    served = Served(interpreter, registry)
    met: list[object] = []

    def ask() -> None:
        met.append(dependencies.lock(("dep",), None, served, request, lab.place()))

    before = threading.Thread(target=dependencies.lock, args=(("dep",), None, served, request, first))
    before.start()
    assert registry.begun.wait(PATIENCE)
    waiting = threading.Thread(target=ask)
    waiting.start()
    time.sleep(0.3)
    if called_off:
        first.cancelled.set()
    registry.over.set()
    for thread in (before, waiting):
        thread.join(PATIENCE)
    assert met == [Trouble("no answer")]
    often = 2 if called_off or not alone else 1
    assert registry.asked == often
    ask()
    assert registry.asked == often + 1


@dataclass
class Registry(Silent):
    """An installer that answers what it is told to, and says what it was asked with."""

    answer: tuple[str, ...] | Untestable | Trouble = ("dep==1",)
    wheels_only: list[bool] = field(default_factory=list)

    def resolve(self, wanted: Wanted, bench: Bench) -> tuple[str, ...] | Untestable | Trouble:
        if bench.offline:
            return Trouble("nothing is kept")
        self.wheels_only.append(bench.wheels_only)
        bench.log.write_text("asked\n")
        super().resolve(wanted, bench)
        return Trouble("called off") if bench.cancelled.is_set() else self.answer


@pytest.fixture
def registry(lab: Lab) -> Registry:
    found = Registry()
    lab.open(installers=(found,))
    return found


def ask_ahead(
    lab: Lab, stop: threading.Event | None = None, more: dict[str, object] | None = None
) -> threading.Thread:
    asked: dict[str, object] = {"declared": False, "requirements": ("dep",), **(more or {})}
    request = lab.request("", InstallMode.EDITABLE, **asked)
    thread = threading.Thread(target=lab.current.begin, args=(request, stop or threading.Event()))
    thread.start()
    return thread


def lock(lab: Lab, registry: Registry) -> object:
    """As the first trial does, once there is a repository."""
    interpreter = lab.current.interpreters.find(sys.executable)
    assert isinstance(interpreter, Interpreter)
    served, request = Served(interpreter, registry), lab.request("a" * 40)
    return lab.current.dependencies.lock(("dep",), None, served, request, lab.place())


def test_versions_that_the_recipe_decides_are_asked_for_before_there_is_a_hunt(
    lab: Lab, registry: Registry
) -> None:
    thread = ask_ahead(lab)
    assert registry.begun.wait(PATIENCE)
    threading.Timer(0.2, registry.over.set).start()
    assert lock(lab, registry) == ("dep==1",)
    assert registry.wheels_only == [True]
    assert (lab.root / "log").read_text() == "asked\n"
    assert [*lab.locks.recorded.values()] == [("dep==1",)]
    thread.join(PATIENCE)
    registry.answer = ("dep==2",)
    assert lock(lab, registry) == ("dep==1",)
    lab.locks.recorded.clear()
    assert lock(lab, registry) == ("dep==2",), "what was asked ahead serves one hunt"
    assert not [*lab.current.shelf.aside.iterdir()]
    assert [*lab.root.glob("state/layers/seed-*")], "pip is there as well"


@pytest.mark.parametrize(
    ("answer", "often"),
    [(Trouble("no answer"), 1), (Untestable(Stage.INSTALL, "no wheel"), 2)],
    ids=["a registry that is silent", "no wheel"],
)
def test_what_fails_ahead_is_met_again(
    lab: Lab, registry: Registry, answer: Untestable | Trouble, often: int
) -> None:
    """Source archives are looked at in the trial's cage alone; for a silent registry nobody waits twice."""
    registry.answer = answer
    thread = ask_ahead(lab)
    assert registry.begun.wait(PATIENCE)
    threading.Timer(0.2, registry.over.set).start()
    assert lock(lab, registry) == answer
    assert registry.wheels_only == [True, False][:often]
    thread.join(PATIENCE)


def test_who_was_called_off_ahead_answers_for_nobody(lab: Lab, registry: Registry) -> None:
    stop = threading.Event()
    thread = ask_ahead(lab, stop)
    assert registry.begun.wait(PATIENCE)
    stop.set()
    registry.over.set()
    thread.join(PATIENCE)
    assert lock(lab, registry) == ("dep==1",)
    assert registry.wheels_only == [True, False]


@pytest.mark.parametrize(
    "more",
    [{"declared": True}, {"python": None}, {"python": "9.9"}, {"exact": True}, {"requirements": ()}],
    ids=str,
)
def test_what_the_tree_decides_is_not_asked_ahead(
    lab: Lab, registry: Registry, more: dict[str, object]
) -> None:
    registry.over.set()
    ask_ahead(lab, more=more).join(PATIENCE)
    assert registry.asked == 0


def test_a_disk_that_takes_nothing_is_met_later(lab: Lab, registry: Registry) -> None:
    registry.over.set()
    lab.current.shelf.aside.parent.mkdir(exist_ok=True)
    lab.current.shelf.aside.write_text("a file in the way")
    request = lab.request("", InstallMode.EDITABLE, declared=False, requirements=("dep",))
    with pytest.raises(OSError):
        lab.current.begin(request, threading.Event())
    assert registry.asked == 0
    lab.current.shelf.aside.unlink()
    assert lock(lab, registry) == ("dep==1",)


def test_another_hunt_that_asks_is_not_waited_for(lab: Lab, registry: Registry) -> None:
    registry.over.set()
    with lab.current.shelf.desk("asking") as place:
        assert place is not None
        ask_ahead(lab).join(PATIENCE)
    assert registry.asked == 0
