"""Which means is chosen for each cap, and what is said where there is none."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from bisector.caps import Machine, choose, survey
from bisector.caps.cgroups import Cgroups, Hierarchy
from bisector.caps.group import Control
from bisector.caps.subreaper import Subreaper
from bisector.errors import MachineFault, UsageFault
from bisector.model import Cap, Limits

V2 = Hierarchy(Path("/two"), 2, frozenset({Control.KILL, Control.MEMORY, Control.PIDS}))
V1 = Hierarchy(Path("/one"), 1, frozenset({Control.CPU}))
EVERYTHING = Limits(memory=1, processes=1, cpus=1.5, disk=1, gpu_memory=1, network=False)


@pytest.fixture
def poor(machine: Machine) -> Machine:
    """A machine with nothing but processes."""
    return replace(
        machine,
        fence=Subreaper(Path("python")),
        sandboxes=False,
        isolates_network=False,
        cgroups=Cgroups(),
        py_spy=None,
        taskset=Path("taskset"),
        processors=(0, 1, 2, 3),
    )


def test_control_groups_come_first(poor: Machine) -> None:
    rich = replace(poor, cgroups=Cgroups((V2, V1)), isolates_network=True, py_spy=Path("py-spy"))
    means = choose(rich, EVERYTHING, sandbox=False, best_effort=False).means
    assert (means[Cap.MEMORY], means[Cap.CPUS]) == ("cgroup v2", "cgroup v1")
    assert means[Cap.PROCESSES] == "cgroup v2 (threads count, too)"
    assert "py-spy" in means[Cap.TIMEOUT]
    assert "namespace" in means[Cap.NETWORK]


def test_the_watchdog_stands_in_for_memory_processes_and_disk(poor: Machine) -> None:
    limits = Limits(memory=1, processes=1, disk=1)
    means = choose(poor, limits, sandbox=False, best_effort=False).means
    assert all("watchdog" in means[cap] for cap in (Cap.MEMORY, Cap.PROCESSES, Cap.DISK))
    assert "faulthandler" in means[Cap.TIMEOUT]


def test_only_what_was_asked_for_is_named(poor: Machine) -> None:
    assert set(choose(poor, Limits(), sandbox=False, best_effort=False).means) == {Cap.TIMEOUT, Cap.OUTPUT}


def test_every_cap_that_cannot_be_had_is_refused_by_name(poor: Machine) -> None:
    with pytest.raises(UsageFault) as refusal:
        choose(poor, EVERYTHING, sandbox=False, best_effort=False)
    assert "limits.cpus" in refusal.value.message
    assert "limits.network" in refusal.value.message
    assert "limits.memory" not in refusal.value.message
    assert "--best-effort" in (refusal.value.hint or "")


def test_best_effort_goes_on_and_says_so(poor: Machine) -> None:
    cage = choose(poor, EVERYTHING, sandbox=False, best_effort=True)
    assert cage.unenforced == {Cap.CPUS, Cap.NETWORK}
    assert cage.means[Cap.NETWORK].startswith("not enforced: ")


def test_no_effort_replaces_the_sandbox(poor: Machine) -> None:
    with pytest.raises(UsageFault, match="needs the sandbox") as refusal:
        choose(poor, Limits(), sandbox=True, best_effort=True)
    assert "--no-sandbox" in (refusal.value.hint or "")


def test_without_any_fence_the_machine_is_at_fault(poor: Machine) -> None:
    with pytest.raises(MachineFault):
        choose(replace(poor, fence=None), Limits(), sandbox=False, best_effort=True)


def test_workers_are_pinned_side_by_side(poor: Machine) -> None:
    def pins(cpus: float, worker: int) -> str:
        return choose(poor, Limits(cpus=cpus), sandbox=False, best_effort=False, worker=worker).prefix[-1]

    assert [pins(1, worker) for worker in range(5)] == ["0", "1", "2", "3", "0"]
    assert [pins(2, 0), pins(2, 1), pins(3, 1)] == ["0,1", "2,3", "0,1,3"]
    assert pins(8, 0) == "0,1,2,3"


def test_this_machine_is_surveyed_once_and_each_finding_speaks() -> None:
    machine = survey(os.environ["PATH"])
    assert survey(os.environ["PATH"]) is machine
    assert all(finding.detail and (finding.ok or finding.remedy) for finding in machine.findings)
    names = [finding.name for finding in machine.findings]
    assert len(names) == len(set(names))


def test_without_bubblewrap_the_subreaper_is_chosen(tmp_path: Path) -> None:
    machine = survey(str(tmp_path))
    assert isinstance(machine.fence, Subreaper)
    assert (machine.sandboxes, machine.isolates_network) == (False, False)
