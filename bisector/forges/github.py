"""GitHub's customs: squash subjects, merge sentences, the robots that merge there, its addresses.

Does not speak to the API; see github_api.
"""

from __future__ import annotations

import re

from bisector.forges.address import Address
from bisector.forges.forge import PULL_HEADS, ForgeName, PullRefs, has_label, number_in
from bisector.forges.mention import NUMBER, Mention, body_lines, clean_title, first_line, headline, titled
from bisector.model import Commit

# Only a bare number that ends the subject is what the squash button wrote; "(fixes #12)" and a number inside
# a revert's quotes are somebody's words. A backport carries two: the last is its own.
SQUASH = re.compile(rf"(?P<title>.*?)\s*\((?:#|GH-){NUMBER}\)")
MERGE = re.compile(rf"Merge pull request #{NUMBER} from [^\s:/]+[:/]\S+")
HOMU = re.compile(rf"(?:Auto|Rollup) merge of #{NUMBER} - .+")
BORS = re.compile(r"(?:Try )?Merge((?: #[0-9]+)+)")
BORS_TITLE = re.compile(rf"{NUMBER}: (?P<title>.+?)(?: r=\S+)?(?: a=.+)?")
APACHE = re.compile(rf"(?:This closes|Closes) #{NUMBER} from [\w.-]+/\S+?\.?(?: and squashes .*)?")
PULL_URL = re.compile(rf"https?://[^/\s]+/[^/\s]+/[^/\s]+/pull/{NUMBER}(?:[/?#]\S*)?")


class GitHub:
    name = ForgeName.GITHUB
    pull_refs: tuple[PullRefs, ...] = (PULL_HEADS,)

    def lives_at(self, address: Address) -> bool:
        return has_label(address.host, "github", "ghe")

    def wrote(self, commit: Commit) -> bool:
        return bool(MERGE.match(commit.subject) or HOMU.match(commit.subject))

    def in_subject(self, commit: Commit) -> Mention | None:
        subject = headline(commit)
        for sentence in (MERGE, HOMU):
            if merge := sentence.match(subject):
                return titled(merge[1], first_line(commit))
        return _from_bors(commit) or squashed(subject)

    def in_body(self, commit: Commit, address: Address | None) -> Mention | None:
        for line in body_lines(commit):
            if closed := APACHE.fullmatch(line):
                return Mention(int(closed[1]), clean_title(commit.subject))
        return None

    def pull_in_url(self, url: str) -> int | None:
        return number_in(PULL_URL, url)

    def commit_url(self, address: Address, sha: str) -> str | None:
        return address.page(address.path, "commit", sha)

    def compare_url(self, address: Address, old: str, new: str) -> str | None:
        return address.page(address.path, "compare", f"{old}...{new}")

    def pull_url(self, address: Address, number: int | str) -> str | None:
        return address.page(address.path, "pull", str(number))


def squashed(subject: str) -> Mention | None:
    found = SQUASH.fullmatch(subject)
    return titled(found[2], found["title"]) if found else None


def _from_bors(commit: Commit) -> Mention | None:
    """A batch of several names no single one: which of them it was, the heads must tell."""
    batch = BORS.fullmatch(commit.subject)
    numbers = batch[1].split() if batch else []
    if len(numbers) != 1 or len(numbers[0]) > 10:
        return None
    titles = (BORS_TITLE.fullmatch(line) for line in body_lines(commit))
    title = next((found["title"] for found in titles if found and f"#{found[1]}" == numbers[0]), None)
    return titled(numbers[0].removeprefix("#"), title)
