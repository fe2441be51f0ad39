"""Finding a recipe inside other text: a fenced block of Markdown, a preformatted block of a page."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator

_LANGUAGES = ("yaml", "yml", "bisector", "")
_FENCE = re.compile(r"^([ \t]{0,12})(`{3,}|~{3,})[ \t]*([^\s`]*)(?:\s[^`]*)?$")
_PRE = re.compile(r"<pre\b[^<>]*>", re.IGNORECASE)
_PRE_END = re.compile(r"</pre", re.IGNORECASE)
_BREAK = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def in_markdown(text: str) -> str | None:
    """The first block that looks like a recipe and is not said to be something else."""
    return next(filter(_looks_like_recipe, _blocks(text)), None)


def in_page(page: str) -> str | None:
    return next(filter(_looks_like_recipe, _preformatted(page)), None)


def in_answer(text: str, key: str) -> str | None:
    """The recipe in an API's JSON answer; empty: there is none; None: this is no answer about an issue."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    body = told.get(key) if isinstance(told, dict) else None
    return (in_markdown(body) or "") if isinstance(body, str) else None


def _looks_like_recipe(text: str) -> bool:
    return all(re.search(rf"^{key}[ \t]*:", text, re.MULTILINE) for key in ("repo", "repro"))


def _blocks(text: str) -> Iterator[str]:
    lines = iter(text.replace("\r\n", "\n").removesuffix("\n").split("\n"))
    for line in lines:
        opening = _FENCE.match(line)
        if opening is None:
            continue
        block = list(_until_closed(lines, opening[2], len(opening[1])))
        if opening[3].lower() in _LANGUAGES:
            yield "".join(f"{line}\n" for line in block)


def _until_closed(lines: Iterator[str], fence: str, indent: int) -> Iterator[str]:
    """What is indented as the fence is, as in a list, loses that much."""
    for line in lines:
        if re.fullmatch(rf"[ \t]*{fence[0]}{{{len(fence)},}}[ \t]*", line):
            return
        yield line[indent:] if not line[:indent].strip() else line


def _preformatted(page: str) -> Iterator[str]:
    """The texts of `pre` elements, whatever colours them.

    A page may be hostile, and html.parser takes quadratic time for some and fails on others.
    """
    at = 0
    while opening := _PRE.search(page, at):
        closing = _PRE_END.search(page, opening.end())
        at = closing.start() if closing else len(page)
        coloured = _BREAK.sub("\n", page[opening.end() : at])
        yield html.unescape(_TAG.sub("", coloured)).strip("\n") + "\n"
