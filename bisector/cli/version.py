"""What a bug report about bisector needs to know of the machine."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bisector import __version__, process

_PACKAGES = ("uv", "virtualenv", "pydantic", "rich", "py-spy")


def describe() -> str:
    packages = ", ".join(f"{name} {_version(name)}" for name in _PACKAGES)
    return (
        f"bisector {__version__}\n"
        f"python {platform.python_version()} ({sys.executable})\n"
        f"git {git_version(os.environ) or 'missing'}\n"
        f"{packages}\n"
        f"{platform.platform()}"
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def git_version(machine: Mapping[str, str]) -> str | None:
    """As git numbers itself; None when there is none."""
    env = {"PATH": machine.get("PATH", "/usr/bin:/bin")}
    ended = process.run(["git", "--version"], cwd=Path("/"), env=env, timeout=10)
    words = [] if isinstance(ended, process.ProgramMissing) else ended.stdout.split()
    return words[2] if len(words) > 2 else None
