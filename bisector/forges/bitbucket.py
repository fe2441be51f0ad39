"""Bitbucket Cloud's customs. Its server shares only the name; see bitbucket_server."""

from __future__ import annotations

import re

from bisector.forges.address import Address
from bisector.forges.forge import ForgeName, PullRefs, number_in
from bisector.forges.mention import NUMBER, Mention, first_line, headline, titled
from bisector.model import Commit

MERGED = re.compile(rf"Merged in .+ \(pull request #{NUMBER}\)")
SQUASH = re.compile(rf"(?P<title>.*?)\s*\(pull request #{NUMBER}\)")
PULL_URL = re.compile(rf"https?://bitbucket\.org/[^/\s]+/[^/\s]+/pull-requests/{NUMBER}(?:[/?#]\S*)?")


class Bitbucket:
    name = ForgeName.BITBUCKET
    pull_refs: tuple[PullRefs, ...] = ()

    def lives_at(self, address: Address) -> bool:
        return address.host == "bitbucket.org"

    def wrote(self, commit: Commit) -> bool:
        return bool(MERGED.fullmatch(commit.subject))

    def in_subject(self, commit: Commit) -> Mention | None:
        subject = headline(commit)
        if merged := MERGED.fullmatch(subject):
            return titled(merged[1], first_line(commit))
        squashed = SQUASH.fullmatch(subject)
        return titled(squashed[2], squashed["title"]) if squashed else None

    def in_body(self, commit: Commit, address: Address | None) -> Mention | None:
        return None

    def pull_in_url(self, url: str) -> int | None:
        return number_in(PULL_URL, url)

    def commit_url(self, address: Address, sha: str) -> str | None:
        return address.page(address.path, "commits", sha)

    def compare_url(self, address: Address, old: str, new: str) -> str | None:
        """Bitbucket names the newer side first."""
        return address.page(address.path, "branches/compare", f"{new}..{old}")

    def pull_url(self, address: Address, number: int | str) -> str | None:
        return address.page(address.path, "pull-requests", str(number))
