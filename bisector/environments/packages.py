"""Which packages a commit gets; and their layer while its project is built, where the build need not say which."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bisector.beside import Follower, beside
from bisector.environments import ladder, wants
from bisector.environments.builds import Meanwhile
from bisector.environments.dependencies import Dependencies
from bisector.environments.ladder import Rung
from bisector.environments.naming import Served
from bisector.environments.ready import Desk, Place
from bisector.environments.requirements import Metadata
from bisector.model import EnvironmentRequest, Trouble, Untestable
from bisector.process import ProgramMissing


@dataclass(frozen=True, slots=True)
class Wish:
    """What decides which packages there are to be."""

    rung: Rung
    request: EnvironmentRequest
    metadata: Metadata | None
    """As the build has told, or the project says without one."""
    served: Served

    @property
    def requirements(self) -> tuple[str, ...]:
        return wants.requirements(self.request, self.metadata, self.served.interpreter)

    @property
    def is_known(self) -> bool:
        """Whether the build has nothing to say to it."""
        return self.metadata is not None or not self.request.declared


def exact(dependencies: Dependencies, wish: Wish, place: Place) -> tuple[str, ...] | Untestable | Trouble:
    """Every package with its version."""
    request = wish.request
    lines: tuple[str, ...] | Untestable | Trouble = wish.requirements
    if not request.exact:
        lines = dependencies.lock(wish.requirements, wish.rung.cutoff, wish.served, request, place)
    if isinstance(lines, Untestable | Trouble):
        return lines
    return wants.without_itself(lines, request, wish.metadata)


def early(dependencies: Dependencies, wish: Wish, place: Place) -> Callable[[], None] | None:
    """What can be done for the packages before there is a tree; None: nothing, or it is done.

    Where something is built they are laid out beside that, and the build does not wait for them.
    """
    request = wish.request
    if request.declared or request.exact or request.build or wants.installs(request):
        return None
    asked = (wish.requirements, wish.rung.cutoff, wish.served, request, place)
    if dependencies.known(*asked) is not None:
        return None

    def work() -> None:
        lines = dependencies.lock(*asked)
        if isinstance(lines, tuple) and lines:
            dependencies.layer(lines, wish.served, request, place)

    return work


def begin(dependencies: Dependencies, wish: Wish, cancelled: threading.Event) -> None:
    """Lay out pip, and ask which versions there are to be, where nothing but the recipe says so."""
    seed = partial(dependencies.seed, wish.served.interpreter, cancelled)
    with beside(seed, cancelled.set):
        if not (wish.request.declared or wish.request.exact or not wish.requirements):
            _ask_ahead(dependencies, wish, cancelled)


def _ask_ahead(dependencies: Dependencies, wish: Wish, cancelled: threading.Event) -> None:
    with dependencies.shelf.desk("asking") as scratch:
        if scratch is not None:
            asked = (wish.requirements, wish.rung.cutoff, wish.served, wish.request)
            guessing = Follower(cancelled)
            guess = partial(dependencies.lay_out_likely, *asked, _desk(scratch / "likely", guessing))
            with beside(guess, guessing.set):
                if not dependencies.ask_ahead(*asked, _desk(scratch / "asked", cancelled)):
                    guessing.set()
            if not guessing.is_set():
                dependencies.likely.keep(cancelled)


def _desk(scratch: Path, cancelled: threading.Event) -> Desk:
    scratch.mkdir()
    return Desk(scratch, scratch / "log", _runs_nothing, cancelled)


def _runs_nothing(*_: object, **__: object) -> ProgramMissing:
    """Where wheels alone are looked at, nothing is built."""
    return ProgramMissing("a build", "there is no cage for it yet")


def meanwhile(dependencies: Dependencies, wish: Wish, place: Place) -> Meanwhile | None:
    """Laying the packages out; None: they lie there, or the build comes before them.

    Only on the first rung: where one fails, what else is tried is tried alone.
    """
    request = wish.request
    first = wish.rung == ladder.rungs(request)[0]
    if not (first and wish.is_known and request.build_isolation) or _lie_there(dependencies, wish, place):
        return None
    if wants.refusal(request, wish.metadata, wish.served.interpreter) is not None:
        return None

    def lay(own: Place) -> None:
        lines = exact(dependencies, wish, own)
        if isinstance(lines, tuple) and lines:
            dependencies.layer(lines, wish.served, request, own)

    return lay


def _lie_there(dependencies: Dependencies, wish: Wish, place: Place) -> bool:
    request = wish.request
    lines: tuple[str, ...] | None = wish.requirements
    if not request.exact:
        lines = dependencies.known(wish.requirements, wish.rung.cutoff, wish.served, request, place)
    if lines is None:
        return False
    lines = wants.without_itself(lines, request, wish.metadata)
    return not lines or dependencies.has(lines, wish.served)
