"""Where a repository lives, read from its git URL: host and path, never a credential.

Knows git's ways to write an address; does not know which forge answers there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

WEB_SCHEMES = ("https", "http")
SCHEMES = (*WEB_SCHEMES, "ssh", "git+ssh", "ssh+git", "git")
# git reads host:path only while no slash stands before the colon; a single letter is a Windows drive.
SCP_LIKE = re.compile(r"(?:[^@/:\s]+@)?(?P<host>\[[0-9A-Fa-f:]+\]|[A-Za-z0-9._-]{2,}):(?!:|//)(?P<path>.+)")
HOST = re.compile(r"[a-z0-9._:-]+")
CONTROL = re.compile(r"[\x00-\x20\x7f]")
# Doors of the same house: ssh through a firewall, and the name that only redirects.
SAME_HOST = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}


@dataclass(frozen=True, slots=True)
class Address:
    """`port` is None where the scheme's own holds; `path` has neither outer slashes nor `.git`."""

    scheme: str
    host: str
    port: int | None
    path: str

    @property
    def origin(self) -> str:
        """Scheme, host and port of the web pages; the port of ssh or git says nothing about them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        if self.scheme not in WEB_SCHEMES:
            return f"https://{host}"
        return f"{self.scheme}://{host}" + (f":{self.port}" if self.port else "")

    @property
    def segments(self) -> tuple[str, ...]:
        return tuple(self.path.split("/"))

    def page(self, *parts: str) -> str:
        """The web address of `parts` on this host, each part quoted but for its slashes."""
        return "/".join([self.origin, *(quote(part, safe="/~+:@") for part in parts)])


def parse_address(url: str) -> Address | None:
    """None: a local path, a file, or what git would hand to a helper program."""
    text = url.strip()
    if CONTROL.search(text):
        return None
    if "://" in text:
        return _from_url(text)
    scp = SCP_LIKE.fullmatch(text)
    return _address("ssh", scp["host"].strip("[]"), None, scp["path"]) if scp else None


def _from_url(text: str) -> Address | None:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in SCHEMES or not parts.hostname:
        return None
    scheme = parts.scheme if parts.scheme in (*WEB_SCHEMES, "git") else "ssh"
    return _address(scheme, parts.hostname, port, parts.path)


def _address(scheme: str, host: str, port: int | None, path: str) -> Address | None:
    name = SAME_HOST.get(host.lower(), host.lower())
    clean = _clean_path(path)
    if not HOST.fullmatch(name) or not clean:
        return None
    standard = {"https": 443, "http": 80, "ssh": 22, "git": 9418}[scheme]
    return Address(scheme, name, None if port == standard else port, clean)


def _clean_path(path: str) -> str | None:
    """None for a path that no forge could mean: empty, or climbing."""
    segments = [segment for segment in unquote(path).split("/") if segment]
    if (
        not segments
        or ".." in segments
        or any(CONTROL.search(segment.replace(" ", "")) for segment in segments)
    ):
        return None
    return "/".join(segments).removesuffix(".git") or None
