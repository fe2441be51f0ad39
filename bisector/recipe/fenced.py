"""Finding a recipe inside other text: a fenced block of Markdown, a preformatted block of a web page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

_LANGUAGES = ("yaml", "yml", "bisector", "")
_FENCE = re.compile(r"^([ \t]{0,12})(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$")


def in_markdown(text: str) -> str | None:
    """The first block that looks like a recipe and is not said to be something else."""
    return next(filter(_looks_like_recipe, _blocks(text)), None)


def in_page(html: str) -> str | None:
    finder = _Preformatted()
    finder.feed(html)
    finder.close()
    return next(filter(_looks_like_recipe, finder.blocks()), None)


def _looks_like_recipe(text: str) -> bool:
    return all(re.search(rf"^{key}[ \t]*:", text, re.MULTILINE) for key in ("repo", "repro"))


def _blocks(text: str) -> Iterator[str]:
    lines = iter(text.splitlines())
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


class _Preformatted(HTMLParser):
    """The texts of a page's `pre` elements, whatever colours them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._depth = 0
        self._texts: list[list[str]] = []

    def blocks(self) -> list[str]:
        return ["".join(text).strip("\n") + "\n" for text in self._texts]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "pre":
            self._depth += 1
            if self._depth == 1:
                self._texts.append([])
        elif tag == "br":
            self.handle_data("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre" and self._depth:
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if self._depth:
            self._texts[-1].append(data)
