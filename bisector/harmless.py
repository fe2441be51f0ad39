"""Makes foreign text harmless: credentials, terminal escapes, control and direction characters, odd links.

Knows nothing of any output format; each renderer still escapes for its own. Imports nothing heavy: every command
that fails needs it.
"""

from __future__ import annotations

import re

# An unterminated string sequence ends at its line: it must not swallow the output that follows.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\r\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_VISIBLE = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: "\u2421"}
# C1 controls, direction overrides and isolates, and what neither UTF-8 nor XML can carry.
_UNSHOWABLE = re.compile("[\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_AUTHORITY = r"[^\s/?#'\"<>`,]"
_WEB_USER = re.compile(rf"(https?://){_AUTHORITY}+@", re.IGNORECASE)
_PASSWORD = re.compile(rf"(://[^\s/?#'\"<>`,:@]*):{_AUTHORITY}+@")
_WEB_LINK = re.compile(r"https?://[^\s\"'<>`\\\x00-\x20\x7f-\x9f]+", re.IGNORECASE)


def without_credentials(text: str) -> str:
    """URLs lose passwords, web addresses their user too (it may be a token)."""
    return _PASSWORD.sub(r"\1@", _WEB_USER.sub(r"\1", text))


def block(text: str) -> str:
    """Lines without escapes; what else a terminal or a reader's eye would obey is made visible."""
    plain = _LINE_ENDS.sub("\n", _ESCAPES.sub("", text))
    return _UNSHOWABLE.sub("\ufffd", plain).translate(_VISIBLE)


def line(text: str, limit: int = 300) -> str:
    """One line of at most `limit` characters."""
    # Escapes and blanks may take most of a short text, but what follows a long one is not worth cleaning.
    joined = " ".join(block(text[: 16 * limit]).split())
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def tail(text: str, lines: int, characters: int) -> str:
    """The end of a text, where the failure stands; says what was left out."""
    whole = block(text).strip("\n")
    kept = "\n".join(whole.split("\n")[-lines:])[-characters:]
    if len(kept) == len(whole):
        return kept
    return f"[... {len(whole) - len(kept)} characters before this]\n{kept}"


def head(text: str, lines: int, characters: int) -> str:
    """The beginning of a text; says what was left out."""
    whole = block(text).strip("\n")
    kept = "\n".join(whole.split("\n")[:lines])[:characters]
    if len(kept) == len(whole):
        return kept
    return f"{kept}\n[... {len(whole) - len(kept)} characters after this]"


def web_link(url: str | None) -> str | None:
    """The address when it is one that a browser may be sent to."""
    return url if url is not None and _WEB_LINK.fullmatch(url) else None
