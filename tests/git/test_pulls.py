"""Commits that only the heads of pull requests hold: fetched aside, and no longer than somebody wants them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.errors import Interrupted
from bisector.git.mirror import Mirror
from bisector.git.pulls import PullCommits
from bisector.git.source import locate

if TYPE_CHECKING:
    from tests.conftest import Making

Mirrored = Callable[..., Mirror]
HANGS = """\
#!/bin/sh
: > {asked}
exec sleep 60
"""


def test_a_server_that_does_not_answer_is_left_when_it_is_told_so(
    making: Making, mirror_of: Mirrored, tmp_path: Path
) -> None:
    mirror = mirror_of(making.repository("1..3"))
    asked, ssh = tmp_path / "asked", tmp_path / "ssh"
    ssh.write_text(HANGS.format(asked=asked))
    ssh.chmod(0o755)
    stop = threading.Event()
    source = locate("git@example.org:some/project.git", tmp_path)
    hanging = replace(
        mirror, source=source, machine={**mirror.machine, "GIT_SSH_COMMAND": str(ssh)}, stop=stop
    )

    def tell() -> None:
        while not asked.exists():
            stop.wait(0.01)
        stop.set()

    threading.Thread(target=tell).start()
    with pytest.raises(Interrupted):
        PullCommits(hanging).describe(["1" * 40])
