"""Azure DevOps' customs: organisation, project and repository, with two generations of hosts."""

from __future__ import annotations

import re

from bisector.forges.address import Address
from bisector.forges.forge import ForgeName, PullRefs, number_in
from bisector.forges.mention import NUMBER, Mention, headline, titled
from bisector.model import Commit

HOSTS = ("dev.azure.com", "ssh.dev.azure.com", "vs-ssh.visualstudio.com")
OLD_HOSTS = ".visualstudio.com"
MERGED = re.compile(rf"Merged PR {NUMBER}: (?P<title>.+)")
PULL_URL = re.compile(rf"https?://[^/\s]+/\S*?_git/[^/\s]+/pullrequest/{NUMBER}(?:[/?#]\S*)?", re.IGNORECASE)


class Azure:
    name = ForgeName.AZURE
    pull_refs: tuple[PullRefs, ...] = ()

    def lives_at(self, address: Address) -> bool:
        return address.host in HOSTS or address.host.endswith(OLD_HOSTS) or "_git" in address.segments

    def wrote(self, commit: Commit) -> bool:
        return bool(MERGED.fullmatch(commit.subject))

    def in_subject(self, commit: Commit) -> Mention | None:
        merged = MERGED.fullmatch(headline(commit))
        return titled(merged[1], merged["title"]) if merged else None

    def in_body(self, commit: Commit, address: Address | None) -> Mention | None:
        return None

    def pull_in_url(self, url: str) -> int | None:
        return number_in(PULL_URL, url)

    def commit_url(self, address: Address, sha: str) -> str | None:
        return f"{_web(address)}/commit/{sha}"

    def compare_url(self, address: Address, old: str, new: str) -> str | None:
        return f"{_web(address)}/branchCompare?baseVersion=GC{old}&targetVersion=GC{new}"

    def pull_url(self, address: Address, number: int | str) -> str | None:
        return f"{_web(address)}/pullrequest/{number}"


def _web(address: Address) -> str:
    """Over ssh the path is v3/organisation/project/repository, on a host that has no web pages."""
    if address.scheme != "ssh" or len(address.segments) != 4 or address.segments[0] != "v3":
        return address.page(address.path)
    _, organisation, project, name = address.segments
    web = Address("https", "dev.azure.com", None, address.path)
    return web.page(organisation, project, "_git", name)
