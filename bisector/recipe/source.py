"""The RECIPE argument to text: a file, standard input, a URL, or an issue that holds a fenced recipe.

The only module of this room that reads files or the network. It finds a recipe; it does not understand it.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from bisector.errors import UsageFault
from bisector.recipe import fenced
from bisector.recipe.issues import Question, questions, raw_address
from bisector.recipe.schema import OriginKind
from bisector.recipe.web import NoAnswer, ask, shown
from bisector.recipe.yaml_nodes import LARGEST

_LARGEST_PAGE = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """A recipe's text and where it is from; `load` takes each of these."""

    text: str
    name: str
    base: Path | None
    origin: OriginKind


@dataclass(frozen=True, slots=True)
class RecipeText:
    """A recipe with all that is needed to read it again."""

    text: str
    name: str
    base: str
    overrides: tuple[str, ...]


def read_source(argument: str, stdin: BinaryIO) -> Source:
    """`argument` is a path, `-`, or a URL. MachineFault: the server cannot be reached."""
    if argument == "-":
        return Source(
            _decoded(stdin.read(_bound()), "standard input"), "<stdin>", Path.cwd(), OriginKind.STDIN
        )
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", argument):
        return _file(argument)
    _check_url(argument)
    asked = questions(argument)
    if asked:
        return Source(_in_issue(argument, asked), shown(argument), None, OriginKind.ISSUE)
    return Source(_at_url(argument), shown(argument), None, OriginKind.URL)


def _bound() -> int:
    """A byte more than any recipe may have, at four for each character."""
    return 4 * LARGEST + 1


def _file(argument: str) -> Source:
    try:
        with Path(argument).open("rb") as file:
            content = file.read(_bound())
    except OSError as error:
        raise UsageFault(
            f"cannot read the recipe {argument}: {error.strerror}", _instead_of(argument)
        ) from error
    except ValueError as error:
        raise UsageFault(f"{argument!r} cannot be a file's name") from error
    return Source(_decoded(content, argument), argument, Path(argument).absolute().parent, OriginKind.FILE)


def _instead_of(argument: str) -> str:
    """A file nearby that may be meant, or how to get one."""
    path = Path(argument)
    try:
        beside = sorted(one.name for one in path.parent.iterdir() if one.is_file())
    except OSError:
        beside = []
    near = difflib.get_close_matches(path.name, beside, n=1)
    return f"is {path.parent / near[0]} meant?" if near else "`bisector new` writes a recipe"


def _decoded(content: bytes, name: str) -> str:
    if len(content) >= _bound():
        raise UsageFault(f"{name}: too large for a recipe, which has at most {LARGEST} characters")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageFault(f"{name}: not UTF-8 text (byte {error.start + 1})", "save it as UTF-8") from error


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        known = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise UsageFault(f"{shown(url)} is not a URL: {error}") from error
    if not known:
        raise UsageFault(
            f"{shown(url)}: a recipe comes by http or https, from a file, or by standard input as -"
        )


def _at_url(url: str) -> str:
    answer = ask(raw_address(url), LARGEST)
    if isinstance(answer, NoAnswer):
        raise answer.fault(url)
    if answer.is_page:
        return _found(fenced.in_page(answer.content.decode("utf-8", "replace")), url, "the page")
    return _decoded(answer.content, shown(url))


def _in_issue(url: str, asked: tuple[Question, ...]) -> str:
    silent: NoAnswer | None = None
    for question in asked:
        answer = ask(question.address, _LARGEST_PAGE)
        if isinstance(answer, NoAnswer):
            silent = answer
            continue
        body = answer.content.decode("utf-8", "replace")
        text = fenced.in_answer(body, question.key) if question.key else fenced.in_page(body) or ""
        if text is not None:
            return _found(text if text else None, url, "the issue")
    raise silent.fault(url) if silent else _found_nothing(url, "the issue")


def _found(text: str | None, url: str, where: str) -> str:
    if text is None:
        raise _found_nothing(url, where)
    return text


def _found_nothing(url: str, where: str) -> UsageFault:
    return UsageFault(
        f"{shown(url)}: no recipe in {where}",
        "a recipe there is a block fenced by ```yaml and ``` that has at least `repo:` and `repro:`",
    )
