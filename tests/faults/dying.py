"""A hunt as `bisector run` has it, that kills itself with -9 at the first thing no life before it has heard of.

dying.py RECIPE SEEN KINDS AFTER: the file SEEN remembers what others died of, KINDS are the events it may die
of, so many of which it survives.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from bisector.cli.commands.opening import open_mirror, tools
from bisector.cli.commands.reading import open_state, read_recipe
from bisector.cli.commands.workshop import beforehand
from bisector.cli.options import gather
from bisector.engine import which
from bisector.engine.progress import Note, PhaseBegan, Progress, StepBegan, TrialBegan, TrialEnded
from bisector.engine.run import hunt
from bisector.engine.session import session


class Mortal:
    def __init__(self, seen: Path, kinds: str, after: int) -> None:
        self._seen = seen
        self._kinds = kinds.split()
        self._after = after

    def hear(self, progress: Progress) -> None:
        name = in_words(progress)
        if type(progress).__name__ not in self._kinds or name in self._known():
            return
        self._after -= 1
        if self._after >= 0:
            return
        with self._seen.open("a") as file:
            file.write(f"{name}\n")
        os.kill(os.getpid(), signal.SIGKILL)

    def _known(self) -> list[str]:
        return self._seen.read_text().splitlines() if self._seen.exists() else []


def in_words(progress: Progress) -> str:
    kind = type(progress).__name__
    match progress:
        case Note(text):
            return f"{kind} {text}"
        case PhaseBegan(phase):
            return f"{kind} {phase.value}"
        case TrialBegan():
            return f"{kind} {progress.commit.sha} {progress.purpose.value}"
        case StepBegan():
            return f"{kind} {progress.step.value}"
        case TrialEnded():
            return f"{kind} {progress.commit.sha} {progress.judged.trial.purpose.value}"
        case _:
            return kind


def main(recipe: str, seen: str, kinds: str, after: str) -> None:
    options = gather({})
    opened = read_recipe(recipe, options)
    state, store = open_state(options)
    known = which.find(store, opened.recipe)
    if known is not None and store.account(known.id) is not None and known.finished:
        return
    stop, mortal = threading.Event(), Mortal(Path(seen), kinds, int(after))
    mirror = open_mirror(state, opened.recipe, stop)
    with (
        beforehand(state, opened.recipe, options, None) as workshop,
        tools(workshop(), state, store, options, mortal, stop) as kit,
    ):
        mirror.ensure(lambda text: mortal.hear(Note(text)))
        row = known or which.create(store, opened.recipe, opened.written, mirror.source.shown)
        with session(kit, row, opened.recipe, mirror, fresh=False) as hunter:
            hunt(hunter, os.environ)


main(*sys.argv[1:])
