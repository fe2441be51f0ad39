"""Numbers in a reader's words: durations, sizes, counts."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """0.42 s, 12.3 s, 2 min 5 s, 3 h 4 min."""
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    # Below 59.95 rounding to a tenth does not reach the minute.
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def size(count: int) -> str:
    """512 B, 3.4 KiB, 120 MiB."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":
            break
        amount /= 1024
    return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"


def counted(count: int, noun: str) -> str:
    """1 trial, 2 trials, 1,024 commits."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
