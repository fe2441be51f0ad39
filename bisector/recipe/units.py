"""Durations, sizes, counts, numbers and dates as a recipe writes them."""

from __future__ import annotations

import math
import re
from datetime import datetime, time, timezone

from bisector.recipe.faults import Unfit, quoted

DURATION = r"(\d+(?:\.\d+)?) ?([smh]?)"
SIZE = r"(\d+(?:\.\d+)?) ?(KB|MB|GB|KiB|MiB|GiB)"
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
THRESHOLD = rf"({NUMBER})(x?)"
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
_BYTES = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_LONGEST = 366 * 24 * 3600.0
_LARGEST = 2**60
_MOST = 1_000_000


def seconds(text: str) -> float:
    match = re.fullmatch(DURATION, text)
    if match is None:
        raise Unfit(f"expected a duration such as 90s, 15m or 2h, found {quoted(text)}")
    value = float(match[1]) * _SECONDS[match[2]]
    if not 0 < value <= _LONGEST:
        raise Unfit(f"a duration lies above nothing and within a year, found {quoted(text)}")
    return value


def size(text: str) -> int:
    """In bytes."""
    match = re.fullmatch(SIZE, text)
    if match is None:
        raise Unfit(f"expected a size such as 512MiB or 4GB, found {quoted(text)}")
    value = float(match[1]) * _BYTES[match[2]]
    if not 1 <= value <= _LARGEST:
        raise Unfit(f"a size is at least a byte and at most {_LARGEST // 2**30}GiB, found {quoted(text)}")
    return int(value)


def count(text: str) -> int:
    if not re.fullmatch(r"\d{1,7}", text) or not 1 <= int(text) <= _MOST:
        raise Unfit(f"expected a whole number from 1 to {_MOST}, found {quoted(text)}")
    return int(text)


def number(text: str) -> float:
    if re.fullmatch(NUMBER, text) is None or not math.isfinite(value := float(text)):
        raise Unfit(f"expected a number, found {quoted(text)}")
    return value


def positive(text: str) -> float:
    if (value := number(text)) <= 0:
        raise Unfit(f"expected a number above 0, found {quoted(text)}")
    return value


def tolerance(text: str) -> float:
    if (value := number(text)) < 0:
        raise Unfit(f"expected a number not below 0, found {quoted(text)}")
    return value


def likelihood(text: str) -> float:
    if not 0.5 <= (value := number(text)) < 1:
        raise Unfit(f"expected a confidence from 0.5 to below 1, found {quoted(text)}")
    return value


def truth(text: str) -> bool:
    match text.lower():
        case "true" | "yes" | "on":
            return True
        case "false" | "no" | "off":
            return False
    raise Unfit(f"expected true or false, found {quoted(text)}")


def moment(text: str) -> datetime:
    """A day counts to its end; without an offset it is UTC."""
    try:
        # Python 3.10 does not know the letter for UTC.
        read = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
    except ValueError as error:
        raise Unfit(f"expected a date such as 2023-09-01, found {quoted(text)}") from error
    if len(text) == len("2023-09-01"):
        read = datetime.combine(read, time.max)
    return read if read.tzinfo else read.replace(tzinfo=timezone.utc)
