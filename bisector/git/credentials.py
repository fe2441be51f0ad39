"""User and password of a URL, handed to git by the environment alone.

git starts `git-remote-https` with the URL among its arguments, which every user of the machine can read, and
writes URLs into configurations; so the URL goes without them and git asks a helper that reads two variables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit, urlunsplit

_USER = "BISECTOR_URL_USER"
_PASSWORD = "BISECTOR_URL_PASSWORD"
# Printed by the shell itself: a program would have the password among its arguments.
_HELPER = f'!f() {{ test "$1" = get && printf "username=%s\\npassword=%s\\n" "${_USER}" "${_PASSWORD}"; }}; f'


_HTTP_LOGIN = re.compile(r"(https?://)[^/\s]*@", re.IGNORECASE)
_HIDDEN = re.compile(r"([a-z][a-z0-9+.-]*://[^/:@\s]*):[^/\s]*@", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """A URL without credentials; what git must be set to, and the variables it needs, to have them still."""

    url: str
    settings: tuple[tuple[str, str], ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


def without_credentials(text: str) -> str:
    """URLs in a text lose passwords, those of the web their user too: it may be a token."""
    return _HIDDEN.sub(r"\1@", _HTTP_LOGIN.sub(r"\1", text))


def address(url: str) -> Address:
    """Only HTTP has passwords in URLs; the user of an ssh URL is part of the address."""
    parts = urlsplit(url)
    if parts.scheme.lower() not in ("http", "https") or "@" not in parts.netloc:
        return Address(without_credentials(url))
    login, _, host = parts.netloc.rpartition("@")
    user, given, password = login.partition(":")
    plain = urlunsplit(parts._replace(netloc=host))
    # For this host only: a submodule or a redirection may lead to others.
    scope = f"credential.{parts.scheme}://{host}"
    if not given:
        return Address(plain, ((f"{scope}.username", unquote(user)),))
    settings = ((f"{scope}.helper", ""), (f"{scope}.helper", _HELPER))
    return Address(plain, settings, {_USER: unquote(user), _PASSWORD: unquote(password)})
