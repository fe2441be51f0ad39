"""uv: fast, serves Python 3.6 and later. Wheels first, outside any cage; source archives last, inside one."""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from packaging.utils import canonicalize_name

from bisector.installers.attempt import attempt, or_else, seeing
from bisector.installers.port import Bench, Wanted
from bisector.installers.settings import sources, uv_environment
from bisector.model import Index, Trouble, Untestable
from bisector.process import leftovers

OLDEST = (3, 6)
SILENCE = 120.0
"""Seconds for which a registry that has not answered is waited for only where uv's cache does not do."""
FAR_FUTURE = "2999-01-01T00:00:00Z"
BUILD_TOOLS = (
    "setuptools wheel setuptools-scm setuptools-rust setuptools-git-versioning pbr versioningit "
    "hatchling hatch-vcs hatch-fancy-pypi-readme flit-core flit-scm poetry-core poetry-dynamic-versioning "
    "pdm-backend pdm-pep517 uv-build maturin puccinialin meson-python meson ninja cmake scikit-build "
    "scikit-build-core cython pythran pybind11 cffi"
)
"""What builds a source archive obeys no date at first: an old one may not run on the interpreter."""
RELEASE = re.compile(r"[\w.-]+==[\w.!+-]+")
"""A line for what a registry has, and no other place."""


class Uv:
    """The `uv` beside the running interpreter, else the one on PATH."""

    name = "uv"

    def __init__(self, program: Path | None) -> None:
        self._program = program
        self._silent_since: float | None = None
        self._answered: set[tuple[Index, str]] = set()
        """What was resolved while this process lives, by the registry itself."""

    def unavailable(self) -> str | None:
        if self._program is None:
            return "there is no uv here: pip install uv"
        return None

    def unfit(self, version: tuple[int, int]) -> str | None:
        if version < OLDEST:
            return f"uv serves Python {OLDEST[0]}.{OLDEST[1]} and later"
        return None

    def resolve(self, wanted: Wanted, bench: Bench) -> tuple[str, ...] | Untestable | Trouble:
        if not wanted.requirements:
            return ()
        # Into a file: a cage may give back one stream, with all that uv says beside its answer.
        asked, answered = bench.scratch / "requirements.in", bench.scratch / "resolved.txt"
        asked.write_text("".join(f"{line}\n" for line in wanted.requirements), encoding="utf-8")
        options = [
            "pip",
            "compile",
            str(asked),
            "--python",
            str(wanted.python),
            "--no-header",
            "--no-annotate",
            "--output-file",
            str(answered),
        ]
        if wanted.alone:
            options.append("--no-deps")
        if wanted.cutoff is not None:
            options += ["--exclude-newer", _moment(wanted.cutoff)]
        building: list[str] = []
        if bench.tools is not None:
            building = _tools_until(_moment(bench.tools))
        elif wanted.cutoff is not None:
            building = _tools_until(FAR_FUTURE, besides=_named(wanted.requirements))
        answer = self._wheels_first(options, building, bench)
        if isinstance(answer, Untestable | Trouble):
            return answer
        text = leftovers.read(answered, bench.scratch)
        if text is None:
            return Trouble("uv left no answer that can be read")
        lines = _lines(text)
        if not bench.offline:
            self._answered.update((bench.index, line) for line in lines if RELEASE.fullmatch(line))
        return lines

    def install(self, python: Path, lines: tuple[str, ...], bench: Bench) -> Untestable | Trouble | None:
        if not lines:
            return None
        lock = bench.scratch / "requirements.lock"
        lock.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        link_mode = "hardlink" if bench.share_files else "copy"
        options = ["pip", "install", "--python", str(python), "--no-deps", "--requirements", str(lock)]
        options += ["--link-mode", link_mode]
        building: list[str] = []
        if bench.tools is not None:
            building = _tools_until(_moment(bench.tools), besides=_named(lines))
        if {(bench.index, line) for line in lines} <= self._answered:
            cached = self._wheels_first(options, [], replace(bench, wheels_only=True, offline=True))
            if isinstance(cached, str) or bench.cancelled.is_set() or not _is_bare(python):
                return None if isinstance(cached, str) else cached
        answer = self._wheels_first(options, building, bench, writable=python.parent.parent)
        return None if isinstance(answer, str) else answer

    def _wheels_first(
        self, options: Sequence[str], building: Sequence[str], bench: Bench, writable: Path | None = None
    ) -> str | Untestable | Trouble:
        """`building`: options for what builds source archives. As a dependency it obeys the date like any other."""
        found = sources(bench.environ, bench.index)
        env = {
            **uv_environment(bench.environ, found, bench.index),
            "UV_CACHE_DIR": str(bench.cache),
            "UV_NO_PROGRESS": "1",
            "UV_PYTHON_DOWNLOADS": "never",
            "NO_COLOR": "1",
        }
        argv = [str(self._program), *options, *(["--no-index"] if found.no_index else [])]
        only_wheels = [*argv, "--only-binary", ":all:"]
        wheels = self._asked(only_wheels, env, bench)
        if bench.wheels_only or not isinstance(wheels, Untestable):
            return wheels
        kept = (bench.cache, bench.scratch, *([writable] if writable else []))
        seen = seeing(bench, found, Path(argv[0]).resolve().parent)
        return or_else(wheels, attempt("uv", [*argv, *building], env, seen, caged=kept))

    def _asked(self, argv: Sequence[str], env: Mapping[str, str], bench: Bench) -> str | Untestable | Trouble:
        """Where no registry answers, what uv has of it may be enough. If not, that it does not answer is the word."""
        at_once = replace(bench, pauses=())
        if bench.offline:
            return attempt("uv", [*argv, "--offline"], env, at_once)
        if self._is_silent:
            answer = attempt("uv", argv, {**env, "UV_HTTP_RETRIES": "0"}, at_once)
            if isinstance(answer, Trouble):
                answer = attempt("uv", [*argv, "--offline"], env, at_once)
            if isinstance(answer, str):
                return answer
        answer = attempt("uv", argv, env, bench)
        if not isinstance(answer, Trouble) or bench.cancelled.is_set():
            return answer
        self._silent_since = time.monotonic()
        cached = attempt("uv", [*argv, "--offline"], env, at_once)
        if not isinstance(cached, str):
            return answer
        bench.say("uv goes on with what it has in its cache")
        return cached

    @property
    def _is_silent(self) -> bool:
        since = self._silent_since
        return since is not None and time.monotonic() - since < SILENCE


def _is_bare(python: Path) -> bool:
    """Whether nothing is installed in its virtualenv: what failed there had not begun."""
    return not any(python.parent.parent.glob("lib/*/site-packages/*"))


def find(environ: Mapping[str, str]) -> Uv:
    """uv is one of bisector's own dependencies: the one that came with it is tried first."""
    beside = Path(sys.executable).parent / "uv"
    if beside.is_file():
        return Uv(beside)
    on_path = shutil.which("uv", path=environ.get("PATH", ""))
    return Uv(Path(on_path) if on_path else None)


def _named(requirements: Sequence[str]) -> set[str]:
    return {canonicalize_name(re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0]) for line in requirements}


def _tools_until(moment: str, besides: Collection[str] = ()) -> list[str]:
    tools = [tool for tool in BUILD_TOOLS.split() if tool not in besides]
    return [word for tool in tools for word in ("--exclude-newer-package", f"{tool}={moment}")]


def _moment(date: datetime) -> str:
    return date.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _lines(text: str) -> tuple[str, ...]:
    lines = (line.strip() for line in text.splitlines())
    return tuple(sorted(line for line in lines if line and not line.startswith(("#", "-"))))
