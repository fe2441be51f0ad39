"""By which names what is made for an interpreter is found again: resolved versions, and layers of packages. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bisector.environments.fingerprint import fingerprint
from bisector.environments.interpreters import Interpreter
from bisector.installers import Installer
from bisector.installers.settings import redact
from bisector.model import EnvironmentRequest, Index

PACKAGES = "packages"
COPIES = "copies"
"""The kinds of layers: links to what the cache holds, which nothing that runs can write to, and the others."""


@dataclass(frozen=True, slots=True)
class Served:
    """An interpreter and the installer that serves it."""

    interpreter: Interpreter
    installer: Installer
    tools: datetime | None = None
    """Of then are the tools that build source archives; None: of today."""


def kind_of(interpreter: Interpreter) -> str:
    """Of layers that may lend each other bytecode: patch releases mend compilers and share its number."""
    return fingerprint(PACKAGES, interpreter.words())[: len(PACKAGES) + 9]


def lock_name(
    requirements: tuple[str, ...], cutoff: datetime | None, served: Served, request: EnvironmentRequest
) -> str:
    interpreter = served.interpreter
    return fingerprint(
        "lock",
        sorted(requirements),
        [cutoff.isoformat() if cutoff else "", served.installer.name],
        [interpreter.version, interpreter.implementation, interpreter.platform],
        _words(request.index),
        *_tools(served),
    )


def layer_name(lines: tuple[str, ...], served: Served, guarded: bool) -> str:
    interpreter, installer = served.interpreter, served.installer
    kind = kind_of(interpreter) if guarded else COPIES
    return fingerprint(kind, interpreter.words(), lines, [installer.name], *_tools(served))


def _tools(served: Served) -> tuple[list[str], ...]:
    """Nothing where they are of today, so that what was kept before is found again."""
    return () if served.tools is None else ([served.tools.isoformat()],)


def _words(index: Index) -> tuple[str, ...]:
    return (redact(index.index_url or ""), *map(redact, index.extra_index_url), *index.find_links)
