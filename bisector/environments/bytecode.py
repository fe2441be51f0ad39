"""A shared layer's bytecode, made once: no trial may write it, and without it each would compile anew.

Knows nothing of layers. Nothing that is compiled is executed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from bisector.environments import alike
from bisector.environments.interpreters import GUEST, Interpreter
from bisector.environments.layers import temporary
from bisector.environments.ready import Place
from bisector.environments.thin import Thin
from bisector.model import Trouble
from bisector.process import Finished

Lend = Callable[[Path, str], None]
"""Puts the bytecode into a folder of packages that another one has; the second word: how its files end."""
FEW = 200
"""So many modules are compiled in one process before a second one has started."""
UNREAD = "tests"
"""Of numpy, scipy and pandas it is the larger half, and hardly a repro imports it."""
MOST_WORKERS = 4


def shares(modules: int) -> int:
    """How many processes compile them."""
    return 1 if modules <= FEW else min(MOST_WORKERS, os.cpu_count() or 1)


def no_lending(site: Path, suffix: str) -> None:
    """Where each layer makes its own."""


def compile_packages(
    venv: Thin, interpreter: Interpreter, place: Place, timeout: float, lend: Lend
) -> Trouble | None:
    """In the cage: a package may have put a link where bytecode goes. What can be lent is not made.

    What cannot be compiled is left to say so itself when it is imported.
    """
    alike.forget(venv.site)
    suffix = interpreter.bytecode_suffix
    if suffix:
        # Evicted in this moment, linked as often as a file can be: what is not lent is compiled.
        with suppress(OSError):
            lend(venv.site, suffix)
    missing = [path for path in alike.modules_without(venv.site, suffix, UNREAD) if "\n" not in path]
    if not missing:
        return None
    with temporary(place.scratch / "compile") as own:
        listed = own / "modules"
        listed.write_text("".join(f"{path}\n" for path in missing), "utf-8", "surrogateescape")
        argv: list[str | Path] = [interpreter.path, "-I", "-S", "-W", "ignore", GUEST / "compile.py"]
        argv += [listed, str(shares(len(missing)))]
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(own), "LANG": "C.UTF-8"}
        readable = (*interpreter.readable, GUEST)
        ran = place.runner(argv, venv.site, env, timeout, (venv.path, own), readable)
    return Trouble("cancelled") if isinstance(ran, Finished) and ran.cancelled else None
