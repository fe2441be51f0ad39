"""The one door to a forge's API over HTTP: bounded in time, size and steps; a token stays with its server.

Knows no forge and no schema. Every failure is a Notice of one line that holds no part of a request.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Timer
from urllib.parse import urlsplit

import httpx

from bisector.forges.forge import Notice

LARGEST_BODY = 1024 * 1024
MOST_REDIRECTS = 3
REDIRECTS = (301, 302, 303, 307, 308)
LOOPBACK = ("localhost", "127.0.0.1", "::1")
STEP_SECONDS = 5.0
# Compressed bodies are not asked for: a megabyte of them may hold a gigabyte.
HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "bisector"}


@dataclass(frozen=True, slots=True)
class Page:
    status: int
    body: bytes
    limited: bool = False
    """The server counts our requests, and this was one too many."""


@dataclass(frozen=True, slots=True)
class Door:
    """An open client and the moment at which it closes, whatever the other side does."""

    client: httpx.Client
    closes: float
    host: str
    credentials: Mapping[str, str] = field(repr=False)

    def get(self, url: str, *, anonymous: bool = False) -> Page | Notice:
        try:
            return self._follow(httpx.URL(url), {} if anonymous else self.credentials)
        except httpx.TimeoutException:
            return Notice(f"{self.host} did not answer in time")
        except httpx.ConnectError:
            return Notice(f"{self.host} could not be reached")
        # Not the exception's own words: they may quote what was sent.
        # A RuntimeError is what the client says once the timer has closed it.
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError, OSError):
            late = time.monotonic() >= self.closes
            return Notice(
                f"{self.host} did not answer in time" if late else f"{self.host} broke the connection"
            )

    def _follow(self, url: httpx.URL, credentials: Mapping[str, str]) -> Page | Notice:
        home = url
        for _ in range(MOST_REDIRECTS + 1):
            if time.monotonic() >= self.closes:
                return Notice(f"{self.host} did not answer in time")
            own = credentials if _keeps_secrets(url) and _origin(url) == _origin(home) else {}
            with self.client.stream("GET", url, headers={**HEADERS, **own}) as response:
                if response.status_code not in REDIRECTS:
                    return self._read(response)
                url = url.join(response.headers.get("Location", ""))
            if url.scheme not in ("https", home.scheme) or not url.host:
                return Notice(f"{self.host} sends on to an address that is not followed")
        return Notice(f"{self.host} sends on and on")

    def _read(self, response: httpx.Response) -> Page | Notice:
        body = bytearray()
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > LARGEST_BODY:
                return Notice(f"{self.host} answered with more than {LARGEST_BODY} bytes")
            if time.monotonic() >= self.closes:
                return Notice(f"{self.host} did not answer in time")
        exhausted = response.headers.get("X-RateLimit-Remaining") == "0"
        limited = response.status_code == 429 or (response.status_code == 403 and exhausted)
        return Page(response.status_code, bytes(body), limited)


@contextmanager
def open_door(base: str, credentials: Mapping[str, str], seconds: float) -> Iterator[Door | Notice]:
    """The machine's own proxy and certificate settings hold. A Notice where they cannot be used."""
    host = urlsplit(base).netloc.rpartition("@")[2]
    try:
        client = httpx.Client(timeout=min(STEP_SECONDS, seconds), follow_redirects=False)
    # A proxy of an unknown kind, a certificate file that is not there, a SOCKS proxy without its library.
    except (OSError, ValueError, ImportError, httpx.InvalidURL):
        yield Notice(f"{host} was not asked: this machine's proxy or certificate settings cannot be used")
        return
    # Timeouts count from byte to byte; a server that drips could hold us for hours. Closing ends its read.
    timer = Timer(seconds, client.close)
    timer.daemon = True
    timer.start()
    try:
        yield Door(client, time.monotonic() + seconds, host, credentials)
    finally:
        timer.cancel()
        client.close()


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _keeps_secrets(url: httpx.URL) -> bool:
    return url.scheme == "https" or url.host in LOOPBACK
