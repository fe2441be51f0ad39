"""A shared layer's bytecode, made once: no trial may write it, and without it each would compile anew.

Knows nothing of layers. Nothing that is compiled is executed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from bisector.boot import this_boot
from bisector.environments import alike
from bisector.environments.census import BOOT, CACHE, NOTE
from bisector.environments.interpreters import GUEST, Interpreter
from bisector.environments.layers import temporary
from bisector.environments.reached import reached
from bisector.environments.ready import Desk, Place
from bisector.environments.thin import Thin
from bisector.model import Trouble
from bisector.process import Finished, ProgramMissing

Lend = Callable[[Path, str], None]
"""Puts the bytecode into a folder of packages that another one has; the second word: how its files end."""
FEW = 200
"""So many modules are compiled in one process before a second one has started."""
MANY = 400
"""So few are compiled before somebody has found out which of them matter."""
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
    modules = alike.modules(venv.site, suffix, UNREAD)
    missing = [path for path, is_there in modules.items() if not is_there and "\n" not in path]
    if place.may_defer and len(missing) > MANY:
        missing = _put_off(venv, interpreter.site, missing, reached(venv.site, modules))
    if not missing:
        return None
    with temporary(place.scratch / "compile") as own:
        ran = compile_listed(
            _lines(missing), venv.site, venv.path, interpreter, replace(place, scratch=own), timeout
        )
    return Trouble("cancelled") if isinstance(ran, Finished) and ran.cancelled else None


def compile_listed(
    modules: bytes,
    folder: Path,
    writable: Path,
    interpreter: Interpreter,
    place: Desk,
    timeout: float | None,
    *,
    idle: bool = False,
) -> Finished | ProgramMissing:
    """Modules, a line each, seen from `folder`. `idle`: by one process that takes what all others leave."""
    listed = place.scratch / "modules"
    listed.write_bytes(modules)
    argv: list[str | Path] = [interpreter.path, "-I", "-S", "-W", "ignore", GUEST / "compile.py", listed]
    argv += ["1", "idle"] if idle else [str(shares(modules.count(b"\n")))]
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(place.scratch), "LANG": "C.UTF-8"}
    readable = (*interpreter.readable, GUEST)
    return place.runner(argv, folder, env, timeout, (writable, place.scratch), readable)


def _put_off(venv: Thin, site: str, missing: list[str], first: set[str]) -> list[str]:
    """What is needed at once; the rest is noted, and has its folders."""
    rest = [path for path in missing if path not in first]
    for top in dict.fromkeys(path.rpartition("/")[0] for path in rest):
        with suppress(FileExistsError):
            (venv.site / top / CACHE).mkdir()
    if rest:
        (venv.path / BOOT).write_text(this_boot())
        (venv.path / NOTE).write_bytes(_lines(f"{site}/{path.removeprefix('./')}" for path in rest))
    return [path for path in missing if path in first]


def _lines(paths: Iterable[str]) -> bytes:
    return "".join(f"{path}\n" for path in paths).encode("utf-8", "surrogateescape")
