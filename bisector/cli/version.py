"""What a bug report about bisector needs to know of the machine."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bisector import __version__, process

_PACKAGES = ("uv", "virtualenv", "pydantic", "rich", "py-spy")


def describe() -> str:
    packages = ", ".join(f"{name} {_version(name)}" for name in _PACKAGES)
    return (
        f"bisector {__version__}\n"
        f"python {platform.python_version()} ({sys.executable})\n"
        f"{_git()}\n"
        f"{packages}\n"
        f"{platform.platform()}"
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _git() -> str:
    ended = process.run(["git", "--version"], cwd=Path("/"), env={"PATH": _path()}, timeout=10)
    return "git missing" if isinstance(ended, process.ProgramMissing) else ended.stdout.strip()


def _path() -> str:
    import os

    return os.environ.get("PATH", "/usr/bin:/bin")
