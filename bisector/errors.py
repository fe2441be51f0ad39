"""Exceptions, named by whose fault it is. `cli` alone turns them into words and exit statuses."""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """What the process answers; the contract's table."""

    FOUND = 0
    USAGE = 2
    SUSPECTS = 3
    ENDPOINTS = 4
    FAILED = 5
    INTERRUPTED = 130
    UNREAD = 141
    """Nobody reads what is written: as of a program that SIGPIPE ended."""


class BisectorError(Exception):
    """Something we can explain: a sentence, and what to do next."""

    status = ExitStatus.FAILED

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageFault(BisectorError):
    """The command line or the recipe asks for what cannot be."""

    status = ExitStatus.USAGE


class EndpointFault(BisectorError):
    """The two ends do not differ as the recipe says."""

    status = ExitStatus.ENDPOINTS


class MachineFault(BisectorError):
    """The machine, the repository or the environment failed; no commit is to blame."""

    status = ExitStatus.FAILED


class Interrupted(BisectorError):
    """Somebody pressed Ctrl-C or sent SIGTERM; the hunt can go on later."""

    status = ExitStatus.INTERRUPTED
