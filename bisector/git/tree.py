"""What git knows of the tree in a slot: every file with the id of its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from bisector.git.door import Git


@dataclass
class Tree:
    """The slot's index, read once and only when somebody asks."""

    git: Git

    def files(self) -> Mapping[str, str]:
        return self._files

    @cached_property
    def _files(self) -> Mapping[str, str]:
        entries = self.git.text("ls-files", "--stage", "-z").split("\0")
        pairs = (entry.split("\t", 1) for entry in entries if entry)
        return {path: said.split()[1] for said, path in pairs}
