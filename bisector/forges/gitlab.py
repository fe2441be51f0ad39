"""GitLab's customs: merge requests are !12, and #12 is an issue; projects lie in nested groups.

Does not speak to the API; see gitlab_api.
"""

from __future__ import annotations

import re

from bisector.forges.address import Address
from bisector.forges.forge import MERGE_REQUEST_HEADS, ForgeName, PullRefs, has_label, number_in
from bisector.forges.mention import NUMBER, Mention, body_lines, clean_title, first_line, headline, titled
from bisector.model import Commit

PROJECT = r"[\w.-]+(?:/[\w.-]+)+"
SEE = re.compile(rf"See merge request (?P<project>{PROJECT})?!{NUMBER}")
SEE_URL = re.compile(rf"See merge request (?P<url>https?://\S+/merge_requests/{NUMBER})")
SQUASH = re.compile(rf"(?P<title>.*?)\s*\(!{NUMBER}\)")
MERGE_BRANCH = re.compile(r"Merge branch '.+' into '.+'")
PULL_URL = re.compile(rf"https?://[^/\s]+/[^\s?#]+?/(?:-/)?merge_requests/{NUMBER}(?:[/?#]\S*)?")


class GitLab:
    name = ForgeName.GITLAB
    pull_refs: tuple[PullRefs, ...] = (MERGE_REQUEST_HEADS,)

    def lives_at(self, address: Address) -> bool:
        return has_label(address.host, "gitlab", "salsa")

    def wrote(self, commit: Commit) -> bool:
        return any(SEE.fullmatch(line) or SEE_URL.fullmatch(line) for line in body_lines(commit))

    def in_subject(self, commit: Commit) -> Mention | None:
        found = SQUASH.fullmatch(headline(commit))
        return titled(found[2], found["title"]) if found else None

    def in_body(self, commit: Commit, address: Address | None) -> Mention | None:
        """The last such line: a squash may carry its parts' messages above its own."""
        for line in reversed(list(body_lines(commit))):
            if see := SEE.fullmatch(line):
                return Mention(int(see[2]), _title(commit), self._url(see["project"], see[2], address))
            if see := SEE_URL.fullmatch(line):
                return Mention(int(see[2]), _title(commit), see["url"])
        return None

    def pull_in_url(self, url: str) -> int | None:
        return number_in(PULL_URL, url)

    def commit_url(self, address: Address, sha: str) -> str | None:
        return address.page(address.path, "-/commit", sha)

    def compare_url(self, address: Address, old: str, new: str) -> str | None:
        return address.page(address.path, "-/compare", f"{old}...{new}")

    def pull_url(self, address: Address, number: int | str) -> str | None:
        return address.page(address.path, "-/merge_requests", str(number))

    def _url(self, project: str | None, number: str, address: Address | None) -> str | None:
        """Of another project, where the words name one: a fork carries the merges of its origin."""
        if address is None or project is None or address.path.lower().endswith(project.lower()):
            return None
        return address.page(project, "-/merge_requests", number)


def _title(commit: Commit) -> str | None:
    """A merge commit has the title as its body's first line, any other commit as its subject."""
    if not MERGE_BRANCH.match(commit.subject):
        return clean_title(commit.subject)
    line = first_line(commit)
    return None if line is None or SEE.fullmatch(line) or SEE_URL.fullmatch(line) else clean_title(line)
