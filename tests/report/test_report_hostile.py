"""Commit subjects, output and forge answers written by somebody who means harm."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from typing import TypeVar, cast

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bisector.model import Account
from bisector.report import RENDERERS, Format

_EVIL = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> \"'/> </style></title></pre></textarea> "
    "{{ 7 * 7 }} {% raw %} \x1b[2J\x1b]0;owned\x07\x9b31m\x08\x00 \u202egnp \ud800 "
    "@maintainer #123 GH-7 !45 ```` ``` ` ~~~ | \\| [x](javascript:alert(1)) "
    "![i](https://evil.example/i.png) ]]> --> &amp; <!-- https://me:hunter2@host.example/r "
    "</details>\n# heading\n@second\n"
)

_TAG = re.compile(r"<(/?[a-z]+)")

Value = TypeVar("Value")


def poisoned(value: Value) -> Value:
    """The same value with evil words in every text that is not a commit's name."""
    if isinstance(value, str):
        return value if re.fullmatch("[0-9a-f]{40}", value) else cast(Value, f"{value}{_EVIL}")
    if isinstance(value, tuple):
        return cast(Value, tuple(poisoned(item) for item in value))
    if is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: poisoned(getattr(value, field.name)) for field in fields(value)}
        return replace(value, **changed)
    return value


@pytest.fixture(params=["found", "fix", "suspects", "endpoints", "failed", "dependency"])
def evil(request: pytest.FixtureRequest, samples: dict[str, Account]) -> Account:
    return poisoned(samples[request.param])


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, list[tuple[str, str | None]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, attrs))


@pytest.mark.parametrize("format", list(Format))
def test_no_format_lets_a_control_character_or_a_password_through(evil: Account, format: Format) -> None:
    told = RENDERERS[format](evil)
    told.encode("utf-8")
    assert "hunter2" not in told
    # A recipe that was loaded holds no control characters: YAML forbids them.
    if format is not Format.RECIPE:
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", told)


def test_html_gains_no_element_and_evaluates_nothing(evil: Account) -> None:
    html = RENDERERS[Format.HTML](evil)
    page = _Elements()
    page.feed(html)
    assert not {tag for tag, _ in page.seen} & {
        "script",
        "img",
        "iframe",
        "object",
        "embed",
        "link",
        "textarea",
    }
    assert [tag for tag, _ in page.seen].count("style") == 1
    for _, attributes in page.seen:
        assert not [key for key, _ in attributes if key.startswith("on")]
        assert not [value for key, value in attributes if key == "href" and "javascript" in str(value)]
    assert "{{ 7 * 7 }} {% raw %}" in html


def _tokens(markdown: str) -> list[Token]:
    """As GitHub reads it: CommonMark with tables and raw HTML; the pieces of a paragraph one by one."""
    blocks = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)
    return [piece for token in blocks for piece in (token.children or [token])]


def test_markdown_mentions_nobody_and_refers_to_nothing(evil: Account) -> None:
    open_links = 0
    for token in _tokens(RENDERERS[Format.MARKDOWN](evil)):
        open_links += (token.type == "link_open") - (token.type == "link_close")
        if token.type == "text" and not open_links:
            assert not re.search(r"@\w|GH-\d|[#!]\d", token.content)


def test_markdown_keeps_markup_asleep(evil: Account) -> None:
    tokens = _tokens(RENDERERS[Format.MARKDOWN](evil))
    tags = {tag for token in tokens if token.type.startswith("html") for tag in _TAG.findall(token.content)}
    assert tags <= {"details", "/details", "summary", "/summary", "sub", "/sub"}
    assert not {token.type for token in tokens} & {"image", "s_open", "em_open"}
    links = [str(token.attrGet("href")) for token in tokens if token.type == "link_open"]
    assert [link for link in links if not link.startswith("https://forge.example/")] == []


def test_markdown_keeps_its_own_shape(samples: dict[str, Account]) -> None:
    """As many headings, tables, cells and fences with evil words as without."""
    for name in ("found", "suspects", "endpoints"):
        counted = [
            Counter(token.type for token in _tokens(RENDERERS[Format.MARKDOWN](account)))
            for account in (samples[name], poisoned(samples[name]))
        ]
        for kind in (
            "heading_open",
            "table_open",
            "tr_open",
            "td_open",
            "fence",
            "html_block",
            "list_item_open",
        ):
            assert counted[0][kind] == counted[1][kind], (name, kind)


def test_xml_is_well_formed(evil: Account) -> None:
    suites = ElementTree.fromstring(RENDERERS[Format.JUNIT](evil))
    assert suites.get("tests") == "1"


def test_json_is_ascii_and_reads_back(evil: Account) -> None:
    told = RENDERERS[Format.JSON](evil)
    assert told.isascii()
    assert json.loads(told)["hunt"].startswith("graphs-4f2a91<script>")


def test_a_link_that_is_none_is_shown_as_words(samples: dict[str, Account]) -> None:
    account = samples["found"]
    assert account.culprit is not None
    culprit = replace(account.culprit, url="javascript:alert(1)")
    changed = replace(account, culprit=culprit, compare_url="data:text/html,x")
    assert "javascript:" not in RENDERERS[Format.HTML](changed)
    assert "javascript:" not in RENDERERS[Format.MARKDOWN](changed)
    assert "data:text" not in RENDERERS[Format.HTML](changed)


def test_markdown_of_anything_fits_into_one_comment(samples: dict[str, Account]) -> None:
    account = samples["found"]
    flood = "word <b> " * 10_000
    assert account.culprit is not None
    change = replace(account.culprit.change, files=tuple(f"{number}{'f' * 400}" for number in range(5000)))
    huge = replace(
        account,
        name=flood,
        description=flood,
        message=flood,
        recipe=flood,
        reproduce=flood,
        bisect_log=flood,
        notices=(flood,) * 50,
        suspects=tuple(replace(account.culprit.commit, subject=flood) for _ in range(500)),
        culprit=replace(account.culprit, change=change),
        trials=tuple(
            replace(judged, verdict=replace(judged.verdict, reason=flood)) for judged in account.trials * 20
        ),
    )
    assert len(RENDERERS[Format.MARKDOWN](huge)) < 65_536
