"""Words that must come out of a Markdown reader as they went in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bisector.harmless import line
from bisector.report.markdown import code, fence, prose

_LINES = st.text(alphabet="ab1 .)(-+=#*_`~|\\[]<>!&;:/@$%{}\"'^\t").map(line)
_JOINER = "\u2060"


def _read(markdown: str) -> tuple[list[str], str]:
    """The kinds of blocks, and the text of what stands in them."""
    blocks = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)
    text = "".join(piece.content for block in blocks for piece in block.children or [])
    return [block.type for block in blocks], text


@settings(derandomize=True, max_examples=500)
@given(_LINES)
def test_prose_is_read_as_it_was_written(text: str) -> None:
    kinds, read = _read(prose(text))
    assert read.replace(_JOINER, "") == text
    assert kinds == (["paragraph_open", "inline", "paragraph_close"] if text else [])


@settings(derandomize=True, max_examples=500)
@given(_LINES.filter(bool))
def test_code_is_read_as_it_was_written(text: str) -> None:
    assert _read(code(text))[1] == text


@settings(derandomize=True, max_examples=300)
@given(st.text(alphabet="a `~\n"))
def test_a_fence_holds_whatever_stands_in_it(text: str) -> None:
    (block,) = MarkdownIt("commonmark").parse(fence(text))
    assert block.content == f"{text}\n"


@pytest.mark.parametrize("reference", ["@ada", "#12", "!7", "GH-7", "gh-7", "~bug", '%"next"', "$3", "&4"])
def test_a_reference_is_taken_apart_without_a_visible_trace(reference: str) -> None:
    apart = prose(f"see {reference} now")
    assert _JOINER in apart
    assert _read(apart)[1].replace(_JOINER, "") == f"see {reference} now"


@pytest.mark.parametrize("innocent", ["a @ b", "C# code", "50 % of it", "ada & eve", "what!"])
def test_what_refers_to_nothing_stays_as_it_is(innocent: str) -> None:
    assert _JOINER not in prose(innocent)
