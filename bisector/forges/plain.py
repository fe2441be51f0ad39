"""A repository on no forge that we know: no addresses, but a number in the words still counts."""

from __future__ import annotations

import re

from bisector.forges.address import Address
from bisector.forges.forge import MERGE_REQUEST_HEADS, PULL_HEADS, ForgeName, PullRefs
from bisector.forges.mention import NUMBER, Mention, headline, titled
from bisector.model import Commit

SQUASH = re.compile(rf"(?P<title>.*?)\s*\((?:#|!|GH-){NUMBER}\)")


class Plain:
    name = ForgeName.PLAIN
    pull_refs: tuple[PullRefs, ...] = (PULL_HEADS, MERGE_REQUEST_HEADS)

    def lives_at(self, address: Address) -> bool:
        return False

    def wrote(self, commit: Commit) -> bool:
        return False

    def in_subject(self, commit: Commit) -> Mention | None:
        found = SQUASH.fullmatch(headline(commit))
        return titled(found[2], found["title"]) if found else None

    def in_body(self, commit: Commit, address: Address | None) -> Mention | None:
        return None

    def pull_in_url(self, url: str) -> int | None:
        return None

    def commit_url(self, address: Address, sha: str) -> str | None:
        return None

    def compare_url(self, address: Address, old: str, new: str) -> str | None:
        return None

    def pull_url(self, address: Address, number: int | str) -> str | None:
        return None
