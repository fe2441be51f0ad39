"""Mirrors, slots and ledgers on real repositories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.git.mirror import Mirror
from bisector.git.source import locate

if TYPE_CHECKING:
    from tests.conftest import Repository

Mirrored = Callable[..., Mirror]


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """A user's environment, with a home of its own."""
    home = tmp_path / "home"
    home.mkdir()
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home)}


@pytest.fixture
def said() -> list[str]:
    """What the git room said to the user."""
    return []


@pytest.fixture
def mirror_of(tmp_path: Path, machine: Mapping[str, str], said: list[str]) -> Mirrored:
    """The mirror of a repository, or of whatever the recipe would call it, made and filled."""

    def make(source: Repository | str) -> Mirror:
        text = source if isinstance(source, str) else str(source.path)
        located = locate(text, tmp_path)
        mirror = Mirror(tmp_path / "state" / "mirrors" / located.key, located, machine)
        mirror.ensure(said.append)
        return mirror

    return make
