"""Caps asked for + what works here -> a cage, or a refusal that names the cap, why, and the way out. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice

from bisector.caps.cage import Cage
from bisector.caps.group import Control
from bisector.caps.survey import SCOPE, Machine
from bisector.errors import MachineFault, UsageFault
from bisector.model import Cap, Limits


@dataclass(frozen=True, slots=True)
class _Held:
    by: str


@dataclass(frozen=True, slots=True)
class _NotHeld:
    reason: str
    remedy: str


_Answer = _Held | _NotHeld


def choose(machine: Machine, limits: Limits, *, sandbox: bool, best_effort: bool, worker: int = 0) -> Cage:
    """The best cage this machine has for these limits.

    A cap that nothing here enforces is refused unless `best_effort`; then `means` says so. The sandbox is
    never a matter of effort. `worker` tells apart workers that are pinned to processors side by side.
    """
    if machine.fence is None:
        raise MachineFault(
            "nothing here holds a process tree together", "`bisector doctor` tells what was tried"
        )
    if sandbox and not machine.sandboxes:
        raise UsageFault(
            f"this needs the sandbox, which does not work here: {_reason(machine, 'sandbox')}",
            "install `bubblewrap`, or type --no-sandbox if you trust the recipe and the project",
        )
    answers = dict(_answers(machine, limits, sandbox))
    refused = {cap: answer for cap, answer in answers.items() if isinstance(answer, _NotHeld)}
    if refused and (not best_effort or (sandbox and Cap.NETWORK in refused)):
        raise _refusal(refused)
    return Cage(
        fence=machine.fence,
        cgroups=machine.cgroups,
        py_spy=machine.py_spy,
        prefix=_pinning(machine, limits, worker),
        means={cap: _in_words(answer) for cap, answer in answers.items()},
        unenforced=frozenset(refused),
    )


def _refusal(refused: dict[Cap, _NotHeld]) -> UsageFault:
    reasons = "; ".join(
        f"limits.{cap.value} cannot be enforced: {each.reason}" for cap, each in refused.items()
    )
    remedies = "; ".join(f"{cap.value}: {each.remedy}" for cap, each in refused.items())
    return UsageFault(reasons, f"{remedies}; or do without it: --best-effort")


def _in_words(answer: _Answer) -> str:
    return answer.by if isinstance(answer, _Held) else f"not enforced: {answer.reason}"


def _reason(machine: Machine, name: str) -> str:
    return next(finding.detail for finding in machine.findings if finding.name == name)


def _answers(machine: Machine, limits: Limits, sandbox: bool) -> Iterator[tuple[Cap, _Answer]]:
    """What holds each cap that was asked for; the ladders, best rung first."""
    stacks = "py-spy" if machine.py_spy else "faulthandler"
    yield Cap.TIMEOUT, _Held(f"our clock; stacks by {stacks}")
    yield Cap.OUTPUT, _Held("head and tail kept, the rest counted")
    if limits.memory is not None:
        watchdog = "watchdog (sums proportional shares, looks every 5 to 100 ms)"
        yield Cap.MEMORY, _Held(_group(machine, Control.MEMORY) or watchdog)
    if limits.processes is not None:
        yield (
            Cap.PROCESSES,
            _Held(_group(machine, Control.PIDS, "threads count, too") or "watchdog (counts, kills the run)"),
        )
    if limits.cpus is not None:
        yield Cap.CPUS, _processors(machine, limits.cpus)
    if limits.disk is not None:
        private = "sized private /tmp; " if sandbox else ""
        yield Cap.DISK, _Held(f"{private}a file at most that size; watchdog over the writable directories")
    if limits.gpu_memory is not None:
        yield Cap.GPU_MEMORY, _Held("asked of torch in the interpreter")
    if not limits.network:
        yield Cap.NETWORK, _network(machine)


def _group(machine: Machine, control: Control, note: str = "") -> str | None:
    where = machine.cgroups.offers(control)
    return None if where is None else f"cgroup v{where.version}{note and f' ({note})'}"


def _processors(machine: Machine, cpus: float) -> _Answer:
    if (group := _group(machine, Control.CPU)) is not None:
        return _Held(group)
    if cpus >= len(machine.processors):
        return _Held("this machine has no more")
    if machine.taskset is not None and cpus == math.floor(cpus):
        return _Held("pinned by taskset")
    return _NotHeld(
        "no control group, and only whole processors can be pinned", f"a whole number, or {SCOPE}"
    )


def _network(machine: Machine) -> _Answer:
    if machine.isolates_network:
        return _Held("a network namespace with loopback alone")
    return _NotHeld(_reason(machine, "no network"), "install `bubblewrap`")


def _pinning(machine: Machine, limits: Limits, worker: int) -> tuple[str, ...]:
    """The fallback for processors: as many as asked for, other ones for each worker."""
    cpus = limits.cpus
    if cpus is None or machine.taskset is None or machine.cgroups.offers(Control.CPU) is not None:
        return ()
    count = min(math.ceil(cpus), len(machine.processors))
    chosen = islice(cycle(machine.processors), worker * count, worker * count + count)
    return (str(machine.taskset), "--cpu-list", ",".join(map(str, sorted(chosen))))
