"""The hunt without bisector: `git bisect run` with a script that installs by pip, as people write it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clock import rest, run
from benchmarks.heavy import Case

FRESH = """\
#!/bin/sh
set -e
echo >> {log}
rm -rf {env}
{python} -m venv {env}
{env}/bin/python -m pip install --quiet -e . {requirements}
{env}/bin/python {repro} || exit 1
"""
SHARED = """\
#!/bin/sh
set -e
echo >> {log}
{env}/bin/python -m pip install --quiet -e .
{env}/bin/python {repro} || exit 1
"""


@dataclass(frozen=True, slots=True)
class Bisected:
    seconds: float
    trials: int


@dataclass(frozen=True, slots=True)
class Plain:
    """The whole hunt, with an environment made for each commit, or in one that all share."""

    case: Case
    clone: Path
    fresh: Path
    shared: Path
    variables: Mapping[str, str]

    def with_fresh(self) -> Bisected:
        return _bisect(self.clone, self.case, self.fresh, self.variables)

    def with_shared(self) -> Bisected:
        """In the environment that the last trial of the other one has left."""
        return _bisect(self.clone, self.case, self.shared, self.variables)


def prepare(folder: Path, case: Case, python: str, variables: Mapping[str, str]) -> Plain:
    """The clone is there and the caches that `variables` name are warm: a first install is not counted."""
    folder.mkdir()
    clone = folder / "clone"
    run(["git", "clone", "--quiet", "--shared", str(case.repository), str(clone)], folder)
    (folder / "repro.py").write_text(case.repro)
    fresh, shared = (
        _script(folder, case, python, name, text) for name, text in (("fresh", FRESH), ("shared", SHARED))
    )
    run(["git", "checkout", "--quiet", case.good], clone)
    run([str(fresh)], clone, variables)
    return Plain(case, clone, fresh, shared, variables)


def _bisect(clone: Path, case: Case, script: Path, variables: Mapping[str, str]) -> Bisected:
    run(["git", "clean", "-xffdq"], clone)
    log = script.with_suffix(".log")
    log.unlink(missing_ok=True)
    rest()
    began = time.perf_counter()
    run(["git", "bisect", "start", case.bad, case.good], clone)
    run(["git", "bisect", "run", str(script)], clone, variables)
    taken = time.perf_counter() - began
    found = run(["git", "rev-parse", "refs/bisect/bad"], clone).strip()
    if found != case.culprit:
        raise SystemExit(f"benchmark: plain git finds {found}, not {case.culprit}")
    run(["git", "bisect", "reset"], clone)
    return Bisected(taken, len(log.read_text().splitlines()))


def _script(folder: Path, case: Case, python: str, name: str, template: str) -> Path:
    words = {
        "log": folder / f"{name}.log",
        "env": folder / "env",
        "python": python,
        "repro": folder / "repro.py",
    }
    text = template.format(
        **{word: shlex.quote(str(value)) for word, value in words.items()},
        requirements=" ".join(map(shlex.quote, case.requirements)),
    )
    path = folder / f"{name}.sh"
    path.write_text(text)
    path.chmod(0o755)
    return path
