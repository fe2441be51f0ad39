"""Gerrit's customs: a review is a change with a number and a Change-Id; every patch set has its ref."""

from __future__ import annotations

import re

from bisector.forges.address import Address
from bisector.forges.forge import ForgeName, PullRefs, has_label, number_in
from bisector.forges.mention import NUMBER, Mention, body_lines, clean_title
from bisector.model import Commit

SSH_PORT = 29418
CODE_HOSTS = ".googlesource.com"
CHANGE_ID = re.compile(r"Change-Id: (I[0-9a-f]{40})")
# With the project in between (/c/group/project/+/12), or the older short forms (/12, /r/12, /#/c/12).
PULL_URL = re.compile(rf"https?://[^/\s]+/(?:[^\s?]*/\+/|(?:r/)?(?:#/)?(?:c/)?){NUMBER}(?:/[0-9]+)?/?")
REVIEWED = re.compile(rf"Reviewed-on: (?:{PULL_URL.pattern})")
PATCH_SETS = PullRefs("refs/changes/*", re.compile(f"refs/changes/[0-9]{{2}}/{NUMBER}/[0-9]+"))


class Gerrit:
    name = ForgeName.GERRIT
    pull_refs: tuple[PullRefs, ...] = (PATCH_SETS,)

    def lives_at(self, address: Address) -> bool:
        labelled = has_label(address.host, "gerrit") or address.host.startswith("review.")
        return labelled or address.port == SSH_PORT or address.host.endswith(CODE_HOSTS)

    def wrote(self, commit: Commit) -> bool:
        return any(REVIEWED.fullmatch(line) or CHANGE_ID.fullmatch(line) for line in body_lines(commit))

    def in_subject(self, commit: Commit) -> Mention | None:
        return None

    def in_body(self, commit: Commit, address: Address | None) -> Mention | None:
        ids = [found[1] for found in map(CHANGE_ID.fullmatch, body_lines(commit)) if found]
        return Mention(ids[-1], clean_title(commit.subject)) if ids else None

    def pull_in_url(self, url: str) -> int | None:
        return number_in(PULL_URL, url)

    def commit_url(self, address: Address, sha: str) -> str | None:
        return f"{_code(address)}/+/{sha}"

    def compare_url(self, address: Address, old: str, new: str) -> str | None:
        return f"{_code(address)}/+log/{old}..{new}"

    def pull_url(self, address: Address, number: int | str) -> str | None:
        return _review(address).page("q" if isinstance(number, str) else "c", str(number))


def _project(address: Address) -> str:
    """`a/` only asks for a password, and is no part of the project's name."""
    return address.path.removeprefix("a/")


def _code(address: Address) -> str:
    """On googlesource.com the code has a host of its own; elsewhere it is a plug-in of the review's."""
    if not address.host.endswith(CODE_HOSTS):
        return address.page("plugins/gitiles", _project(address))
    host = address.host.replace("-review" + CODE_HOSTS, CODE_HOSTS)
    return Address(address.scheme, host, address.port, address.path).page(_project(address))


def _review(address: Address) -> Address:
    host = address.host
    if host.endswith(CODE_HOSTS) and not host.endswith("-review" + CODE_HOSTS):
        host = host.removesuffix(CODE_HOSTS) + "-review" + CODE_HOSTS
    return Address(address.scheme, host, address.port, address.path)
