"""What the steps of a trial take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from bisector.trial.workbench import Step


@dataclass
class Clock:
    """Seconds by step, and who wants to hear of the steps."""

    say: Callable[[Step], None]
    began: float = field(default_factory=time.monotonic)
    ahead: float = 0.0
    spent: dict[Step, float] = field(default_factory=lambda: dict.fromkeys(Step, 0.0))

    @contextmanager
    def measure(self, step: Step) -> Iterator[None]:
        self.say(step)
        start = time.monotonic()
        try:
            yield
        finally:
            self.spent[step] += time.monotonic() - start

    def add(self, spent: Mapping[Step, float]) -> None:
        """What was done for the trial before it began."""
        self.ahead += sum(spent.values())
        for step, seconds in spent.items():
            self.spent[step] += seconds

    @property
    def seconds(self) -> float:
        """All that the trial took so far, whenever it was done."""
        return self.ahead + time.monotonic() - self.began
