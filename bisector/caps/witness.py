"""What fence and stub say of a run on a pipe of their own, so that their words never mix with the repro's.

One line each: bubblewrap's JSON (`child-pid`, `exit-code`); `status N`, `signal N` and `usage SECONDS BYTES`
from our stubs; two lines of the shell's `times`. Anything else is a complaint: the shell's on a signal
("Killed"), or the fence's when it could not do its work.
"""

from __future__ import annotations

import re

from bisector.caps import procfs

JSON_PID = re.compile(r'"child-pid": (\d+)')
JSON_STATUS = re.compile(r'"exit-code": (\d+)')
PLAIN = re.compile(r"(status|signal) (\d+)")
USAGE = re.compile(r"usage ([\d.]+) (\d+)")
TIMES = re.compile(r"(\d+)m([\d.]+)s (\d+)m([\d.]+)s")
ALIVE = re.compile(r"still alive: ([\d ]+)")
KEPT = 16 * 1024

UNANNOUNCED = {2, 13, 15}
"""Signals that some shells do not report in words: SIGINT, SIGPIPE, SIGTERM."""


class Witness:
    """Gathers the lines; its answers are final once the pipe is closed."""

    def __init__(self) -> None:
        self._text = b""

    def take(self, data: bytes) -> None:
        # Whoever writes more than this has got hold of the pipe and wants to fill our memory.
        self._text = (self._text + data)[:KEPT]

    def _find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = None
        for line in self._lines():
            found = pattern.search(line) or found
        return found

    def _lines(self) -> list[str]:
        return self._text.decode("utf-8", "replace").splitlines()

    def has_ending(self) -> bool:
        return b"status " in self._text or b"signal " in self._text or b"exit-code" in self._text

    def ending(self) -> tuple[int | None, int | None] | None:
        """(exit status, signal), one of them None; None when nobody said how it ended.

        A shell answers 128+n both for a process that a signal killed and for one that exited so; but of the
        first it says so in words.
        """
        plain = self._find(PLAIN)
        if plain is not None:
            number = int(plain[2])
            if plain[1] == "signal":
                return None, number
            announced = bool(self.complaints()) or number - 128 in UNANNOUNCED
            return (None, number - 128) if _is_signal(number) and announced else (number, None)
        status = self._find(JSON_STATUS)
        if status is None:
            return None
        number = int(status[1])
        return (None, number - 128) if _is_signal(number) else (number, None)

    def complaints(self) -> str:
        known = (JSON_PID, JSON_STATUS, PLAIN, USAGE, TIMES)
        return "\n".join(line for line in self._lines() if not any(each.search(line) for each in known))

    def first_process(self) -> int | None:
        """Bubblewrap's own first process, pid 1 inside: as long as it lives, something may live."""
        found = self._find(JSON_PID)
        if found is None or procfs.innermost_pid(int(found[1])) != 1:
            return None
        return int(found[1])

    def survivors(self) -> str | None:
        """Who could not be killed."""
        found = self._find(ALIVE)
        return None if found is None else found[1]

    def cpu_seconds(self) -> float | None:
        usage = self._find(USAGE)
        if usage is not None:
            return float(usage[1])
        minutes = self._find(TIMES)
        if minutes is None:
            return None
        return 60 * (int(minutes[1]) + int(minutes[3])) + float(minutes[2]) + float(minutes[4])

    def peak_of_one(self) -> int | None:
        """The largest single process, in bytes."""
        usage = self._find(USAGE)
        return None if usage is None else int(usage[2])


def _is_signal(status: int) -> bool:
    return 128 < status <= 128 + 64
