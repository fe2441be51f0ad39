"""Trials under way that nobody has asked for yet: what idle workers are given on the chance that it will be."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from bisector.engine.workers import Job
from bisector.plan import TrialRequest


@dataclass
class Bets:
    _under_way: dict[str, Job] = field(default_factory=dict)
    """By key."""

    def __contains__(self, key: object) -> bool:
        return key in self._under_way

    def put(self, job: Job) -> None:
        self._under_way[job.request.key] = job

    def settle(self) -> None:
        """Those that are through are on record, where trials are looked for first."""
        for key, job in list(self._under_way.items()):
            if job.done.is_set():
                del self._under_way[key]

    def call_off_all_but(self, wanted: Container[str]) -> None:
        for key, job in list(self._under_way.items()):
            if key not in wanted and job.call_off():
                del self._under_way[key]

    def take(self, asked: TrialRequest) -> Job | None:
        """The one that answers this request; it is nobody's bet any more."""
        job = self._under_way.get(asked.key)
        if job is None or job.request.runs < asked.runs:
            return None
        return self._under_way.pop(asked.key)
