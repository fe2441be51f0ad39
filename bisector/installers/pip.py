"""pip, run by the hunted interpreter from a wheel that is already on the machine: where uv cannot serve.

The wheel is the interpreter's own (ensurepip), the distribution's, or virtualenv's; none is downloaded.
"""

from __future__ import annotations

import importlib.util
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import timezone
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from bisector.installers.attempt import attempt, or_else, seeing
from bisector.installers.port import Bench, Wanted
from bisector.installers.settings import pip_environment, sources
from bisector.model import Stage, Trouble, Untestable
from bisector.process import leftovers

REPORTS_SINCE = Version("22.2")
CUTOFF_SINCE = Version("26.0")
DISTRIBUTION_WHEELS = Path("/usr/share/python-wheels")
WHEEL_NAME = re.compile(r"pip-(?P<version>[^-]+)-py")


class Pip:
    name = "pip"

    def unavailable(self) -> str | None:
        return None

    def unfit(self, version: tuple[int, int]) -> str | None:
        if version < (3, 6):
            return "bisector's own pieces that run in a hunted interpreter need Python 3.6"
        return None

    def resolve(self, wanted: Wanted, bench: Bench) -> tuple[str, ...] | Untestable | Trouble:
        if not wanted.requirements:
            return ()
        if bench.tools is not None:
            return Untestable(Stage.INSTALL, "pip knows no date for build tools alone; uv does")
        wheel = wheel_for(wanted.python)
        if isinstance(wheel, Trouble):
            return wheel
        if wheel.version < REPORTS_SINCE:
            return self._resolve_by_installing(wheel, wanted, bench)
        report = bench.scratch / "report.json"
        options = ["install", "--dry-run", "--ignore-installed", "--quiet", "--report", str(report)]
        options += ["--no-deps"] if wanted.alone else []
        cutoff = cutoff_options(wheel.version, wanted)
        if isinstance(cutoff, Untestable):
            return cutoff
        answer = _wheels_first(wheel, wanted.python, [*options, *cutoff], wanted.requirements, bench)
        if isinstance(answer, Untestable | Trouble):
            return answer
        said = leftovers.read(report, bench.scratch)
        return Trouble("pip left no answer that can be read") if said is None else _reported(said)

    def _resolve_by_installing(
        self, wheel: PipWheel, wanted: Wanted, bench: Bench
    ) -> tuple[str, ...] | Untestable | Trouble:
        """A pip that cannot report is asked to install aside; what lies there then is the answer."""
        cutoff = cutoff_options(wheel.version, wanted)
        if isinstance(cutoff, Untestable):
            return cutoff
        target = bench.scratch / "resolved"
        options = ["install", "--quiet", "--target", str(target), *cutoff]
        options += ["--no-deps"] if wanted.alone else []
        answer = _wheels_first(wheel, wanted.python, options, wanted.requirements, bench)
        if isinstance(answer, Untestable | Trouble):
            return answer
        return tuple(sorted(_lying_in(target)))

    def install(self, python: Path, lines: tuple[str, ...], bench: Bench) -> Untestable | Trouble | None:
        if not lines:
            return None
        wheel = wheel_for(python)
        if isinstance(wheel, Trouble):
            return wheel
        options = ["install", "--no-deps", "--no-compile"]
        answer = _wheels_first(wheel, python, options, lines, bench, writable=python.parent.parent)
        return None if isinstance(answer, str) else answer


class PipWheel:
    """A pip that can be run without being installed: a wheel is a zip file that Python can import from."""

    def __init__(self, path: Path, version: Version) -> None:
        self.path = path
        self.version = version


def find(environ: Mapping[str, str]) -> Pip:
    """Needs nothing of the environment: a pip comes with every interpreter."""
    return Pip()


def _wheels_first(
    wheel: PipWheel,
    python: Path,
    options: Sequence[str],
    requirements: Sequence[str],
    bench: Bench,
    writable: Path | None = None,
) -> str | Untestable | Trouble:
    if bench.offline:
        return Trouble("pip keeps nothing of a registry that would do without it")
    asked = bench.scratch / "requirements.in"
    asked.write_text("".join(f"{line}\n" for line in requirements), encoding="utf-8")
    found = sources(bench.environ, bench.index, python.parent.parent)
    env = {**pip_environment(bench.environ, found), "PIP_CACHE_DIR": str(bench.cache)}
    argv = [str(python), f"{wheel.path}/pip", *options, "--requirement", str(asked)]
    wheels = attempt("pip", [*argv, "--only-binary", ":all:"], env, bench)
    if bench.wheels_only or not isinstance(wheels, Untestable):
        return wheels
    kept = (bench.cache, bench.scratch, *([writable] if writable else []))
    seen = seeing(bench, found, wheel.path.parent)
    return or_else(wheels, attempt("pip", argv, env, seen, caged=kept))


def cutoff_options(version: Version, wanted: Wanted) -> list[str] | Untestable:
    if wanted.cutoff is None:
        return []
    if version < CUTOFF_SINCE:
        return Untestable(
            Stage.INSTALL,
            f"pip {version} knows no date for releases (--uploaded-prior-to came with pip {CUTOFF_SINCE}); "
            "uv does: dependencies.as_of needs it",
        )
    return ["--uploaded-prior-to", wanted.cutoff.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")]


def _reported(text: str) -> tuple[str, ...]:
    lines = []
    for item in json.loads(text)["install"]:
        name, version = item["metadata"]["name"], item["metadata"]["version"]
        url = item["download_info"]["url"]
        lines.append(f"{name} @ {url}" if item.get("is_direct") else f"{name}=={version}")
    return tuple(sorted(lines))


def _lying_in(target: Path) -> Iterator[str]:
    for folder in target.glob("*.dist-info"):
        name, _, version = folder.name.removesuffix(".dist-info").partition("-")
        yield f"{name}=={version}"


def wheel_for(python: Path) -> PipWheel | Trouble:
    """The newest pip on this machine that runs on `python`."""
    base = python.resolve()
    version = re.search(r"(\d+\.\d+)$", base.name)
    places = [*base.parent.parent.glob("lib/python3*/ensurepip/_bundled"), DISTRIBUTION_WHEELS]
    virtualenv = importlib.util.find_spec("virtualenv")
    if virtualenv is not None and virtualenv.origin:
        places.append(Path(virtualenv.origin).parent / "seed" / "wheels" / "embed")
    wheels = [wheel for place in places for wheel in _wheels_in(place, version[1] if version else None)]
    if not wheels:
        return Trouble(f"no pip was found for {base}: neither ensurepip's nor virtualenv's", lasting=True)
    return max(wheels, key=lambda wheel: wheel.version)


def _wheels_in(place: Path, python: str | None) -> Iterator[PipWheel]:
    for path in place.glob("pip-*.whl"):
        named = WHEEL_NAME.match(path.name)
        if named and (place.name == "_bundled" or (python and _runs_on(path, python))):
            yield PipWheel(path, Version(named["version"]))


def _runs_on(wheel: Path, python: str) -> bool:
    with zipfile.ZipFile(wheel) as archive:
        [metadata] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        said = re.search(rb"^Requires-Python: (.*)$", archive.read(metadata), re.MULTILINE)
    try:
        return said is None or f"{python}.99" in SpecifierSet(said[1].decode().strip())
    except InvalidSpecifier:
        return False
