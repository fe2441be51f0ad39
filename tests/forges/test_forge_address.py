"""Git URLs of every spelling, and what of them is a place on the web."""

from __future__ import annotations

import pytest

from bisector.forges.address import parse_address

SPELLINGS = {
    "plain https": ("https://github.com/o/n", "https://github.com", "o/n"),
    "with .git and slash": ("https://github.com/o/n.git/", "https://github.com", "o/n"),
    "with credentials": ("https://me:s3cret@github.com/o/n.git", "https://github.com", "o/n"),
    "token as user": ("https://s3cret@git.example.org:8443/o/n", "https://git.example.org:8443", "o/n"),
    "standard port": ("https://git.example.org:443/o/n", "https://git.example.org", "o/n"),
    "http on a port": ("http://git.example.org:3000/o/n", "http://git.example.org:3000", "o/n"),
    "scp-like": ("git@github.com:o/n.git", "https://github.com", "o/n"),
    "scp-like without user": ("github.com:o/n.git", "https://github.com", "o/n"),
    "scp-like absolute": ("git@git.example.org:/srv/o/n.git", "https://git.example.org", "srv/o/n"),
    "ssh": ("ssh://git@github.com/o/n.git", "https://github.com", "o/n"),
    "ssh on a port": ("ssh://git@git.example.org:2222/o/n", "https://git.example.org", "o/n"),
    "ssh through a firewall": ("ssh://git@ssh.github.com:443/o/n.git", "https://github.com", "o/n"),
    "git": ("git://git.example.org/o/n.git", "https://git.example.org", "o/n"),
    "upper case host": ("https://GitHub.com/O/N", "https://github.com", "O/N"),
    "www": ("https://www.github.com/o/n", "https://github.com", "o/n"),
    "nested groups": ("https://gitlab.com/a/b/c/n.git", "https://gitlab.com", "a/b/c/n"),
    "quoted": (
        "https://dev.azure.com/org/My%20Project/_git/n",
        "https://dev.azure.com",
        "org/My Project/_git/n",
    ),
    "IPv6": ("ssh://git@[::1]:22/o/n", "https://[::1]", "o/n"),
}


@pytest.mark.parametrize(("url", "origin", "path"), SPELLINGS.values(), ids=SPELLINGS.keys())
def test_place_on_the_web(url: str, origin: str, path: str) -> None:
    address = parse_address(url)
    assert address is not None
    assert (address.origin, address.path) == (origin, path)
    assert "s3cret" not in repr(address)


@pytest.mark.parametrize(
    "url",
    [
        "../n",
        "/srv/git/n.git",
        "./a:b",
        "C:\\code\\n",
        "C:/code/n",
        "n",
        "",
        "file:///srv/git/n.git",
        "ext::sh -c whoami",
        "https://github.com",
        "https://github.com/",
        "https://github.com/.git",
        "https://github.com/../x",
        "https://github.com/o/%2e%2e/n",
        "https://git.example.org:port/o/n",
        "https://[::1/o/n",
        "https://github.com/o/n\x1b[31m",
        "https://github.com/o/%0an",
        "ftp://git.example.org/o/n",
    ],
)
def test_no_place_on_the_web(url: str) -> None:
    assert parse_address(url) is None


def test_a_page_is_quoted() -> None:
    address = parse_address("https://dev.azure.com/org/My%20Project/_git/n%3Fq")
    assert address is not None
    assert address.page(address.path) == "https://dev.azure.com/org/My%20Project/_git/n%3Fq"
