"""What every installer must do, asked of each that is named."""

from __future__ import annotations

import os
import sys
import threading
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest
from packaging.version import Version

from bisector.installers import INSTALLERS, Bench, Installer, Wanted
from bisector.installers.pip import cutoff_options, wheel_for
from bisector.installers.uv import Uv
from bisector.model import Index, Trouble, Untestable
from bisector.process import Finished, ProgramMissing, run

PYTHON = Path(getattr(sys, "_base_executable", sys.executable))


def bare(
    argv: Sequence[str | Path],
    cwd: Path,
    env: Mapping[str, str],
    timeout: float | None,
    writable: tuple[Path, ...],
    readable: tuple[Path, ...],
    stdin: int | None = None,
) -> Finished | ProgramMissing:
    ran = run(argv, cwd=cwd, env=env, timeout=timeout)
    if isinstance(ran, ProgramMissing):
        return ran
    # As a cage does it: one stream for both.
    return replace(ran, stdout_bytes=ran.stderr_bytes + ran.stdout_bytes, stderr_bytes=b"")


def wheel(folder: Path, name: str, version: str, requires: str | None = None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    more = f"Requires-Dist: {requires}\n" if requires else ""
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}.py", f"version = {version!r}\n")
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{more}"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(
            f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    for folder in ("scratch", "cache"):
        (tmp_path / folder).mkdir()
    wheel(tmp_path / "wheels", "top", "1", "below<2")
    wheel(tmp_path / "wheels", "below", "1")
    wheel(tmp_path / "wheels", "below", "2")
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
    }
    return Bench(
        environ=environ,
        index=Index(find_links=(str(tmp_path / "wheels"),)),
        cache=tmp_path / "cache",
        scratch=tmp_path / "scratch",
        log=tmp_path / "log",
        runner=bare,
        timeout=120.0,
        cancelled=threading.Event(),
        pauses=(),
    )


@pytest.fixture(params=list(INSTALLERS))
def installer(request: pytest.FixtureRequest) -> Installer:
    made = INSTALLERS[request.param]({"PATH": os.environ["PATH"]})
    assert made.unavailable() is None
    return made


@pytest.mark.parametrize("name", INSTALLERS)
def test_it_is_known_by_its_own_name(name: str) -> None:
    assert INSTALLERS[name]({}).name == name


def test_it_resolves_to_exact_versions_and_installs_those_alone(installer: Installer, bench: Bench) -> None:
    lines = installer.resolve(Wanted(PYTHON, ("top",)), bench)
    assert lines == ("below==1", "top==1")
    venv = bench.scratch / "venv"
    run([PYTHON, "-m", "venv", "--without-pip", venv], cwd=bench.scratch, env={"PATH": "/usr/bin:/bin"})
    assert installer.install(venv / "bin" / "python", ("top==1",), bench) is None
    said = run(
        [venv / "bin" / "python", "-c", "import top; print(top.version); import below"],
        cwd=bench.scratch,
        env={},
    )
    assert isinstance(said, Finished)
    assert said.stdout == "1\n"
    assert "No module named 'below'" in said.stderr


def test_nothing_asked_is_nothing_done(installer: Installer, bench: Bench) -> None:
    assert installer.resolve(Wanted(PYTHON, ()), bench) == ()
    assert installer.install(bench.scratch / "no" / "python", (), bench) is None
    assert not bench.log.exists()


def test_what_cannot_be_met_is_the_commits_affair(installer: Installer, bench: Bench) -> None:
    answer = installer.resolve(Wanted(PYTHON, ("top", "below>=2")), bench)
    assert isinstance(answer, Untestable)
    assert "below" in answer.reason


def test_a_cancelled_one_is_nobodys_fault(installer: Installer, bench: Bench) -> None:
    bench.cancelled.set()
    assert isinstance(installer.resolve(Wanted(PYTHON, ("top",)), bench), Trouble)


def test_old_pythons_are_refused_in_words(installer: Installer) -> None:
    assert installer.unfit((3, 6)) is None
    assert "3.6" in str(installer.unfit((2, 7)))


def test_uv_that_is_not_there_says_how_to_get_it() -> None:
    assert "pip install uv" in str(Uv(None).unavailable())


def test_pip_knows_dates_from_a_version_on() -> None:
    wanted = Wanted(PYTHON, ("top",), datetime(2024, 5, 1, tzinfo=timezone.utc))
    old = cutoff_options(Version("23.2.1"), wanted)
    assert isinstance(old, Untestable)
    assert "dependencies.as_of" in old.reason
    assert cutoff_options(Version("26.0"), wanted) == ["--uploaded-prior-to", "2024-05-01T00:00:00Z"]
    assert cutoff_options(Version("20.0"), Wanted(PYTHON, ("top",))) == []


def test_a_pip_is_found_without_downloading_one() -> None:
    found = wheel_for(PYTHON)
    assert not isinstance(found, Trouble)
    assert found.path.is_file()
