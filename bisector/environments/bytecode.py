"""A shared layer's bytecode, made once: no trial may write it, and without it each would compile anew.

Knows nothing of layers. Nothing that is compiled is executed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bisector.environments import alike
from bisector.environments.interpreters import Interpreter
from bisector.environments.ready import Place
from bisector.environments.thin import Thin
from bisector.model import Trouble
from bisector.process import Finished

FEW = 200
"""So many modules are compiled in one process before a second one has started."""
UNREAD = "/tests/"
"""Of numpy, scipy and pandas it is the larger half, and hardly a repro imports it."""
MOST_WORKERS = 4


def compile_packages(
    venv: Thin, interpreter: Interpreter, place: Place, timeout: float, others: Sequence[Path]
) -> Trouble | None:
    """In the cage: a package may have put a link where bytecode goes. Some is taken from where `others` have theirs.

    What cannot be compiled is left to say so itself when it is imported.
    """
    alike.forget(venv.site)
    workers = min(MOST_WORKERS, os.cpu_count() or 1)
    if others and (suffix := interpreter.bytecode_suffix):
        for other in others:
            # Evicted in this moment, linked as often as a file can be: what is not lent is compiled.
            with suppress(OSError):
                alike.lend(venv.site, other, suffix)
        workers = workers if alike.modules_without(venv.site, suffix) > FEW else 1
    # From within its folder: only folders of packages are taken for tests then, not those above.
    argv: list[str | Path] = [interpreter.path, "-I", "-S", "-m", "compileall", "-q", "-j", str(workers)]
    argv += ["-x", UNREAD, "."]
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(place.scratch), "LANG": "C.UTF-8"}
    writable = (venv.path, place.scratch)
    ran = place.runner(argv, venv.site, env, timeout, writable, interpreter.readable)
    return Trouble("cancelled") if isinstance(ran, Finished) and ran.cancelled else None
