"""Phabricator's (Phorge's) customs: a review is a revision, D12, named in a trailer with its address."""

from __future__ import annotations

import re

from bisector.forges.address import Address
from bisector.forges.forge import ForgeName, PullRefs, has_label, number_in
from bisector.forges.mention import NUMBER, Mention, body_lines, clean_title
from bisector.model import Commit

REVISION = re.compile(rf"Differential Revision: (?:https?://\S+/)?D{NUMBER}")
PULL_URL = re.compile(rf"https?://[^/\s]+/D{NUMBER}(?:[?#]\S*)?")


class Phabricator:
    name = ForgeName.PHABRICATOR
    pull_refs: tuple[PullRefs, ...] = ()

    def lives_at(self, address: Address) -> bool:
        labelled = has_label(address.host, "phabricator", "phorge", "phab")
        return labelled or (len(address.segments) > 1 and address.segments[0] == "diffusion")

    def wrote(self, commit: Commit) -> bool:
        return any(map(REVISION.fullmatch, body_lines(commit)))

    def in_subject(self, commit: Commit) -> Mention | None:
        return None

    def in_body(self, commit: Commit, address: Address | None) -> Mention | None:
        found = [match for match in map(REVISION.fullmatch, body_lines(commit)) if match]
        return Mention(int(found[-1][1]), clean_title(commit.subject)) if found else None

    def pull_in_url(self, url: str) -> int | None:
        return number_in(PULL_URL, url)

    def commit_url(self, address: Address, sha: str) -> str | None:
        """A commit page needs the repository's callsign or number; a bare name (/source/name) has none."""
        if len(address.segments) < 2 or address.segments[0] != "diffusion":
            return None
        repository = address.segments[1]
        return address.page(f"R{repository}:{sha}" if repository.isdecimal() else f"r{repository}{sha}")

    def compare_url(self, address: Address, old: str, new: str) -> str | None:
        return None

    def pull_url(self, address: Address, number: int | str) -> str | None:
        return address.page(f"D{number}")
