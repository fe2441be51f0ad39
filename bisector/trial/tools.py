"""Compilers of this machine that a build would not find: Rust lies in the user's home, as rustup puts it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Tools:
    """What is added to a build's environment, and must be visible to it."""

    folders: tuple[Path, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()

    def added_to(self, env: Mapping[str, str]) -> dict[str, str]:
        """Last on the path: nothing that the build brings itself is hidden by them."""
        path = [part for part in (env.get("PATH"), *map(str, self.folders)) if part]
        return {**env, **self.variables, "PATH": ":".join(path)}


def rust(machine: Mapping[str, str], *, sandbox: bool) -> Tools:
    """In the sandbox without cargo's own folder, where the keys to registries lie: a build has one of its own."""
    cargo = shutil.which("cargo", path=machine.get("PATH", ""))
    if cargo is None:
        return Tools()
    home, folder = Path(machine.get("HOME", "/nonexistent")), Path(cargo).parent
    rustup = Path(machine.get("RUSTUP_HOME") or home / ".rustup")
    own = Path(machine.get("CARGO_HOME") or home / ".cargo")
    places = {"RUSTUP_HOME": rustup} if sandbox else {"RUSTUP_HOME": rustup, "CARGO_HOME": own}
    return Tools(
        folders=(folder,),
        variables={name: str(place) for name, place in places.items() if place.is_dir()},
        readable=tuple(place for place in (folder, rustup) if place.is_dir()),
    )
