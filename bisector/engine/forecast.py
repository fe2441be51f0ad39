"""How long a hunt still takes, from the trials it has made. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

CONFIRMATION = 2
"""Trials after the search: the culprit and a parent."""


def seconds_left(durations: Sequence[float], search_left: int, confirmed: bool = False) -> float | None:
    """From the middle of the trials so far; None before there are any."""
    if not durations:
        return None
    return median(durations) * (search_left + (0 if confirmed else CONFIRMATION))


def in_words(seconds: float | None) -> str:
    """In minutes, as people say it."""
    return "time left unknown" if seconds is None else f"{roughly(seconds)} left"


def roughly(seconds: float) -> str:
    """No finer than a forecast can be."""
    if seconds < 60:
        return "under a minute"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"about {minutes} min"
    return f"about {minutes / 60:.1f} h"
