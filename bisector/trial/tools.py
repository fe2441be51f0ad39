"""What this machine has for builds beside its system's compilers: Rust as rustup lays it out, and a ccache."""

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


def tools(machine: Mapping[str, str], *, sandbox: bool) -> Tools:
    """In the sandbox nothing that a build could write to, or that holds keys: neither cargo's folder nor a cache."""
    home = Path(machine.get("HOME", "/nonexistent"))
    cargo, ccache = (shutil.which(name, path=machine.get("PATH", "")) for name in ("cargo", "ccache"))
    rustup = Path(machine.get("RUSTUP_HOME") or home / ".rustup")
    folders = (Path(cargo).parent,) if cargo else ()
    readable = tuple(place for place in (*folders, rustup) if cargo and place.is_dir())
    variables: dict[str, Path] = {}
    if rustup in readable:
        variables["RUSTUP_HOME"] = rustup
    if cargo and not sandbox:
        variables["CARGO_HOME"] = Path(machine.get("CARGO_HOME") or home / ".cargo")
    if ccache and not sandbox:
        variables["CCACHE_DIR"] = _compiled(machine, home)
    return Tools(folders, {name: str(place) for name, place in variables.items()}, readable)


def _compiled(machine: Mapping[str, str], home: Path) -> Path:
    """Where the user's own ccache keeps what it compiled."""
    if "CCACHE_DIR" in machine:
        return Path(machine["CCACHE_DIR"])
    old = home / ".ccache"
    return old if old.is_dir() else Path(machine.get("XDG_CACHE_HOME") or home / ".cache") / "ccache"
