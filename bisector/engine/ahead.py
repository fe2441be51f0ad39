"""What may be asked for next is made ready while a run is under way: its tree, its environment, never a run.

It can change no answer: what lies ready is what the trial itself would have made, and of what failed nobody hears.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bisector.engine.workers import attempt
from bisector.errors import BisectorError
from bisector.model import Purpose, Ran, Trial
from bisector.plan import TrialRequest
from bisector.trial import Prepared, Step, Workbench

SPARE = 2
"""Commits at a time: git asks for one of two, whatever the answer."""
NICE = 5
"""The run that is under way goes before."""
TICK = 0.05


@dataclass(frozen=True, slots=True)
class Wish:
    request: TrialRequest
    purpose: Purpose
    is_sure: bool = True
    """It is asked for whatever the run under way comes to, unless that ends the hunt."""

    @property
    def key(self) -> tuple[str, bool]:
        """For the proof less is laid out than for other trials."""
        return self.request.key, self.purpose is Purpose.CONFIRM


@dataclass
class _UnderWay:
    wish: Wish
    bench: Workbench | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)


Prepare = Callable[[Workbench, Wish, threading.Event], Prepared | None]


class Ahead:
    """One thread with workbenches of its own. Begins something only while a run is under way.

    Two trees take turns less well than one: where a checkout takes longer than a run, nothing is made ready. What
    only may be asked for is, as long as all of it takes less than a run; else it would mostly be for nothing.
    """

    def __init__(
        self, prepare: Prepare, bench: Callable[[int], Workbench], is_worth_it: Callable[[], bool]
    ) -> None:
        self._prepare = prepare
        self._bench = bench
        self._is_worth_it = is_worth_it
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._live, name="ahead")
        self._spare: list[Workbench] = []
        self._opened = 0
        self._wishes: list[Wish] = []
        self._under_way: _UnderWay | None = None
        self._ready: dict[tuple[str, bool], Prepared] = {}
        self._step: Step | None = None
        """Of the trial under way, which began then."""
        self._since = 0.0
        self._closed = False
        self._defect: Exception | None = None
        self._run = self._preparing = self._checkout = 0.0
        """Seconds: of the last trial's runs, of what came before them, and of the checkout in that."""

    def expect(self, now: Wish, then: Sequence[Wish]) -> None:
        """What is asked for next, and what may be after it, the likeliest first. All else is let go."""
        with self._news:
            wanted = {wish.key for wish in (now, *then)}
            for key in self._ready.keys() - wanted:
                self._spare.append(self._ready.pop(key).bench)
            if self._under_way is not None and self._under_way.wish.key not in wanted:
                self._under_way.cancelled.set()
            there = {*self._ready, self._under_way.wish.key if self._under_way else None}
            self._wishes = [wish for wish in then if wish.key not in there]
            self._news.notify_all()

    def take(self, wish: Wish, cancelled: threading.Event) -> Prepared | None:
        """What lies ready for this trial, as soon as it does if it was begun. None: nobody began it."""
        with self._news:
            self._wishes = [other for other in self._wishes if other.key != wish.key]
            while self._under_way is not None and self._under_way.wish.key == wish.key:
                if cancelled.is_set():
                    self._under_way.cancelled.set()
                    return None
                self._news.wait(TICK)
            if self._defect is not None:
                raise self._defect
            return self._ready.pop(wish.key, None)

    def leave(self, bench: Workbench) -> None:
        """A workbench in exchange for the one that came with what was taken."""
        with self._news:
            self._spare.append(bench)

    def a_step_began(self, step: Step) -> None:
        with self._news:
            if self._step is Step.CHECKOUT:
                self._checkout = self._lasts
            self._step, self._since = step, time.monotonic()
            if step is Step.REPRO and self._thread.ident is None and not self._closed:
                self._thread.start()
            self._news.notify_all()

    def a_trial_ended(self, trial: Trial) -> None:
        """What it took tells what is worth it."""
        with self._news:
            self._step = None
            if isinstance(trial.outcome, Ran):
                self._run = trial.repro_seconds
                self._preparing = trial.checkout_seconds + trial.install_seconds
                self._checkout = trial.checkout_seconds

    def close(self) -> None:
        with self._news:
            self._closed = True
            if self._under_way is not None:
                self._under_way.cancelled.set()
            self._news.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def _live(self) -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while (under_way := self._next()) is not None:
            self._work(under_way)

    def _work(self, under_way: _UnderWay) -> None:
        def make() -> Prepared | None:
            under_way.bench = self._place()
            return self._prepare(under_way.bench, under_way.wish, under_way.cancelled)

        made, fault = attempt(make)
        # A full disk, say, the trial itself will meet, and tell; a defect is never passed over.
        if fault is not None and not isinstance(fault, BisectorError | OSError):
            self._defect = fault
        self._done(under_way, made)

    def _next(self) -> _UnderWay | None:
        with self._news:
            while not (self._closed or self._defect or self._can_begin()):
                # What a run takes that nobody knows yet is learnt by waiting.
                self._news.wait(TICK if self._step is Step.REPRO and self._wishes else None)
            if self._closed or self._defect:
                return None
            self._under_way = _UnderWay(self._wishes.pop(0))
            return self._under_way

    def _place(self) -> Workbench:
        with self._news:
            if self._spare:
                return self._spare.pop()
        bench = self._bench(self._opened + 1)
        self._opened += 1
        return bench

    def _can_begin(self) -> bool:
        has_room = bool(self._spare) or self._opened < SPARE
        is_wanted = bool(self._wishes) and (self._wishes[0].is_sure or self._preparing < self._run)
        is_near = self._checkout < max(self._run, self._lasts)
        running = self._step is Step.REPRO
        return running and has_room and is_wanted and is_near and self._is_worth_it()

    @property
    def _lasts(self) -> float:
        """Seconds of the step under way, so far."""
        return time.monotonic() - self._since

    def _done(self, under_way: _UnderWay, made: Prepared | None) -> None:
        with self._news:
            self._under_way = None
            if made is not None and not under_way.cancelled.is_set():
                self._ready[under_way.wish.key] = made
            elif under_way.bench is not None:
                self._spare.append(under_way.bench)
            self._news.notify_all()
