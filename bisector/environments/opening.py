"""How environments are opened: once for all workers of a process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from bisector.environments.builds import Builds
from bisector.environments.dependencies import Dependencies
from bisector.environments.environments import Environments
from bisector.environments.interpreters import Interpreters
from bisector.environments.known import KnownInputs
from bisector.environments.later import Later
from bisector.environments.layers import Shelf
from bisector.environments.proof import Proofs
from bisector.installers import INSTALLERS, Installer, Say, unheard

RETRY_PAUSES = (1.0, 5.0)


def open_environments(
    root: Path,
    environ: Mapping[str, str],
    *,
    guarded: bool | Callable[[], bool] = False,
    installers: tuple[Installer, ...] | None = None,
    pauses: tuple[float, ...] = RETRY_PAUSES,
    say: Say = unheard,
) -> Environments:
    """Those below `root`, freed of what a killed process left.

    `guarded`: the cage binds `Ready.readable` read-only, so that no trial can write to a layer. Else layers
    are copies of what the cache holds, not links, and are looked through before each use. Where that is still to be
    found out, a registry can be asked meanwhile. `say` hears why it takes so long where one does not answer.
    """
    shelf = Shelf(root, guarded)
    shelf.sweep()
    dependencies = Dependencies(shelf, Later(shelf), root, environ, pauses, say)
    return Environments(
        interpreters=Interpreters(environ),
        installers=installers or tuple(make(environ) for make in INSTALLERS.values()),
        shelf=shelf,
        dependencies=dependencies,
        builds=Builds(shelf, KnownInputs(root / "inputs"), dependencies),
        proofs=Proofs(shelf),
    )
