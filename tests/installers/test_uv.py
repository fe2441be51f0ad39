"""uv asks no registry twice in one hunt, where what it has kept does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bisector.installers import Bench, Wanted
from bisector.installers.uv import Uv
from bisector.model import Trouble, Untestable

from .test_contract import PYTHON, bench

__all__ = ["bench"]
UV = """#!/bin/sh
echo "$@" >> "{calls}"
case "$*" in
*compile*) while [ "$1" != --output-file ]; do shift; done; echo "{line}" > "$2" ;;
*--offline*) {offline} ;;
esac
"""


def uv(folder: Path, offline: str, line: str = "dep==1") -> Uv:
    """Answers as told, and installs nothing."""
    program = folder / "uv"
    program.write_text(UV.format(calls=folder / "calls", offline=offline, line=line))
    program.chmod(0o755)
    return Uv(program)


def site(folder: Path) -> Path:
    made = folder / "venv" / "lib" / "python3" / "site-packages"
    made.mkdir(parents=True)
    return made


def called(folder: Path) -> list[bool]:
    """Of each install, whether it was offline."""
    calls = (folder / "calls").read_text().splitlines()
    return ["--offline" in call for call in calls if " install " in call]


def install(installer: Uv, bench: Bench, folder: Path) -> Untestable | Trouble | None:
    lines = installer.resolve(Wanted(PYTHON, ("dep",)), bench)
    assert isinstance(lines, tuple)
    return installer.install(folder / "venv" / "bin" / "python", lines, bench)


@pytest.mark.parametrize(
    ("offline", "calls"),
    [("true", [True]), ("echo 'it was not found in the cache'; exit 1", [True, False])],
    ids=["kept", "not kept"],
)
def test_what_is_kept_is_enough(tmp_path: Path, bench: Bench, offline: str, calls: list[bool]) -> None:
    site(tmp_path)
    assert install(uv(tmp_path, offline), bench, tmp_path) is None
    assert called(tmp_path) == calls


def test_what_failed_half_way_is_not_begun_again_over_its_ruins(tmp_path: Path, bench: Bench) -> None:
    ruin = site(tmp_path) / "dep"
    failed = install(uv(tmp_path, f"touch {ruin}; echo 'No space left on device'; exit 2"), bench, tmp_path)
    assert isinstance(failed, Trouble)
    assert "disk is full" in failed.reason
    assert called(tmp_path) == [True]


@pytest.mark.parametrize(
    "line", ["dep @ https://example.org/dep.whl", "dep @ git+https://example.org/dep@abc"]
)
def test_what_comes_from_elsewhere_is_asked_for(tmp_path: Path, bench: Bench, line: str) -> None:
    site(tmp_path)
    assert install(uv(tmp_path, "true", line), bench, tmp_path) is None
    assert called(tmp_path) == [False]


def test_what_an_earlier_hunt_resolved_is_asked_for(tmp_path: Path, bench: Bench) -> None:
    """Between then and now the machine's own settings may have changed."""
    site(tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    assert uv(tmp_path, "true").install(python, ("dep==1",), bench) is None
    assert called(tmp_path) == [False]


def test_an_answer_without_a_registry_is_none_of_the_registrys(tmp_path: Path, bench: Bench) -> None:
    site(tmp_path)
    installer = uv(tmp_path, "true")
    assert installer.resolve(Wanted(PYTHON, ("dep",)), replace(bench, offline=True)) == ("dep==1",)
    python = tmp_path / "venv" / "bin" / "python"
    assert installer.install(python, ("dep==1",), bench) is None
    assert called(tmp_path) == [False]
