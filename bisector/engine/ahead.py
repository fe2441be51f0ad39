"""What may be asked for next is made ready while a run is under way: its tree, its environment, never a run.

It can change no answer: what lies ready is what the trial itself would have made, and of what failed nobody hears.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from bisector.engine.workers import attempt
from bisector.errors import BisectorError
from bisector.model import Purpose, Ran, Trial
from bisector.plan import TrialRequest
from bisector.trial import Laid, Leave, Step, Workbench

SPARE = 2
"""Commits at a time: git asks for one of two, whatever the answer."""
MOST = SPARE + 1
"""Workbenches: of a spare one the tree stays as it is."""
NICE = 5
"""The run that is under way goes before."""
TICK = 0.05
LONG = 0.2
"""Seconds after which a checkout is one of a large tree, and packages come from afar: both mostly wait."""


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
    awaited_since: float | None = None
    """Its trial has begun and waits for it."""

    @property
    def is_awaited(self) -> bool:
        return self.awaited_since is not None

    def seconds_awaited(self) -> float:
        return 0.0 if self.awaited_since is None else time.monotonic() - self.awaited_since


Prepare = Callable[[Workbench, Wish, threading.Event, Leave], Laid | None]
AreFar = Callable[[str, str], bool]
"""Whether one commit's tree takes no longer to lay out in an empty folder than in the other's."""


class Ahead:
    """One thread with workbenches of its own. Begins something while a run is under way, or a long checkout.

    What is sure to be needed is made ready during runs. During a checkout that is long a second one begins, if it is
    sure and would be as long after the first; so does its tree while packages are waited for. What only may be asked
    for is made ready as far as a run lasts; else it would mostly be for nothing. What is near a large tree that lies
    ready is left to the trial, which gets there from that one.
    """

    def __init__(
        self,
        prepare: Prepare,
        bench: Callable[[int, str], Workbench],
        is_worth_it: Callable[[], bool],
        are_far: AreFar,
        stand_back: Callable[[bool], None],
    ) -> None:
        self._prepare = prepare
        self._bench = bench
        self._is_worth_it = is_worth_it
        self._are_far = are_far
        self._stand_back = stand_back
        self._stays: str | None = None
        self._far: dict[tuple[str, str], bool] = {}
        self._large: set[str] = set()
        """Commits whose tree took long to lay out, and little else did."""
        self._now = ""
        """The commit of the trial under way."""
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._live, name="ahead")
        self._spare: list[Workbench] = []
        self._opened = 0
        self._wishes: list[Wish] = []
        self._under_way: _UnderWay | None = None
        self._ready: dict[tuple[str, bool], Laid] = {}
        self._step: Step | None = None
        """Of the trial under way, which began then."""
        self._since = 0.0
        self._closed = False
        self._defect: Exception | None = None
        self._run = self._preparing = 0.0
        """Seconds: of the last trial's runs, and of what came before them."""

    def stay(self, commit: str) -> None:
        """A tree that is this commit's is kept so while there are others: the hunt comes back to it."""
        with self._news:
            self._stays = commit

    def expect(self, now: Wish, then: Sequence[Wish]) -> None:
        """What is asked for next, and what may be after it, the likeliest first. All else is let go."""
        with self._news:
            wanted = {wish.key for wish in (now, *then)}
            for key in self._ready.keys() - wanted:
                self._spare.append(self._ready.pop(key).bench)
            if self._under_way is not None and self._under_way.wish.key not in wanted:
                self._under_way.cancelled.set()
            self._now = now.request.commit
            there = {*self._ready, self._under_way.wish.key if self._under_way else None}
            self._wishes = [wish for wish in then if wish.key not in there]
            self._news.notify_all()

    def take(self, wish: Wish, cancelled: threading.Event) -> Laid | None:
        """What lies ready for this trial, as soon as it does if it was begun. None: nobody began it."""
        with self._news:
            self._wishes = [other for other in self._wishes if other.key != wish.key]
            while self._under_way is not None and self._under_way.wish.key == wish.key:
                if cancelled.is_set():
                    self._under_way.cancelled.set()
                    return None
                self._under_way.awaited_since = self._under_way.awaited_since or time.monotonic()
                self._news.notify_all()
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
            self._step, self._since = step, time.monotonic()
            self._stand_back(step is Step.REPRO)
            if self._thread.ident is None and not self._closed:
                self._thread.start()
            self._news.notify_all()

    def a_trial_ended(self, trial: Trial) -> None:
        """What it took tells what is worth it."""
        with self._news:
            self._step = None
            self._stand_back(False)
            if isinstance(trial.outcome, Ran):
                self._run = trial.repro_seconds
                self._preparing = trial.checkout_seconds + trial.install_seconds

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
        def make() -> Laid | None:
            under_way.bench = self._place(under_way.wish.request.commit)
            leave = Leave(partial(self._may_install, under_way), under_way.seconds_awaited)
            return self._prepare(under_way.bench, under_way.wish, under_way.cancelled, leave)

        made, fault = attempt(make)
        self._passes_over(fault)
        self._done(under_way, made)

    def _may_install(self, under_way: _UnderWay) -> bool:
        """Two builds at a time might be more than the machine has, and the trial's own be the one that fails."""
        with self._news:
            while not (self._step is Step.REPRO or under_way.is_awaited or under_way.cancelled.is_set()):
                self._news.wait(TICK)
        return not under_way.cancelled.is_set()

    def _passes_over(self, fault: Exception | None) -> None:
        """A full disk, say, the trial itself will meet, and tell; a defect is never passed over."""
        if fault is not None and not isinstance(fault, BisectorError | OSError):
            self._defect = fault

    def _next(self) -> _UnderWay | None:
        while True:
            with self._news:
                while not (self._closed or self._defect or self._can_begin() or self._unknown):
                    # What a step takes that nobody knows yet is learnt by waiting.
                    waiting = self._wishes and self._step not in (None, Step.INSTALL)
                    self._news.wait(TICK if waiting else None)
                if self._closed or self._defect:
                    return None
                pair = self._unknown
                if pair is None:
                    is_near = not all(self._far.get(way, True) for way in self._ways)
                    wish = self._wishes.pop(0)
                    if is_near:
                        continue
                    self._under_way = _UnderWay(wish)
                    return self._under_way
            far, fault = attempt(partial(self._are_far, *pair))
            self._far[pair] = bool(far)
            self._passes_over(fault)

    def _place(self, commit: str) -> Workbench:
        with self._news:
            fit = self._fit_for(commit)
            if fit is not None:
                self._spare.remove(fit)
                return fit
        bench = self._bench(self._opened + 1, commit)
        self._opened += 1
        return bench

    def _fit_for(self, commit: str) -> Workbench | None:
        """The spare one that is at this commit, else the last that was left; None: a new one is better."""
        staying = self._staying
        others = [bench for bench in self._spare if bench is not staying]
        there = [bench for bench in self._spare if bench.slot.commit == commit]
        return next(reversed([*others, *there]), None)

    @property
    def _staying(self) -> Workbench | None:
        return next((bench for bench in self._spare if bench.slot.commit == self._stays), None)

    def _can_begin(self) -> bool:
        beside_others = (len(self._ready) + 1) * self._preparing
        is_wanted = bool(self._wishes) and (self._wishes[0].is_sure or beside_others < self._run)
        return is_wanted and self._is_idle() and self._has_room and self._is_worth_it()

    def _is_idle(self) -> bool:
        """Whether a processor has nothing better to do."""
        if self._step is Step.CHECKOUT:
            return self._is_long(Step.CHECKOUT) and self._far.get(self._pair, False)
        if self._step is Step.PACKAGES:
            return self._is_long(Step.PACKAGES)
        return self._step is Step.REPRO

    @property
    def _unknown(self) -> tuple[str, str] | None:
        """Whether these two trees have little in common must be known before anything begins."""
        if self._is_long(Step.CHECKOUT) and self._has_room and self._pair not in self._far:
            return self._pair
        ways = self._ways if self._can_begin() else []
        return next((pair for pair in ways if pair not in self._far), None)

    @property
    def _ways(self) -> list[tuple[str, str]]:
        """From large trees that are laid out before it the worker may get to it with less than anybody else."""
        commit = self._wishes[0].request.commit
        if not self._wishes[0].is_sure or any(bench.slot.commit == commit for bench in self._spare):
            return []
        before = {self._now, *(laid.bench.slot.commit for laid in self._ready.values())}
        return [(tree, commit) for tree in sorted(before & self._large)]

    def _is_long(self, step: Step) -> bool:
        """Whether this step is under way, and long enough for something beside it that is sure to be needed."""
        is_sure = bool(self._wishes) and self._wishes[0].is_sure
        return is_sure and self._step is step and self._lasts > LONG

    @property
    def _pair(self) -> tuple[str, str]:
        return self._now, self._wishes[0].request.commit

    @property
    def _has_room(self) -> bool:
        most = MOST if self._staying is not None else SPARE
        return self._opened < most or self._fit_for(self._wishes[0].request.commit) is not None

    @property
    def _lasts(self) -> float:
        """Seconds of the step under way, so far."""
        return time.monotonic() - self._since

    def _done(self, under_way: _UnderWay, made: Laid | None) -> None:
        with self._news:
            self._under_way = None
            if made is not None and not under_way.cancelled.is_set():
                self._ready[under_way.wish.key] = made
                if made.spent[Step.CHECKOUT] > LONG > made.spent[Step.INSTALL]:
                    self._large.add(under_way.wish.request.commit)
            elif under_way.bench is not None:
                self._spare.append(under_way.bench)
            self._news.notify_all()
