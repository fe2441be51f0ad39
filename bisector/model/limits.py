"""Caps: what is asked for, and what it looks like when one was hit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes; None: no limit."""

    timeout: float = 60.0
    install_timeout: float = 900.0
    memory: int | None = None
    processes: int | None = None
    cpus: float | None = None
    disk: int | None = None
    output: int = 10 * 1024 * 1024
    gpu_memory: int | None = None
    network: bool = True


class Stopped(Enum):
    """Why bisector itself ended a run; a run that ended by itself has none."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    DISK = "disk"
    PROCESSES = "processes"
    CANCELLED = "cancelled"


class Cap(Enum):
    """What is limited; the values are the recipe's keys under `limits`."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    PROCESSES = "processes"
    CPUS = "cpus"
    DISK = "disk"
    OUTPUT = "output"
    GPU_MEMORY = "gpu_memory"
    NETWORK = "network"


@dataclass(frozen=True, slots=True)
class CapHit:
    """A cap that was reached: what it was, and the figure seen (seconds, bytes or a count)."""

    cap: Cap
    limit: float
    seen: float
