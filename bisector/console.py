"""What a person sees while a hunt runs: a live picture on a terminal, elsewhere plain lines; on stderr."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console as Terminal
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from bisector.engine.forecast import in_words, seconds_left
from bisector.engine.progress import (
    Began,
    Ended,
    Listener,
    Note,
    PhaseBegan,
    Progress,
    StepBegan,
    TrialBegan,
    TrialEnded,
)
from bisector.harmless import line as one_line
from bisector.hunt import Phase
from bisector.model import Judgement, Ran, Terms
from bisector.report.figures import counted
from bisector.wrapping import wrapped

PHASES = {
    Phase.PREPARE: "preparing",
    Phase.ENDS: "proving both ends",
    Phase.NARROW: "searching",
    Phase.CONFIRM: "confirming",
    Phase.DONE: "done",
}
_COLOURS = {
    Judgement.OLD: "green",
    Judgement.NEW: "red",
    Judgement.SKIP: "yellow",
    Judgement.ERROR: "magenta",
}
REFRESHES = 8
"""Pictures a second."""
LEAST_REASON = 20
"""Columns of a reason that are shown, however narrow the terminal."""


@dataclass
class _Running:
    """A trial under way."""

    label: str
    commit: str
    subject: str
    began: float
    step: str = ""


class Picture:
    """What is known of the hunt so far, for drawing."""

    def __init__(self) -> None:
        self.terms = Terms()
        self.phase = Phase.PREPARE
        self.left: int | None = None
        self.expected: int | None = None
        self.durations: list[float] = []
        self.running: dict[int, _Running] = {}

    def hear(self, progress: Progress) -> None:
        match progress:
            case Began():
                self.terms, self.left, self.expected = progress.terms, progress.commits, progress.expected
            case PhaseBegan():
                self.phase = progress.phase
            case TrialBegan():
                subject = one_line(progress.commit.subject)
                self.running[progress.worker] = _Running(
                    progress.label, progress.commit.sha[:10], subject, time.monotonic()
                )
            case StepBegan() if progress.worker in self.running:
                self.running[progress.worker].step = progress.step.value
            case TrialEnded():
                self._ended(progress)
            case _:
                pass

    def _ended(self, ended: TrialEnded) -> None:
        self.running.pop(ended.worker, None)
        if not ended.judged.reused:
            self.durations.append(ended.judged.trial.seconds)
        if ended.judged.left is not None:
            self.left, self.expected = ended.judged.left, ended.expected_left

    def summary(self) -> str:
        """Where the hunt stands, in one line."""
        words = [PHASES[self.phase]]
        if self.left is not None and self.phase in (Phase.ENDS, Phase.NARROW):
            words.append(f"{self.left} commits in question")
            words.append(f"about {counted(self.expected or 0, 'trial')} left")
        if self.phase in (Phase.ENDS, Phase.NARROW) and self.expected is not None:
            words.append(in_words(seconds_left(self.durations, self.expected)))
        return ", ".join(words)

    def line(self, ended: TrialEnded, width: int | None = None) -> Text:
        """One verdict as it falls. In a `width` of columns the details go first, then the end of the reason."""
        judged, trial = ended.judged, ended.judged.trial
        verdict = "" if ended.pending else self.terms.name(judged.verdict.judgement)
        text = Text(f"{trial.commit[:10]} ")
        text.append(f"{verdict:<7}", style=f"bold {_COLOURS[judged.verdict.judgement]}")
        reason, details = Text(f" {one_line(judged.verdict.reason)}"), list(_details(ended))
        if width is not None and text.cell_len + reason.cell_len + _cells(details) > width:
            details = details[-1:] if judged.left is not None else details[:1]
            reason.truncate(max(LEAST_REASON, width - text.cell_len - _cells(details)), overflow="ellipsis")
        text.append_text(reason).append(_in_brackets(details), style="dim")
        if width is not None:
            text.truncate(width, overflow="ellipsis")
        return text


def _details(ended: TrialEnded) -> Iterator[str]:
    judged, trial = ended.judged, ended.judged.trial
    yield ended.label
    yield "known" if judged.reused else f"{trial.seconds:.1f} s"
    if isinstance(trial.outcome, Ran) and len(trial.outcome.runs) > 1:
        yield f"{len(trial.outcome.runs)} runs"
    if judged.left is not None:
        yield f"{judged.left} left"


def _in_brackets(details: list[str]) -> str:
    return f"  ({', '.join(details)})"


def _cells(details: list[str]) -> int:
    return len(_in_brackets(details))


class PlainConsole:
    """Lines for a log file or a CI job: no control codes, nothing redrawn."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._picture = Picture()
        self._lock = threading.Lock()

    def hear(self, progress: Progress) -> None:
        with self._lock:
            self._picture.hear(progress)
            match progress:
                case Note(text):
                    self._write(one_line(text))
                case Began():
                    self._write(began_words(progress))
                case PhaseBegan() if progress.phase is not Phase.PREPARE:
                    self._write(self._picture.summary())
                case TrialEnded():
                    self._write(self._picture.line(progress).plain)
                case _:
                    pass


class LiveConsole:
    """A terminal: verdicts scroll by, what runs now stays below."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._picture = Picture()
        self._lock = threading.RLock()
        self._live = Live(
            console=terminal, refresh_per_second=REFRESHES, transient=True, get_renderable=self._draw
        )

    def start(self) -> None:
        self._live.start()

    def stop(self) -> None:
        self._live.stop()

    def hear(self, progress: Progress) -> None:
        with self._lock:
            self._picture.hear(progress)
            match progress:
                case Note(text):
                    self._say(one_line(text), "dim")
                case Began():
                    self._say(began_words(progress), "bold")
                case TrialEnded():
                    self._terminal.print(self._picture.line(progress, self._terminal.width))
                case Ended():
                    self._live.update(Text(""))
                case _:
                    pass

    def _say(self, text: str, style: str) -> None:
        self._terminal.print(Text(wrapped(text, self._terminal.width), style=style))

    def _draw(self) -> RenderableType:
        with self._lock:
            rows = [Text(self._picture.summary(), style="bold cyan")]
            for running in self._picture.running.values():
                seconds = time.monotonic() - running.began
                row = Text(f"  {running.commit} ", style="bold", no_wrap=True, overflow="ellipsis")
                row.append(f"{running.step or 'waiting'} {seconds:.0f} s", style="cyan")
                row.append(f"  {running.label}: {running.subject}", style="dim")
                rows.append(row)
            return Group(*rows)


class Silent:
    """Nobody listens: `--quiet`."""

    def hear(self, progress: Progress) -> None:
        pass


class Several:
    """One for many."""

    def __init__(self, *listeners: Listener) -> None:
        self._listeners = listeners

    def hear(self, progress: Progress) -> None:
        for listener in self._listeners:
            listener.hear(progress)


def began_words(began: Began) -> str:
    return (
        f"hunt {began.hunt}: {one_line(began.name)} - {counted(began.commits, 'commit')} in question, "
        f"about {counted(began.expected, 'trial')} besides the ends and the confirmation"
    )


def terminal(stream: TextIO = sys.stderr, *, colour: bool = True) -> Terminal:
    return Terminal(file=stream, no_color=not colour, highlight=False, soft_wrap=True)
