"""An interpreter for a build that is not known yet: it starts while the tree is laid out, imports the backend, waits.

What it makes is what one that starts later makes: of the tree it has read nothing. What it fails at is tried again
by one that starts then, so it can change no answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress

from bisector.beside import MET
from bisector.environments.yard import Outfit, Yard
from bisector.process import Finished, ProgramMissing

PATIENT = {
    "setuptools.build_meta": "setuptools.build_meta",
    "setuptools.build_meta:__legacy__": "setuptools.build_meta",
}
"""Backends that look at nothing around them as they are imported, and take long; the modules."""


class Builder:
    """Told its job once, or let go."""

    def __init__(self, yard: Yard, ended: Future[Finished | ProgramMissing], mouth: int) -> None:
        self.yard = yard
        self._ended = ended
        self._mouth: int | None = mouth
        self.was_told = False

    def fits(self, outfit: Outfit) -> bool:
        """Whether it could do such a build now."""
        return self._mouth is not None and not self._ended.done() and outfit == self.yard.outfit

    def tell(self, job: bytes) -> Finished | ProgramMissing:
        """Do it, to the end."""
        self.was_told = True
        if self._mouth is not None:
            # Gone in this very moment, it has ended in vain, and says so.
            with suppress(BrokenPipeError):
                os.write(self._mouth, job)
        self.let_go()
        return self._ended.result()

    def let_go(self) -> None:
        """Nothing more is said to it: without a job it ends."""
        mouth, self._mouth = self._mouth, None
        if mouth is not None:
            os.close(mouth)


@contextmanager
def waiting(yard: Yard, give_up: Callable[[], None]) -> Iterator[Builder]:
    """It is over with the block. `give_up` ends what does not end by itself."""
    ear, mouth = os.pipe()
    argv = [*yard.hook, *([yard.outfit.imports] if yard.outfit.imports else ())]
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="builder") as pool:
        ended = pool.submit(yard.run, argv, yard.scratch, stdin=ear)
        builder = Builder(yard, ended, mouth)
        try:
            yield builder
        finally:
            builder.let_go()
            give_up()
            fault = ended.exception()
            os.close(ear)
    if fault is not None and not isinstance(fault, MET):
        raise fault
