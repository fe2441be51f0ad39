"""Which exact versions the trials had along the history: what makes a recipe repeatable years later."""

from __future__ import annotations

from itertools import groupby

from bisector.engine.hunter import Hunter
from bisector.model import EnvironmentFacts, Lock, Purpose

_OWN = (Purpose.END, Purpose.SEARCH, Purpose.CONFIRM)


def locks(hunter: Hunter) -> tuple[Lock, ...]:
    """Stretches of tested commits with one environment, oldest first; empty where nothing was installed."""
    made = {
        judged.trial.commit: judged.trial.environment
        for judged in hunter.told
        if judged.trial.environment is not None and judged.trial.purpose in _OWN
    }
    line = sorted(made, key=lambda sha: _place(hunter, sha))
    stretches = [list(group) for _, group in groupby(line, key=lambda sha: _versions(made[sha]))]
    found = [
        Lock(stretch[0] if number else None, *_versions(made[stretch[0]]))
        for number, stretch in enumerate(stretches)
    ]
    return tuple(found) if any(lock.packages or lock.building for lock in found) else ()


def _versions(environment: EnvironmentFacts) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return environment.python, environment.packages, environment.building


def _place(hunter: Hunter, sha: str) -> int:
    """Commits below the range first."""
    place = hunter.history.place(sha) if hunter.history is not None else None
    return -1 if place is None else place
