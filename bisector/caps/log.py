"""What a caged process writes: the head and the tail of it go to a file, the rest is counted and dropped."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from types import TracebackType

from bisector.errors import MachineFault

SHOWN = 64 * 1024
"""Bytes of the end that are handed on as text."""


class Log:
    """Appends to a file, at most `limit` bytes: the first half as it comes, the last half at the end."""

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._head_room = limit - limit // 2
        self._tail = Tail(limit // 2)
        self._shown = Tail(SHOWN)
        self._total = 0

    def __enter__(self) -> Log:
        try:
            self._file = self._path.open("ab", buffering=0)
        except OSError as error:
            raise MachineFault(f"cannot write the log {self._path}: {error.strerror}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._file:
            if self._tail.dropped:
                self._write(b"\n[... %d bytes dropped ...]\n" % self._tail.dropped)
            for chunk in self._tail.chunks():
                self._write(chunk)

    def _write(self, data: bytes) -> None:
        """A full disk is the machine's fault and must not look like the repro's silence."""
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise MachineFault(f"cannot write the log {self._path}: {error.strerror}") from error

    def take(self, data: bytes) -> None:
        self._total += len(data)
        self._shown.take(data)
        now = data[: self._head_room]
        if now:
            self._write(now)
            self._head_room -= len(now)
        self._tail.take(data[len(now) :])

    @property
    def total(self) -> int:
        return self._total

    @property
    def dropped(self) -> int:
        return self._tail.dropped

    def text(self, since: int = 0) -> str:
        """The end of it, at most SHOWN bytes; `since` a total seen earlier, only what came after."""
        shown = b"".join(self._shown.chunks())
        return shown[max(0, len(shown) - (self._total - since)) :].decode("utf-8", "replace")


class Tail:
    """The last `limit` bytes of a stream, in chunks: a flood must not cost a copy of everything each time."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self.dropped = 0

    def take(self, data: bytes) -> None:
        if not data:
            return
        self._chunks.append(data)
        self._size += len(data)
        while self._size > self._limit:
            first = self._chunks.popleft()
            surplus = min(len(first), self._size - self._limit)
            if surplus < len(first):
                self._chunks.appendleft(first[surplus:])
            self._size -= surplus
            self.dropped += surplus

    def chunks(self) -> tuple[bytes, ...]:
        return tuple(self._chunks)
