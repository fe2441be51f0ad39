"""While much is imported nobody looks for garbage; afterwards it is looked for as ever."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

from bisector.cli.importing import importing
from bisector.process import Finished, run

REPO = Path(__file__).parents[2]


@pytest.mark.parametrize("fails", [False, True])
def test_garbage_is_looked_for_again(fails: bool) -> None:
    try:
        with importing():
            assert not gc.isenabled()
            if fails:
                raise ImportError
    except ImportError:
        assert fails
    assert gc.isenabled()
    gc.unfreeze()


CALLED = """
import gc, sys
from bisector.cli.app import app
from bisector.cli.commands import schema
schema.main = lambda: print(gc.isenabled(), gc.get_freeze_count() > 10_000)
app.main(["schema"], standalone_mode=False)
"""


def test_a_command_finds_what_was_imported_set_apart() -> None:
    ran = run([sys.executable, "-c", CALLED], cwd=REPO, env={"PATH": "/usr/bin:/bin"})
    assert isinstance(ran, Finished)
    assert ran.stdout.split() == ["True", "True"], ran.stderr
