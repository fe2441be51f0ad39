"""What this machine can hold a run with: each means is tried, none is believed.

To `doctor` and `check` a machine is a list of findings in words; to `choose`, what to build a cage from.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from bisector import process
from bisector.caps import cgroups
from bisector.caps.bubblewrap import Bubblewrap
from bisector.caps.cage import Cage
from bisector.caps.cgroups import Cgroups
from bisector.caps.confinement import UNLIMITED, Confinement, Fence
from bisector.caps.group import Control
from bisector.caps.ownership import PATTERN, fresh_name, is_orphaned
from bisector.caps.subreaper import Subreaper
from bisector.errors import MachineFault
from bisector.model import Limits

WAIT = 10.0
SCOPE = "systemd-run --user --scope -p Delegate=yes bisector ..."


@dataclass(frozen=True, slots=True)
class Finding:
    """One means: what it is good for, whether it works here and, if not, why not and how to get it."""

    name: str
    ok: bool
    purpose: str
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """What works. `fence` is the best there is; whether it can hide files and network is told beside it."""

    fence: Fence | None
    sandboxes: bool
    isolates_network: bool
    cgroups: Cgroups
    py_spy: Path | None
    taskset: Path | None
    processors: tuple[int, ...]
    findings: tuple[Finding, ...]


@cache
def survey(path: str) -> Machine:
    """Try everything, once a process; all at once it takes half a tenth of a second.

    `path`: where to look for programs.
    """
    program = shutil.which("bwrap", path=path)
    bubblewrap = None if program is None else Bubblewrap(Path(program))
    subreaper = Subreaper(Path(sys.executable))
    with ThreadPoolExecutor(thread_name_prefix="survey") as pool:
        found = pool.submit(cgroups.find)
        adopted = pool.submit(_try_subreaper, subreaper)
        spied = pool.submit(_try_py_spy)
        tree, files, network = pool.map(partial(_try_bubblewrap, bubblewrap), BUBBLEWRAP)
        groups, adoption = found.result(), adopted.result()
        py_spy, stacks = spied.result()
    taskset = shutil.which("taskset", path=path)
    return Machine(
        fence=bubblewrap if tree.ok else subreaper if adoption.ok else None,
        sandboxes=tree.ok and files.ok,
        isolates_network=tree.ok and network.ok,
        cgroups=groups,
        py_spy=py_spy,
        taskset=None if taskset is None else Path(taskset),
        processors=tuple(sorted(os.sched_getaffinity(0))),
        findings=(tree, files, network, adoption, *_group_findings(groups), stacks),
    )


def sweep(machine: Machine) -> tuple[str, ...]:
    """Remove what a bisector that was killed left on this machine; the names of what was removed."""
    return (*cgroups.sweep(machine.cgroups), *_sweep_scratch())


@contextmanager
def _scratch() -> Iterator[Path]:
    """A folder to try something in; its name says whose it is."""
    folder = Path(tempfile.gettempdir(), fresh_name())
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep_scratch() -> Iterator[str]:
    for folder in Path(tempfile.gettempdir()).glob(PATTERN):
        with suppress(FileNotFoundError):
            if is_orphaned(folder.name) and folder.lstat().st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)
                yield folder.name


@dataclass(frozen=True, slots=True)
class _Use:
    """One thing that a program is good for, and how that is tried."""

    name: str
    purpose: str
    limits: Limits
    sandbox: bool


BUBBLEWRAP = (
    _Use("bubblewrap", "nothing of a process tree survives, not even our own kill -9", UNLIMITED, False),
    _Use("sandbox", "read-only system, private /tmp, hidden homes and sockets", UNLIMITED, True),
    _Use("no network", "runs without network", Limits(network=False), False),
)


def _try_bubblewrap(fence: Bubblewrap | None, use: _Use) -> Finding:
    reason = "bwrap is not installed" if fence is None else _refusal(fence, use.limits, use.sandbox)
    if not reason:
        return Finding(use.name, True, use.purpose, "works")
    remedy = "install `bubblewrap`; in a container, allow user namespaces"
    return Finding(use.name, False, use.purpose, reason, remedy)


def _try_subreaper(fence: Subreaper) -> Finding:
    purpose = "the same without namespaces; code that kills its supervisor can escape it"
    reason = _refusal(fence, UNLIMITED, False)
    return Finding("subreaper", not reason, purpose, reason or "works", "mount /proc" if reason else "")


def _refusal(fence: Fence, limits: Limits, sandbox: bool) -> str:
    """Why a fence does not work here; empty when it does."""
    with _scratch() as folder:
        trial = Confinement(
            argv=("/bin/sh", "-c", "exit 42"),
            cwd=folder,
            env={"PATH": os.defpath},
            log=folder / "log",
            timeout=WAIT,
            limits=limits,
            writable=(folder,),
            sandbox=sandbox,
            stack_dump=False,
        )
        try:
            run = Cage(fence, Cgroups()).run(trial, threading.Event())
        except MachineFault as fault:
            return fault.message
    return "" if run.exit_status == 42 else f"a command that exits 42 in it ended otherwise: {run}"


def _group_findings(groups: Cgroups) -> list[Finding]:
    purposes: Mapping[Control, tuple[str, str]] = {
        Control.MEMORY: (
            "memory group",
            "a memory cap that no allocation outruns, and the sign that it was hit",
        ),
        Control.PIDS: ("process group", "a cap on processes that holds before they are made"),
        Control.CPU: ("processor group", "a share of the processors, fractions too"),
        Control.CPU_TIME: ("processor time", "CPU seconds of the whole tree, to the microsecond"),
        Control.KILL: ("group kill", "ending a whole tree at once"),
    }
    findings: list[Finding] = []
    for control, (name, purpose) in purposes.items():
        where = groups.offers(control)
        if where is None:
            why = [each.reason for each in groups.refusals if control in each.hierarchy.controls]
            detail = "; ".join(why) or "no such controller here"
            remedy = f"run as root, or in a delegated scope: {SCOPE}"
            findings.append(Finding(name, False, purpose, detail, remedy))
        else:
            findings.append(Finding(name, True, purpose, f"cgroup v{where.version} at {where.parent}"))
    return findings


def _try_py_spy() -> tuple[Path | None, Finding]:
    """Against a child of ours: what refuses is a kernel setting (ptrace_scope) or a missing capability."""
    purpose = "the Python stacks of a run that hangs (else: faulthandler)"
    program = Path(sysconfig.get_path("scripts")) / "py-spy"
    if not program.exists():
        return None, Finding("py-spy", False, purpose, f"no {program}", "install `py-spy` beside bisector")
    code = "print(flush=True)\nimport time\ntime.sleep(60)"
    env = {"PATH": os.defpath}
    child = process.start([sys.executable, "-I", "-S", "-c", code], cwd=Path("/"), env=env)
    if isinstance(child, process.ProgramMissing):
        return None, Finding("py-spy", False, purpose, child.reason)
    with child:
        child.readline(WAIT)
        dump = process.run([program, "dump", "--pid", str(child.pid)], cwd=Path("/"), env=env, timeout=WAIT)
    if isinstance(dump, process.Finished) and dump.ok:
        return program, Finding("py-spy", True, purpose, str(program))
    words = dump.stderr.strip() if isinstance(dump, process.Finished) else dump.reason
    return None, Finding(
        "py-spy", False, purpose, f"{words}{_ptrace_scope()}", "sysctl kernel.yama.ptrace_scope=1"
    )


def _ptrace_scope() -> str:
    try:
        scope = Path("/proc/sys/kernel/yama/ptrace_scope").read_text().strip()
    except OSError:
        return ""
    return f" (ptrace_scope is {scope})"
