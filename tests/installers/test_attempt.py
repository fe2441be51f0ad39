"""Source archives are the last rung, and go without the machine's passwords: what is said when they do not go."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import NoReturn

import pytest

from bisector.installers.attempt import NO_SECRETS, attempt, or_else
from bisector.installers.port import Bench
from bisector.installers.words import REFUSED
from bisector.model import Index, Stage, Trouble, Untestable

WHEELS = Untestable(Stage.INSTALL, "a was not found in the package registry")


def test_a_password_that_is_withheld_hides_no_reason() -> None:
    answer = or_else(WHEELS, Trouble(f"{REFUSED}: 401 Unauthorized", lasting=True))
    assert answer == Untestable(Stage.INSTALL, f"{WHEELS.reason}\n{NO_SECRETS}")


@pytest.mark.parametrize(
    "built",
    ["a==1\n", Untestable(Stage.INSTALL, "a cannot be built"), Trouble("the disk is full", lasting=True)],
)
def test_everything_else_is_the_word_of_the_source(built: str | Untestable | Trouble) -> None:
    assert or_else(WHEELS, built) is built


def no_code_of_others(*_: object, **__: object) -> NoReturn:
    raise AssertionError


def test_what_an_installer_leaves_half_done_lies_in_its_scratch(tmp_path: Path) -> None:
    """An old pip that is killed leaves what it unpacked where files are temporary."""

    bench = Bench(
        environ={},
        index=Index(),
        cache=tmp_path,
        scratch=tmp_path,
        log=tmp_path / "log",
        runner=no_code_of_others,
        timeout=60.0,
        cancelled=threading.Event(),
    )
    env = {"PATH": os.environ["PATH"], "TMPDIR": "/elsewhere"}
    left = attempt("sh", ["sh", "-c", "mktemp"], env, bench)
    assert isinstance(left, str)
    assert Path(left.strip()).parent == tmp_path
