"""Which run of the machine this is: what was written in an earlier one the disk may have in part."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def this_boot() -> str:
    """Nothing where only Linux would say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text()
    except OSError:
        return ""
