"""The page: it stands alone, its markup is sound, and it says what the hunt found."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from bisector.model import Account
from bisector.report import RENDERERS, Format

_VOID = {"meta", "link", "br", "img", "input", "hr", "base", "col", "source"}
_DRAWN_ALONE = {"circle", "path", "rect", "line", "use"}
_LOADS = {
    "src",
    "srcset",
    "data",
    "poster",
    "action",
    "formaction",
    "background",
    "ping",
    "manifest",
    "style",
}


class Page(HTMLParser):
    """Reads a page strictly: every element closed in its order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _DRAWN_ALONE, f"<{tag}/> closes nothing in HTML"
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> inside {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def read(account: Account) -> Page:
    page = Page()
    page.feed(RENDERERS[Format.HTML](account))
    page.close()
    assert page.open == []
    return page


ENDINGS = (
    "found",
    "fix",
    "suspects",
    "thousand",
    "unconfirmed",
    "endpoints",
    "failed",
    "interrupted",
    "dependency",
    "nothing",
)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_page_loads_nothing_and_runs_nothing(samples: dict[str, Account], ending: str) -> None:
    page = read(samples[ending])
    names = {name for name, _ in page.elements}
    assert not names & {
        "script",
        "iframe",
        "object",
        "embed",
        "img",
        "link",
        "base",
        "form",
        "audio",
        "video",
    }
    for name, attributes in page.elements:
        assert not _LOADS & attributes.keys(), name
        assert not [key for key in attributes if key.startswith("on")], name
        if name == "use":
            assert str(attributes["href"]).startswith("#mark-")
    assert "@import" not in "".join(page.text)
    assert "url(" not in "".join(page.text)


def test_the_policy_allows_the_pages_own_style_and_nothing_else(samples: dict[str, Account]) -> None:
    html = RENDERERS[Format.HTML](samples["found"])
    style = re.search("<style>(.*?)</style>", html, re.DOTALL)
    policies = [each for each in read(samples["found"]).all("meta") if "http-equiv" in each]
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert [policy["content"] for policy in policies] == [
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    ]


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_label_that_is_pointed_to_exists_once(samples: dict[str, Account], ending: str) -> None:
    page = read(samples[ending])
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    pointed = [str(attributes.get("aria-labelledby", "")).split() for _, attributes in page.elements]
    assert len(ids) == len(set(ids))
    assert {name for names in pointed for name in names} <= set(ids)
    assert len(page.all("h1")) == 1


def test_it_says_what_was_found(samples: dict[str, Account]) -> None:
    account = samples["found"]
    page = read(account)
    text = " ".join(" ".join(page.text).split())
    for part in (
        account.message,
        "Speed up to_numpy_array (#512)",
        "Ada Example <ada@mail.example>",
        "AssertionError: 3",
        "numpy 1.26.4 -> 2.0.0",
        "cannot build: error: command 'gcc' failed",
        "Confidence: 99 %",
        account.reproduce,
        "12 trials narrowing 100 commits, down to commit 73 of them",
    ):
        assert part in text
    links = {attributes["href"] for attributes in page.all("a")}
    assert {"https://forge.example/graphs/graphs/pull/512", account.compare_url} <= links


def test_the_picture_narrows(samples: dict[str, Account]) -> None:
    bands = [each for each in read(samples["found"]).all("rect") if each.get("class") == "band"]
    widths = [float(str(band["width"]).rstrip("%")) for band in bands]
    assert len(bands) == 12
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == 71.0


def test_a_stopped_run_shows_where_it_stood(samples: dict[str, Account]) -> None:
    assert "solve (graphs/solve.py:12)" in "".join(read(samples["fix"]).text)


def test_a_search_that_narrowed_nothing_is_not_drawn(samples: dict[str, Account]) -> None:
    assert read(samples["endpoints"]).all("svg") == []
    assert len(read(samples["interrupted"]).all("svg")) == 1


def test_one_side_alone_is_not_called_unchanged(samples: dict[str, Account]) -> None:
    assert "There are not two sides to compare." in " ".join(read(samples["endpoints"]).text)
