"""Foreign text made harmless, and figures in a reader's words."""

from __future__ import annotations

import pytest

from bisector import harmless as clean
from bisector.report import figures


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\", "text"),
        ("\x1b]52;c;never ended\nnext line", "\nnext line"),
        ("\x1bPdevice control\x1b\\x", "x"),
        ("\x9b2Jx", "x"),
        ("\x1bcreset", "reset"),
        ("\x1b", ""),
        ("10%\r20%\r\ndone", "10%\n20%\ndone"),
        ("bell\x07 back\x08", "bell\u2407 back\u2408"),
        ("null\x00 delete\x7f", "null\u2400 delete\u2421"),
        ("user\u202egnp.exe", "user\ufffdgnp.exe"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("tab\tstays, so does ü and 漢", "tab\tstays, so does ü and 漢"),
    ],
)
def test_block(foreign: str, shown: str) -> None:
    assert clean.block(foreign) == shown


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("https://me:secret@host.example/x", "https://host.example/x"),
        ("https://token@host.example/x", "https://host.example/x"),
        ("https://me:se@cret@host.example/x", "https://host.example/x"),
        ("ssh://git@host.example/x", "ssh://git@host.example/x"),
        ("ssh://git:secret@host.example/x", "ssh://git@host.example/x"),
        ("git@host.example:x", "git@host.example:x"),
        ("https://host.example/@user", "https://host.example/@user"),
        ("https://host.example?mail=a@b", "https://host.example?mail=a@b"),
        ("['https://host.example','a@b']", "['https://host.example','a@b']"),
        ("mail ada@mail.example", "mail ada@mail.example"),
    ],
)
def test_without_credentials(text: str, safe: str) -> None:
    assert clean.without_credentials(text) == safe


@pytest.mark.parametrize(
    "text", ["://" * 50_000, "https:" * 50_000, "a:@" * 50_000, "\x1b[" * 50_000, "\x1b]0" * 50_000]
)
def test_long_traps_are_walked_through_once(text: str) -> None:
    """A pattern that backtracks over these would not end within anybody's patience."""
    assert len(clean.block(clean.without_credentials(text))) <= len(text)


@pytest.mark.parametrize("url", ["https://host.example/a?b=c#d", "http://host.example"])
def test_web_links_may_be_followed(url: str) -> None:
    assert clean.web_link(url) == url


@pytest.mark.parametrize(
    "url",
    [
        None,
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc",
        "https://x y",
        'https://x"y',
        "https://x>y",
        "",
    ],
)
def test_other_links_are_no_links(url: str | None) -> None:
    assert clean.web_link(url) is None


def test_a_tail_says_what_it_left_out() -> None:
    assert clean.tail("a\nb\nc\n", lines=5, characters=100) == "a\nb\nc"
    assert clean.tail("a\nb\nc\n", lines=2, characters=100) == "[... 2 characters before this]\nb\nc"
    assert clean.tail("abcdef", lines=2, characters=2) == "[... 4 characters before this]\nef"


def test_a_head_says_what_it_left_out() -> None:
    assert clean.head("a\nb\nc\n", lines=5, characters=100) == "a\nb\nc"
    assert clean.head("a\nb\nc\n", lines=2, characters=100) == "a\nb\n[... 2 characters after this]"


def test_a_line_is_one_line() -> None:
    assert clean.line("two\n  lines\u2028three") == "two lines three"
    assert clean.line("x" * 500, 10) == "x" * 9 + "…"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.00 s"),
        (0.4242, "0.42 s"),
        (12.34, "12.3 s"),
        (59.97, "1 min 0 s"),
        (125, "2 min 5 s"),
        (3 * 3600 + 240, "3 h 4 min"),
    ],
)
def test_duration(seconds: float, words: str) -> None:
    assert figures.duration(seconds) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [(512, "512 B"), (3482, "3.4 KiB"), (120 * 2**20, "120 MiB"), (5 * 2**40, "5120 GiB")],
)
def test_size(count: int, words: str) -> None:
    assert figures.size(count) == words


def test_counted() -> None:
    assert figures.counted(1, "trial") == "1 trial"
    assert figures.counted(1024, "commit") == "1,024 commits"
