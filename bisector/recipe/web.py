"""One bounded question to a web server: so many bytes, so many seconds, http and https only."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bisector.errors import BisectorError, MachineFault, UsageFault

if TYPE_CHECKING:
    from httpx import Response

_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    content: bytes
    content_type: str

    @property
    def is_page(self) -> bool:
        return self.content_type.partition(";")[0].strip().lower() in ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is none; `reached`: a server spoke, so asking again helps nobody."""

    reason: str
    reached: bool

    def fault(self, url: str) -> BisectorError:
        kind = UsageFault if self.reached else MachineFault
        return kind(f"cannot get {shown(url)}: {self.reason}", "save the recipe to a file and give its name")


def shown(url: str) -> str:
    """Without what may be secret: user, password, query."""
    address, _, _ = url.partition("?")
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


def ask(url: str, largest: int) -> Answer | NoAnswer:
    # Imported here because httpx takes longer to load than a recipe takes to read, and most come from files.
    import httpx

    # Not compressed: what unpacks to a thousand times its size is no recipe.
    headers = {"Accept-Encoding": "identity", "User-Agent": "bisector"}
    try:
        with (
            httpx.Client(follow_redirects=True, max_redirects=5, timeout=10, headers=headers) as client,
            client.stream("GET", url) as response,
        ):
            return _read(response, largest)
    except httpx.TimeoutException:
        return NoAnswer("no answer in time", reached=False)
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
        return NoAnswer(str(error) or type(error).__name__, reached=False)


def _read(response: Response, largest: int) -> Answer | NoAnswer:
    if response.status_code != 200:
        said = f"{response.status_code} {response.reason_phrase}".strip()
        return NoAnswer(f"the server says {said}", reached=True)
    if response.headers.get("content-encoding", "identity") != "identity":
        return NoAnswer("the server sends it compressed", reached=True)
    until = time.monotonic() + _PATIENCE
    content = bytearray()
    for piece in response.iter_raw():
        content += piece
        if len(content) > largest:
            return NoAnswer(f"longer than {largest} bytes", reached=True)
        if time.monotonic() > until:
            return NoAnswer(f"not complete after {_PATIENCE:.0f} seconds", reached=False)
    return Answer(bytes(content), response.headers.get("content-type", ""))
