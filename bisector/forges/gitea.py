"""Gitea's and Forgejo's customs: much like GitHub's, with the title inside the merge sentence.

Does not speak to the API; see gitea_api.
"""

from __future__ import annotations

import re

from bisector.forges.address import Address
from bisector.forges.forge import PULL_HEADS, ForgeName, PullRefs, has_label, number_in
from bisector.forges.github import squashed
from bisector.forges.mention import NUMBER, Mention, body_lines, headline, titled
from bisector.model import Commit

HOSTS = ("codeberg.org", "gitea.com")
MERGE = re.compile(rf"Merge pull request '(?P<title>.*)' \(#{NUMBER}\) from \S+.*")
PULL_URL = re.compile(rf"https?://[^/\s]+/(?:[^/\s]+/)+pulls/{NUMBER}(?:[/?#]\S*)?")
REVIEWED = re.compile(rf"Reviewed-on: (?:{PULL_URL.pattern})")


class Gitea:
    name = ForgeName.GITEA
    pull_refs: tuple[PullRefs, ...] = (PULL_HEADS,)

    def lives_at(self, address: Address) -> bool:
        return address.host in HOSTS or has_label(address.host, "gitea", "forgejo", "codeberg")

    def wrote(self, commit: Commit) -> bool:
        return bool(MERGE.match(commit.subject)) or any(map(REVIEWED.fullmatch, body_lines(commit)))

    def in_subject(self, commit: Commit) -> Mention | None:
        subject = headline(commit)
        merge = MERGE.match(subject)
        return titled(merge[2], merge["title"]) if merge else squashed(subject)

    def in_body(self, commit: Commit, address: Address | None) -> Mention | None:
        return None

    def pull_in_url(self, url: str) -> int | None:
        return number_in(PULL_URL, url)

    def commit_url(self, address: Address, sha: str) -> str | None:
        return address.page(address.path, "commit", sha)

    def compare_url(self, address: Address, old: str, new: str) -> str | None:
        return address.page(address.path, "compare", f"{old}...{new}")

    def pull_url(self, address: Address, number: int | str) -> str | None:
        return address.page(address.path, "pulls", str(number))
