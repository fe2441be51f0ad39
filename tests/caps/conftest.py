"""The cages of this machine, each rung of the ladder by itself, and a zoo of programs to put into them."""

from __future__ import annotations

import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bisector.caps import Cage, Confinement, Machine, survey
from bisector.caps.cgroups import Cgroups
from bisector.caps.procfs import is_alive
from bisector.caps.subreaper import Subreaper
from bisector.model import Limits, Run

MACHINE = survey(os.environ["PATH"])
MARK = "BISECTOR_TEST_ZOO"
ZOO = Path(__file__).parent / "zoo"


def every_cage() -> dict[str, Cage]:
    """Both fences, with the control groups that work here and without any."""
    groups = {"groups": MACHINE.cgroups} if MACHINE.cgroups.hierarchies else {}
    fences = {"subreaper": Subreaper(Path(sys.executable)), "bubblewrap": MACHINE.fence}
    return {
        f"{name}-{kind}": Cage(fence, found, MACHINE.py_spy)
        for name, fence in fences.items()
        if fence is not None and fence.name == name
        for kind, found in {**groups, "watchdog": Cgroups()}.items()
    }


CAGES = every_cage()


@pytest.fixture(params=list(CAGES.values()), ids=list(CAGES))
def cage(request: pytest.FixtureRequest) -> Cage:
    found = request.param
    assert isinstance(found, Cage)
    return found


@pytest.fixture
def cages() -> dict[str, Cage]:
    return CAGES


@pytest.fixture
def machine() -> Machine:
    return MACHINE


@pytest.fixture
def mark() -> str:
    """In the environment of all that a test starts: so it is found again, wherever it went."""
    return secrets.token_hex(8)


@pytest.fixture
def living(mark: str) -> Callable[[], list[int]]:
    """Who carries the mark and is alive: a zombie is not."""

    def look() -> list[int]:
        carriers = (
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and mark.encode() in environment_of(entry)
        )
        return [pid for pid in carriers if is_alive(pid)]

    return look


def environment_of(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


Put = Callable[..., Run]


@pytest.fixture
def put(tmp_path: Path, mark: str, living: Callable[[], list[int]]) -> Iterator[Put]:
    """Runs a command, or an animal of the zoo, in a cage. Afterwards nothing may live, no group be left."""

    def run(
        cage: Cage,
        *words: str,
        limits: Limits | None = None,
        timeout: float = 20,
        sandbox: bool = False,
        cancelled: threading.Event | None = None,
        readable: tuple[Path, ...] = (),
        on_memory: Callable[[int], None] | None = None,
    ) -> Run:
        first = (
            [sys.executable, str(ZOO / f"{words[0]}.py")] if (ZOO / f"{words[0]}.py").exists() else [words[0]]
        )
        confinement = Confinement(
            argv=(*first, *words[1:]),
            cwd=tmp_path,
            env={"PATH": os.defpath, "HOME": str(tmp_path), MARK: mark, "PYTHONPATH": ""},
            log=tmp_path / "log",
            timeout=timeout,
            limits=limits or Limits(),
            writable=(tmp_path,),
            readable=(ZOO, Path(sys.prefix), Path(sys.base_prefix), *readable),
            sandbox=sandbox,
        )
        return cage.run(confinement, cancelled or threading.Event(), on_memory)

    yield run
    assert living() == []
    assert groups_of_ours() == []


def groups_of_ours() -> list[Path]:
    mine = f"bisector-*-{os.getpid()}-*-*"
    return [found for each in MACHINE.cgroups.hierarchies for found in each.parent.glob(mine)]
