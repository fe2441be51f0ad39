"""Bitbucket Server's (Data Center's) customs: projects by key, web pages apart from where git clones."""

from __future__ import annotations

import re

from bisector.forges.address import Address
from bisector.forges.forge import ForgeName, PullRefs, has_label, number_in
from bisector.forges.mention import NUMBER, Mention, body_lines, headline, titled
from bisector.model import Commit

SSH_PORT = 7999
MERGE = re.compile(rf"Merge pull request #{NUMBER} in (?P<repository>\S+) from \S+ to \S+")
# Since version 7 the sentence begins with the number, and what was merged is told in the body.
PULL_REQUEST = re.compile(rf"Pull request #{NUMBER}: (?P<title>.+)")
MERGE_IN = re.compile(r"Merge in \S+ from \S+ to \S+|Squashed commit of the following:")
PULL_URL = re.compile(rf"https?://[^/\s]+/\S*?repos/[^/\s]+/pull-requests/{NUMBER}(?:[/?#]\S*)?")
HEADS = PullRefs("refs/pull-requests/*/from", re.compile(f"refs/pull-requests/{NUMBER}/from"))


class BitbucketServer:
    name = ForgeName.BITBUCKET_SERVER
    pull_refs: tuple[PullRefs, ...] = (HEADS,)

    def lives_at(self, address: Address) -> bool:
        cloned_over_ssh = address.scheme == "ssh" and address.port == SSH_PORT
        return (
            cloned_over_ssh or "scm" in address.segments[:-2] or has_label(address.host, "bitbucket", "stash")
        )

    def wrote(self, commit: Commit) -> bool:
        if PULL_REQUEST.fullmatch(commit.subject):
            return any(map(MERGE_IN.fullmatch, body_lines(commit)))
        return bool(MERGE.match(commit.subject))

    def in_subject(self, commit: Commit) -> Mention | None:
        subject = headline(commit)
        if merge := MERGE.match(subject):
            return titled(merge[1], None)
        pull = PULL_REQUEST.fullmatch(subject)
        return titled(pull[1], pull["title"]) if pull else None

    def in_body(self, commit: Commit, address: Address | None) -> Mention | None:
        return None

    def pull_in_url(self, url: str) -> int | None:
        return number_in(PULL_URL, url)

    def commit_url(self, address: Address, sha: str) -> str | None:
        return f"{_web(address)}/commits/{sha}"

    def compare_url(self, address: Address, old: str, new: str) -> str | None:
        return f"{_web(address)}/compare/commits?sourceBranch={new}&targetBranch={old}"

    def pull_url(self, address: Address, number: int | str) -> str | None:
        return f"{_web(address)}/pull-requests/{number}"


def _web(address: Address) -> str:
    """`scm` stands before project and repository where git clones; what is before it is the server's own."""
    *before, name = address.segments
    project = before.pop() if before else ""
    prefix = before[: before.index("scm")] if "scm" in before else []
    home = ("users", project[1:]) if project.startswith("~") else ("projects", project)
    return address.page(*prefix, *home, "repos", name)
