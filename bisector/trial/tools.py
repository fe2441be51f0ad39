"""What this machine has for builds beside its system's compilers: Rust as rustup lays it out, and a ccache."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

RUST = ("cargo", "rustc", "rustdoc", "rustup")
RUSTUP = ("toolchains", "settings.toml", "update-hashes")


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
    home = Path(machine.get("HOME") or "/nonexistent")
    cargo = _program("cargo", machine)
    rustup = Path(machine.get("RUSTUP_HOME") or home / ".rustup")
    own = Path(machine.get("CARGO_HOME") or home / ".cargo")
    variables = {"RUSTUP_HOME": str(rustup)} if cargo and rustup.is_dir() else {}
    if sandbox:
        return _strangers(own, rustup, variables) if cargo and cargo.parent == own / "bin" else Tools()
    if cargo and own.is_dir():
        variables["CARGO_HOME"] = str(own)
    if _program("ccache", machine):
        variables |= _compiled(machine, home)
    return Tools((cargo.parent,) if cargo else (), variables)


def _strangers(own: Path, rustup: Path, variables: Mapping[str, str]) -> Tools:
    """Nothing that a build could write to, or that may hold keys: rustup's toolchains alone."""
    places = [*(own / "bin" / name for name in RUST), *(rustup / name for name in RUSTUP)]
    return Tools((own / "bin",), variables, tuple(place for place in places if place.exists()))


def _program(name: str, machine: Mapping[str, str]) -> Path | None:
    found = shutil.which(name, path=machine.get("PATH", ""))
    return Path(found) if found and Path(found).is_absolute() else None


def _compiled(machine: Mapping[str, str], home: Path) -> dict[str, str]:
    """Where the user's own ccache keeps what it compiled, under the user's own settings."""
    said = {name: value for name, value in machine.items() if name.startswith("CCACHE_") and value}
    if "CCACHE_DIR" in said or (home / ".ccache").is_dir():
        return {"CCACHE_DIR": str(home / ".ccache"), **said}
    cache = Path(machine.get("XDG_CACHE_HOME") or home / ".cache") / "ccache"
    settings = Path(machine.get("XDG_CONFIG_HOME") or home / ".config") / "ccache" / "ccache.conf"
    if not settings.is_file():
        return {"CCACHE_DIR": str(cache), **said}
    names_it = re.search(r"^\s*cache_dir\s*=", settings.read_text(errors="replace"), re.MULTILINE)
    return {"CCACHE_CONFIGPATH": str(settings), **({} if names_it else {"CCACHE_DIR": str(cache)}), **said}
