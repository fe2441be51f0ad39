"""The machine's package configuration: pip's files and PIP_*, uv's UV_*, and the recipe's index on top.

uv does not read pip's, so both are said in one form. Credentials travel in variables, never in arguments.
"""

from __future__ import annotations

import configparser
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from bisector.model import Index

NETWORK_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
KEPT = {
    "HOME",
    "NETRC",
    "PATH",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "USER",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    *NETWORK_VARIABLES,
    *(name.upper() for name in NETWORK_VARIABLES),
}
DIVERTING = {
    "UV_BREAK_SYSTEM_PACKAGES",
    "UV_COMPILE_BYTECODE",
    "UV_CONFIG_SETTINGS",
    "UV_LINK_MODE",
    "UV_NO_BUILD_ISOLATION",
    "UV_PROJECT",
    "UV_PYTHON",
    "UV_REQUIRE_HASHES",
    "UV_SYSTEM_PYTHON",
    "UV_TARGET",
    "UV_WORKING_DIR",
    "PIP_BREAK_SYSTEM_PACKAGES",
    "PIP_DRY_RUN",
    "PIP_EDITABLE",
    "PIP_IGNORE_INSTALLED",
    "PIP_NO_BUILD_ISOLATION",
    "PIP_NO_DEPS",
    "PIP_PREFIX",
    "PIP_PYTHON",
    "PIP_REQUIRE_HASHES",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_REQUIREMENT",
    "PIP_ROOT",
    "PIP_TARGET",
    "PIP_USER",
}
"""Settings that would send an installation somewhere else than where it must go."""

CREDENTIALS = re.compile(r"(?<=://)(?:[^/\s'\"]+|[^/@\s'\":]*:(?!\d+/)[^\s'\"]*)@")
"""Also where the password has characters that it may not have as they are. A port is no password."""

HIDDEN = "***@"
"""What stands in their place."""
SECRET = re.compile(r"TOKEN|PASSWORD|USERNAME|KEYRING|PUBLISH|NETRC|CLIENT_CERT|CREDENTIAL|SECRET|API_KEY")
"""Names of variables that hold a secret, or the way to one."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where packages come from, whoever said so."""

    index_url: str | None = field(default=None, repr=False)
    extra_index_url: tuple[str, ...] = field(default=(), repr=False)
    find_links: tuple[str, ...] = field(default=(), repr=False)
    trusted_host: tuple[str, ...] = ()
    cert: str | None = None
    client_cert: str | None = None
    proxy: str | None = field(default=None, repr=False)
    no_index: bool = False


def redact(text: str) -> str:
    """Without the user and password of any URL."""
    return CREDENTIALS.sub(HIDDEN, text)


def for_strangers(environ: Mapping[str, str]) -> dict[str, str]:
    """What an installer may be told while it runs code of strangers: addresses, and no key to them."""
    return {
        name: CREDENTIALS.sub("", value) for name, value in environ.items() if not SECRET.search(name.upper())
    }


def sources(environ: Mapping[str, str], index: Index, prefix: Path | None = None) -> Sources:
    """What pip would use, and the recipe's index on top. `prefix`: an interpreter's, for its pip.conf."""
    said = _pip_said(environ, prefix)
    machine = Sources(
        index_url=said.get("index-url") or None,
        extra_index_url=_words(said.get("extra-index-url", "")),
        find_links=tuple(_located(link) for link in _words(said.get("find-links", ""))),
        trusted_host=_words(said.get("trusted-host", "")),
        cert=said.get("cert") or None,
        client_cert=said.get("client-cert") or None,
        proxy=said.get("proxy") or None,
        no_index=said.get("no-index", "").strip().lower() in {"1", "true", "yes", "on"},
    )
    return Sources(
        index_url=index.index_url or machine.index_url,
        extra_index_url=_once(index.extra_index_url + machine.extra_index_url),
        find_links=_once(tuple(_located(link) for link in index.find_links) + machine.find_links),
        trusted_host=machine.trusted_host,
        cert=machine.cert,
        client_cert=machine.client_cert,
        proxy=machine.proxy,
        no_index=machine.no_index and index.index_url is None,
    )


def uv_environment(environ: Mapping[str, str], found: Sources, index: Index) -> dict[str, str]:
    """Variables for uv; what uv itself was told goes before what pip was told, the recipe before both."""
    result = _chosen(environ, "UV_")
    told_index = {"UV_INDEX_URL", "UV_DEFAULT_INDEX"} & result.keys()
    if found.index_url and (index.index_url or not told_index):
        for name in told_index:
            del result[name]
        result["UV_DEFAULT_INDEX"] = found.index_url
    if found.extra_index_url:
        result["UV_EXTRA_INDEX_URL"] = _joined(found.extra_index_url, result.get("UV_EXTRA_INDEX_URL"), " ")
        # pip weighs all its indexes alike; uv would stop at the first that knows the name.
        result.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    if found.find_links:
        result["UV_FIND_LINKS"] = _joined(found.find_links, result.get("UV_FIND_LINKS"), ",")
    if found.trusted_host:
        result.setdefault("UV_INSECURE_HOST", " ".join(found.trusted_host))
    if found.cert:
        result.setdefault("SSL_CERT_FILE", found.cert)
    if found.client_cert:
        result.setdefault("SSL_CLIENT_CERT", found.client_cert)
    if found.proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            if name not in result and name.lower() not in result:
                result[name] = found.proxy
    return result


def pip_environment(environ: Mapping[str, str], found: Sources) -> dict[str, str]:
    """Variables for pip: its files are read here and no more by itself, so that each setting holds once."""
    result = _chosen(environ, "PIP_")
    said = {
        "PIP_INDEX_URL": found.index_url,
        "PIP_EXTRA_INDEX_URL": " ".join(found.extra_index_url),
        "PIP_FIND_LINKS": " ".join(found.find_links),
        "PIP_TRUSTED_HOST": " ".join(found.trusted_host),
        "PIP_CERT": found.cert,
        "PIP_CLIENT_CERT": found.client_cert,
        "PIP_PROXY": found.proxy,
        "PIP_NO_INDEX": "1" if found.no_index else None,
    }
    for name, value in said.items():
        result.pop(name, None)
        if value:
            result[name] = value
    result |= {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    return result


def _chosen(environ: Mapping[str, str], prefix: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in environ.items()
        if (name in KEPT or name.startswith(prefix)) and name not in DIVERTING
    }
    return {**kept, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


def _pip_said(environ: Mapping[str, str], prefix: Path | None) -> dict[str, str]:
    """pip's order: global, user and site files, PIP_CONFIG_FILE, then the variables."""
    said: dict[str, str] = {}
    for path in _pip_files(environ, prefix):
        parser = configparser.RawConfigParser()
        try:
            parser.read(path, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue
        for section in ("global", "install"):
            if parser.has_section(section):
                said |= {key.replace("_", "-"): value for key, value in parser.items(section)}
    for name, value in environ.items():
        if name.startswith("PIP_"):
            said[name[4:].lower().replace("_", "-")] = value
    return said


def _pip_files(environ: Mapping[str, str], prefix: Path | None) -> Iterator[Path]:
    own = environ.get("PIP_CONFIG_FILE")
    if own == os.devnull:
        return
    for folder in reversed(environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":")):
        yield Path(folder) / "pip" / "pip.conf"
    yield Path("/etc/pip.conf")
    home = environ.get("HOME")
    if home:
        yield Path(home) / ".pip" / "pip.conf"
        yield Path(environ.get("XDG_CONFIG_HOME") or Path(home) / ".config") / "pip" / "pip.conf"
    if prefix is not None:
        yield prefix / "pip.conf"
    if own:
        yield Path(own)


def _located(link: str) -> str:
    """An absolute path or a URL: installers run in a directory of their own."""
    if "://" in link:
        return link
    path = Path(link).expanduser().absolute()
    # A comma would end the path in uv's list, a space in pip's.
    return f"file://{quote(str(path))}" if re.search(r"[\s,]", str(path)) else str(path)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _once(items: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


def _joined(found: tuple[str, ...], told: str | None, separator: str) -> str:
    mine = [part for part in (told or "").split(separator) if part]
    return separator.join(dict.fromkeys([*found, *mine]))


def local_folders(found: Sources) -> tuple[Path, ...]:
    """The sources that lie on this machine."""
    urls = [urlsplit(url) for url in (*found.find_links, *found.extra_index_url, found.index_url or "")]
    return tuple(Path(unquote(url.path)) for url in urls if url.scheme in {"", "file"} and url.path)
