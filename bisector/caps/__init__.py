"""Runs code that nobody has vouched for, with caps on its whole process tree; nothing of it survives.

A Cage is a fence (bubblewrap, subreaper) with control groups (v2, v1) or a watchdog, whatever works here.
"""

from bisector.caps.behind import Behind
from bisector.caps.bubblewrap import SHARED_MEMORY
from bisector.caps.cage import Cage
from bisector.caps.choose import choose
from bisector.caps.confinement import Confinement
from bisector.caps.gpu import gpu_memory_hook
from bisector.caps.survey import Finding, Machine, survey, sweep

__all__ = [
    "SHARED_MEMORY",
    "Behind",
    "Cage",
    "Confinement",
    "Finding",
    "Machine",
    "choose",
    "gpu_memory_hook",
    "survey",
    "sweep",
]
