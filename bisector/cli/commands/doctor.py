"""`bisector doctor`: what this machine has, what it lacks and how to get that.

Exit status 0: hunts can run here; 5: something that every hunt needs is missing.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import click

from bisector import __version__, process
from bisector.caps import survey
from bisector.cli.options import Options
from bisector.cli.tables import Cell, show_table
from bisector.cli.version import git_version
from bisector.cli.words import there
from bisector.environments import Interpreters
from bisector.errors import ExitStatus, MachineFault
from bisector.installers import INSTALLERS
from bisector.report.figures import size
from bisector.state import State, choose, probe

OLDEST_GIT = (2, 30)
ROOMY = 2 * 1024**3
"""Free bytes below which environments may not find room."""


class Mark(Enum):
    """How a finding stands."""

    OK = "ok"
    LACKING = "lacking"
    """Hunts run, with less."""
    MISSING = "missing"
    """No hunt runs without it."""


_STYLES = {Mark.OK: "green", Mark.LACKING: "yellow", Mark.MISSING: "bold red"}


@dataclass(frozen=True, slots=True)
class Told:
    """One line of the answer."""

    part: str
    name: str
    mark: Mark
    detail: str
    remedy: str = ""


def main(options: Options) -> int:
    machine = dict(os.environ)
    told = [
        *_git(machine),
        *_pythons(machine),
        *_cages(machine),
        *_state(choose(options.state, machine), options),
        *_network(machine),
        *_executors(),
    ]
    missing = [one for one in told if one.mark is Mark.MISSING]
    if options.json:
        click.echo(json.dumps(_json(told), indent=2))
    else:
        _show(told, options)
    if missing:
        names = ", ".join(one.name for one in missing)
        click.echo(f"no hunt can run here: {names} missing", err=True)
        return int(ExitStatus.FAILED)
    click.echo("hunts can run here", err=True)
    return 0


def _show(told: list[Told], options: Options) -> None:
    rows = [
        (
            one.part if number == 0 or told[number - 1].part != one.part else "",
            one.name,
            Cell(one.mark.value, _STYLES[one.mark]),
            f"{one.detail}; {one.remedy}" if one.remedy and one.mark is not Mark.OK else one.detail,
        )
        for number, one in enumerate(told)
    ]
    show_table(("part", "what", "", "found"), rows, no_color=options.no_color, wide="found")


def _json(told: list[Told]) -> dict[str, object]:
    findings = [
        {
            "part": one.part,
            "name": one.name,
            "state": one.mark.value,
            "detail": one.detail,
            "remedy": one.remedy,
        }
        for one in told
    ]
    return {
        "bisector": 1,
        "version": __version__,
        "platform": platform.platform(),
        "ready": all(one.mark is not Mark.MISSING for one in told),
        "findings": findings,
    }


def _git(machine: Mapping[str, str]) -> Iterator[Told]:
    wanted = ".".join(map(str, OLDEST_GIT))
    found = git_version(machine)
    if found is None:
        yield Told("git", "git", Mark.MISSING, "not on PATH", f"install git {wanted} or newer")
        return
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdigit())
    if numbers < OLDEST_GIT:
        yield Told("git", "git", Mark.MISSING, found, f"bisector needs git {wanted} or newer")
    else:
        yield Told("git", "git", Mark.OK, found)


def _pythons(machine: Mapping[str, str]) -> Iterator[Told]:
    installers = tuple(make(machine) for make in INSTALLERS.values())
    for installer in installers:
        reason = installer.unavailable()
        yield Told("installers", installer.name, Mark.LACKING if reason else Mark.OK, reason or "works")
    served = False
    for interpreter in Interpreters(machine).list_all():
        fitting = [one.name for one in installers if not (one.unavailable() or one.unfit(interpreter.minor))]
        served = served or bool(fitting)
        by = f"served by {', '.join(fitting)}" if fitting else "no installer here serves it"
        mark = Mark.OK if fitting else Mark.LACKING
        yield Told("pythons", interpreter.version, mark, f"{interpreter.path}, {by}")
    if not served:
        yield Told(
            "pythons", "python", Mark.MISSING, "none that an installer serves", "uv python install 3.12"
        )


def _cages(machine: Mapping[str, str]) -> Iterator[Told]:
    found = survey(machine.get("PATH", "/usr/bin:/bin"))
    for one in found.findings:
        detail = one.purpose if one.ok and one.detail == "works" else f"{one.purpose}: {one.detail}"
        yield Told("caps", one.name, Mark.OK if one.ok else Mark.LACKING, detail, one.remedy)
    if found.fence is None:
        yield Told(
            "caps", "fence", Mark.MISSING, "nothing holds a process tree together", "install bubblewrap"
        )


def _state(state: State, options: Options) -> Iterator[Told]:
    try:
        free = probe(state)
    except MachineFault as fault:
        yield Told("state", "directory", Mark.MISSING, fault.message, fault.hint or "")
        return
    yield Told("state", "directory", Mark.OK, str(state.root))
    mark = Mark.OK if free >= ROOMY else Mark.LACKING
    yield Told(
        "state",
        "free space",
        mark,
        size(free),
        there("`bisector clean` frees what bisector keeps", options.state),
    )


def _network(machine: Mapping[str, str]) -> Iterator[Told]:
    """Programs only: nothing is called."""
    https = _git_speaks_https(machine)
    yield Told(
        "network",
        "https",
        Mark.OK if https else Mark.LACKING,
        "git's own helper" if https else "git has no helper for https: only paths and ssh can be hunted in",
        "" if https else "install the git package with curl",
    )
    ssh = shutil.which("ssh", path=machine.get("PATH"))
    yield Told(
        "network",
        "ssh",
        Mark.OK if ssh else Mark.LACKING,
        ssh or "for git@ addresses: not on PATH",
        "" if ssh else "install an ssh client",
    )
    proxies = sorted(name for name in machine if name.lower() in ("http_proxy", "https_proxy", "all_proxy"))
    yield Told("network", "proxy", Mark.OK, f"set by {', '.join(proxies)}" if proxies else "none set")


def _git_speaks_https(machine: Mapping[str, str]) -> bool:
    asked = process.run(["git", "--exec-path"], cwd=Path("/"), env=dict(machine), timeout=10)
    folder = asked.stdout.strip() if isinstance(asked, process.Finished) and asked.ok else ""
    return bool(folder) and (Path(folder) / "git-remote-https").exists()


def _executors() -> Iterator[Told]:
    yield Told("executors", "local", Mark.OK, f"{os.cpu_count() or 1} processors")
    for name in ("dask", "slurm"):
        yield Told("executors", name, Mark.LACKING, "not supported yet")
