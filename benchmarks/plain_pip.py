"""The hunt without bisector, as people write it: `git bisect run` with a script that installs by pip.

Each install costs what it costs and no commit's differs much: a few commits are installed and tried for real,
git's own count of trials makes the rest.
"""

from __future__ import annotations

import shlex
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clock import run, seconds
from benchmarks.heavy import Case

SAMPLE = 3
FRESH = """\
set -e
rm -rf {env}
{python} -m venv {env}
{env}/bin/python -m pip install --quiet -e . {requirements}
"""
SHARED = """\
set -e
{env}/bin/python -m pip install --quiet -e .
"""
TRY = "{env}/bin/python {repro} || true\n"
COUNT = """\
#!/bin/sh
git rev-parse HEAD >> {log}
! git merge-base --is-ancestor {culprit} HEAD
"""


@dataclass(frozen=True, slots=True)
class Plain:
    """Seconds of a trial, median: with an environment made for it, and in one that all share."""

    trials: int
    fresh: float
    shared: float


def measure(folder: Path, case: Case, python: str, variables: Mapping[str, str]) -> Plain:
    """The caches that `variables` name are warm for all figures: the first install is not counted."""
    folder.mkdir()
    clone = folder / "clone"
    run(["git", "clone", "--quiet", "--shared", str(case.repository), str(clone)], folder)
    commits = _git_tries(folder, clone, case)
    (folder / "repro.py").write_text(case.repro)
    fresh, shared = _script(folder, case, python, FRESH), _script(folder, case, python, SHARED)
    run(["git", "checkout", "--quiet", commits[0]], clone)
    run(["sh", str(fresh)], clone, variables)
    taken: dict[Path, list[float]] = {fresh: [], shared: []}
    for commit in commits[:SAMPLE]:
        # In turns: a busy moment of the machine meets both.
        for script, own in taken.items():
            run(["git", "clean", "-xffdq"], clone)
            run(["git", "checkout", "--quiet", "--force", commit], clone)
            own.append(seconds(["sh", str(script)], clone, variables))
    return Plain(len(commits), statistics.median(taken[fresh]), statistics.median(taken[shared]))


def _git_tries(folder: Path, clone: Path, case: Case) -> list[str]:
    """The commits that plain git asks about, the culprit being known."""
    script, log = folder / "count.sh", folder / "count.log"
    script.write_text(COUNT.format(log=shlex.quote(str(log)), culprit=case.culprit))
    script.chmod(0o755)
    run(["git", "bisect", "start", case.bad, case.good], clone)
    run(["git", "bisect", "run", str(script)], clone)
    found = run(["git", "rev-parse", "refs/bisect/bad"], clone).strip()
    if found != case.culprit:
        raise SystemExit(f"benchmark: plain git finds {found}, not {case.culprit}")
    run(["git", "bisect", "reset"], clone)
    return log.read_text().split()


def _script(folder: Path, case: Case, python: str, template: str) -> Path:
    words = {
        "env": shlex.quote(str(folder / "env")),
        "python": shlex.quote(python),
        "repro": shlex.quote(str(folder / "repro.py")),
        "requirements": " ".join(shlex.quote(one) for one in case.requirements),
    }
    path = folder / ("fresh.sh" if template is FRESH else "shared.sh")
    path.write_text((template + TRY).format(**words))
    return path
