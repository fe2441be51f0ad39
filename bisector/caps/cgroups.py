"""Where this process may make control groups, found by making one; and what a killed bisector left behind.

Groups are made below the own one, so that limits set from outside still hold.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bisector.caps.group import Control, Group, Room
from bisector.caps.ownership import PATTERN, fresh_name, is_orphaned
from bisector.errors import MachineFault

LEAF = "bisector-self"
V1 = {
    "memory": frozenset({Control.MEMORY}),
    "pids": frozenset({Control.PIDS}),
    "cpu": frozenset({Control.CPU}),
    "cpuacct": frozenset({Control.CPU_TIME}),
}
V2_WANTED = {"memory": Control.MEMORY, "pids": Control.PIDS, "cpu": Control.CPU}


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A directory below which groups can be made, and what they control there."""

    parent: Path
    version: int
    controls: frozenset[Control]


@dataclass(frozen=True, slots=True)
class Refusal:
    hierarchy: Hierarchy
    reason: str


@dataclass(frozen=True, slots=True)
class Cgroups:
    """What works here, each tried; `refusals` says why the rest does not."""

    hierarchies: tuple[Hierarchy, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    def offers(self, control: Control) -> Hierarchy | None:
        return next((each for each in self.hierarchies if control in each.controls), None)

    def without(self, *controls: Control) -> Cgroups:
        """The same with less: a rung further down the ladder."""
        kept = (replace(each, controls=each.controls - set(controls)) for each in self.hierarchies)
        return replace(self, hierarchies=tuple(each for each in kept if each.controls))

    def open(self) -> Group:
        """A fresh group in every hierarchy, named after us so that a later bisector can tell who left it."""
        name = fresh_name()
        rooms: list[Room] = []
        try:
            for each in self.hierarchies:
                (each.parent / name).mkdir()
                rooms.append(Room(each.parent / name, each.version, each.controls))
        except OSError as error:
            Group(tuple(rooms)).close()
            raise MachineFault(f"cannot make the control group {error.filename}: {error.strerror}") from error
        return Group(tuple(rooms))


def find() -> Cgroups:
    """Try every hierarchy in which we are."""
    found: list[Hierarchy] = []
    refusals: list[Refusal] = []
    for candidate in _candidates():
        tried = _try(candidate)
        if isinstance(tried, Hierarchy):
            found.append(tried)
        else:
            refusals.append(tried)
    return Cgroups(tuple(_without_repeats(found)), tuple(refusals))


def _without_repeats(found: list[Hierarchy]) -> Iterator[Hierarchy]:
    """On a hybrid machine a control may be there twice: the newer dialect has it; fewer groups to join."""
    taken: set[Control] = set()
    for each in sorted(found, key=lambda hierarchy: -hierarchy.version):
        if new := each.controls - taken:
            taken |= new
            yield replace(each, controls=new)


def _try(candidate: Hierarchy) -> Hierarchy | Refusal:
    """The candidate, with killing where the kernel offers it; or why no process can be put there."""
    try:
        group = Cgroups((candidate,)).open()
    except MachineFault as fault:
        return Refusal(candidate, fault.message)
    try:
        joined = subprocess.run(
            ["/bin/sh", "-c", 'echo 0 >"$1"', "sh", str(group.doors[0])],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        kills = {Control.KILL} if group.can_kill() else set()
    finally:
        group.close()
    if joined.returncode:
        return Refusal(candidate, f"cannot join a group in {candidate.parent}: {joined.stderr.strip()}")
    return replace(candidate, controls=candidate.controls | kills)


def _candidates() -> Iterator[Hierarchy]:
    own = dict(_memberships())
    for mount, root, kind, options in _mounts():
        if kind == "cgroup2" and "" in own:
            yield from homes_in_v2(_below(mount, root, own[""]), mount)
        elif kind == "cgroup":
            names = [name for name in V1 if name in options and name in own]
            if names:
                controls = frozenset[Control]().union(*(V1[name] for name in names))
                yield Hierarchy(_below(mount, root, own[names[0]]), 1, controls)


def _memberships() -> Iterator[tuple[str, str]]:
    """Controller name to our path in its hierarchy; the empty name is cgroup v2."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            yield name, path


def _mounts() -> Iterator[tuple[Path, str, str, list[str]]]:
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            fields = before.split(" ")
            yield Path(fields[4]), fields[3], kind, options.split(",")


def _below(mount: Path, root: str, own: str) -> Path:
    """The own group's directory; a bind mount (containers) shows only what lies below `root`."""
    inner = own[len(root) :] if root != "/" and own.startswith(root) else own
    path = mount / inner.lstrip("/")
    return path.parent if path.name.startswith(LEAF) else path


def homes_in_v2(own: Path, mount: Path) -> Iterator[Hierarchy]:
    """Our own group; before it, where that cannot hand on the memory controller, the nearest one above that
    does (a user's slice, the system's): what limits that one still holds.
    """
    controls = _controls_of_v2(own)
    if Control.MEMORY not in controls:
        above = (each for each in own.parents if each == mount or mount in each.parents)
        for each in above:
            handed_on = _handed_on(each)
            if Control.MEMORY in handed_on and os.access(each, os.W_OK):
                yield Hierarchy(each, 2, handed_on)
                break
    yield Hierarchy(own, 2, controls)


def _handed_on(parent: Path) -> frozenset[Control]:
    """What groups below it control. Counting CPU time needs no controller."""
    names = _words(parent / "cgroup.subtree_control")
    return frozenset({Control.CPU_TIME} | {control for name, control in V2_WANTED.items() if name in names})


def _controls_of_v2(own: Path) -> frozenset[Control]:
    """Enable what can be enabled.

    A group that has members cannot hand controllers to its children, the root excepted: so we move into
    a leaf of our own. That is done only when nobody else lives in our group (a delegated scope), never
    with other people's processes.
    """
    available = _words(own / "cgroup.controllers") & set(V2_WANTED)
    missing = available - _words(own / "cgroup.subtree_control")
    refused = [name for name in missing if not _enable(own, name)]
    if refused:
        _move_into_leaf(own)
        for name in refused:
            _enable(own, name)
    return _handed_on(own)


def _enable(own: Path, name: str) -> bool:
    try:
        (own / "cgroup.subtree_control").write_text(f"+{name}")
    except OSError:
        return False
    return True


def _move_into_leaf(own: Path) -> None:
    with suppress(OSError):
        members = {int(word) for word in (own / "cgroup.procs").read_text().split()}
        if members == {os.getpid()}:
            leaf = own / f"{LEAF}-{os.getpid()}"
            leaf.mkdir(exist_ok=True)
            (leaf / "cgroup.procs").write_text(str(os.getpid()))


def _words(path: Path) -> set[str]:
    try:
        return set(path.read_text().split())
    except OSError:
        return set()


def sweep(cgroups: Cgroups) -> tuple[str, ...]:
    """Kill and remove what bisectors that are no more left behind; the names of the groups removed."""
    removed: list[str] = []
    for each in cgroups.hierarchies:
        for folder in sorted(each.parent.glob(PATTERN)):
            if is_orphaned(folder.name):
                Group((Room(folder, each.version, each.controls),)).close()
                removed.append(folder.name)
        for leaf in each.parent.glob(f"{LEAF}-*"):
            # Refused while somebody lives in it; then it is in use.
            with suppress(OSError):
                leaf.rmdir()
    return tuple(dict.fromkeys(removed))
