"""The Pythons of this machine: found by version or path, asked once each what they are.

Looks at the running interpreter's, pyenv's, uv's and those on PATH; starts only candidates that may fit.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet

from bisector.process import Finished, run

GUEST = Path(__file__).parent / "guest"
PROBE_TIMEOUT = 20.0
OLDEST = (3, 6)
VERSION = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?")
NAMED = re.compile(r"python(\d+\.\d+)")
SYSTEM_FOLDERS = (Path("/usr/local/bin"), Path("/usr/bin"))


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that was started and said what it is. `path` is the base one, never a virtualenv's."""

    path: Path
    version: str
    implementation: str
    prefix: Path
    site: str
    """Where packages lie, below the prefix of any virtualenv of it."""
    platform: str
    library: Path
    """The folder of its shared library; it may lie outside the prefix."""

    @property
    def minor(self) -> tuple[int, int]:
        major, minor, *_ = self.version.split(".")
        return int(major), int(minor)

    @property
    def bytecode_suffix(self) -> str:
        """What follows a module's name where its bytecode is kept; nothing: not known."""
        major, minor = self.minor
        return f".cpython-{major}{minor}.pyc" if self.implementation == "cpython" and major > 2 else ""

    @property
    def readable(self) -> tuple[Path, ...]:
        """What must be visible for it to start."""
        return (self.prefix, self.path.parent, self.library)

    def words(self) -> tuple[str, ...]:
        """What makes installed files differ between two interpreters."""
        return (str(self.path), self.version, self.implementation, self.platform)


@dataclass(frozen=True, slots=True)
class NoInterpreter:
    """What was asked for is not here; `hint` is the command that brings it."""

    reason: str
    hint: str


class Interpreters:
    """Remembers what each executable said; one instance may serve several threads."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._said: dict[Path, Interpreter | None] = {}
        self._lock = threading.Lock()

    def find(self, asked: str) -> Interpreter | NoInterpreter:
        """A version ("3.11", "3.11.7") or the path of an executable."""
        if VERSION.fullmatch(asked) is None:
            return self._at(Path(asked).expanduser())
        candidates = [path for path in self._candidates() if _may_be(path, asked)]
        for path in candidates:
            found = self.ask(path)
            if found is not None and _is_version(found.version, asked):
                return found
        wanted = _numbers(asked)
        is_too_old = wanted < OLDEST[: len(wanted)]
        return NoInterpreter(
            f"Python {asked} is not on this machine (there are {self._known() or 'none'})",
            f"from {OLDEST[0]}.{OLDEST[1]} on a Python can be hunted with, no older one"
            if is_too_old
            else f"uv python install {asked}, or pyenv install {asked}",
        )

    def newest(self, allowed: SpecifierSet, at_most: tuple[int, int] | None) -> Interpreter | NoInterpreter:
        """The newest that `allowed` holds for, not above `at_most`; the one next above where all are newer."""
        fitting = [one for one in self.list_all() if one.version in allowed]
        preferred = [one for one in fitting if at_most is None or one.minor <= at_most]
        if preferred:
            return max(preferred, key=lambda one: _numbers(one.version))
        if fitting:
            lowest = min(one.minor for one in fitting)
            return max((one for one in fitting if one.minor == lowest), key=lambda one: _numbers(one.version))
        return NoInterpreter(
            f"no Python on this machine is {allowed or 'usable'} (there are {self._known() or 'none'})",
            "uv python install, with a version that fits, or pyenv install",
        )

    def list_all(self) -> tuple[Interpreter, ...]:
        """Every one that works and is new enough, each once, newest first."""
        found = {one.path: one for path in self._candidates() if (one := self.ask(path)) is not None}
        return tuple(sorted(found.values(), key=lambda one: _numbers(one.version), reverse=True))

    def ask(self, path: Path) -> Interpreter | None:
        """Start it once; None when it does not work or is older than what bisector's own pieces need."""
        with self._lock:
            if path not in self._said:
                self._said[path] = self._start(path)
            return self._said[path]

    def _at(self, path: Path) -> Interpreter | NoInterpreter:
        if not path.is_file():
            return NoInterpreter(
                f"there is no interpreter at {path}", "give a version, or the path of a python"
            )
        return self.ask(path.absolute()) or NoInterpreter(
            f"{path} is no Python from {OLDEST[0]}.{OLDEST[1]} on, or does not start",
            f"try {shlex.quote(str(path))} --version",
        )

    def _start(self, path: Path) -> Interpreter | None:
        kept = {name: value for name, value in self._environ.items() if name in {"HOME", "PATH", "TMPDIR"}}
        said = run([path, "-I", GUEST / "about.py"], cwd=GUEST, env=kept, timeout=PROBE_TIMEOUT)
        if not isinstance(said, Finished) or not said.ok:
            return None
        try:
            facts = json.loads(said.stdout)
            found = Interpreter(
                path=Path(facts["executable"]),
                version=str(facts["version"]),
                implementation=str(facts["implementation"]),
                prefix=Path(facts["prefix"]),
                site=str(facts["site"]),
                platform=str(facts["platform"]),
                library=Path(facts["library"] or facts["prefix"]),
            )
        except (ValueError, KeyError, TypeError):
            return None
        return found if found.minor >= OLDEST else None

    def _candidates(self) -> Iterator[Path]:
        """Each executable that may be a Python, most trusted first; nothing is started."""
        yield Path(getattr(sys, "_base_executable", sys.executable))
        yield from sorted(self._pyenv_versions().glob("*/bin/python"), key=_by_folder, reverse=True)
        yield from sorted(self._uv_pythons().glob("*/bin/python3"), key=_by_folder, reverse=True)
        shims = self._pyenv_root() / "shims"
        on_path = [Path(folder) for folder in self._environ.get("PATH", "").split(":") if folder]
        for folder in dict.fromkeys([*on_path, *SYSTEM_FOLDERS]):
            # A shim answers for whatever version is chosen where it is started.
            if folder != shims and folder.is_dir():
                yield from sorted(path for path in folder.glob("python3*") if _is_python(path))

    def _pyenv_root(self) -> Path:
        return Path(self._environ.get("PYENV_ROOT") or self._home() / ".pyenv")

    def _pyenv_versions(self) -> Path:
        return self._pyenv_root() / "versions"

    def _uv_pythons(self) -> Path:
        told = self._environ.get("UV_PYTHON_INSTALL_DIR")
        data = self._environ.get("XDG_DATA_HOME")
        return Path(told) if told else Path(data or self._home() / ".local" / "share") / "uv" / "python"

    def _home(self) -> Path:
        return Path(self._environ.get("HOME") or "/")

    def _known(self) -> str:
        return ", ".join(dict.fromkeys(one.version for one in self.list_all()))


def _is_python(path: Path) -> bool:
    return re.fullmatch(r"python3(\.\d+)?", path.name) is not None and path.is_file()


def _may_be(path: Path, asked: str) -> bool:
    """Whether its name allows the version: a pyenv folder and python3.11 say so, plain python3 does not."""
    named = NAMED.fullmatch(path.name)
    if named is not None:
        return _is_version(named[1], asked) or _is_version(asked, named[1])
    folder = re.search(r"\d+\.\d+(\.\d+)?", path.parent.parent.name)
    return folder is None or _is_version(folder[0], asked) or _is_version(asked, folder[0])


def _is_version(version: str, asked: str) -> bool:
    parts = asked.split(".")
    return version.split(".")[: len(parts)] == parts


def _by_folder(path: Path) -> tuple[int, ...]:
    return _numbers(path.parent.parent.name)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
