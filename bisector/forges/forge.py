"""The port: what every forge can tell from words and addresses alone, without network and without git.

A forge is recognised by its address or its habits of speech. Its API, where it has one, is another port.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from bisector.forges.address import Address
from bisector.forges.mention import NUMBER, Mention
from bisector.model import Commit


class ForgeName(Enum):
    GITHUB = "GitHub"
    GITLAB = "GitLab"
    GITEA = "Gitea"
    BITBUCKET = "Bitbucket"
    BITBUCKET_SERVER = "Bitbucket Server"
    AZURE = "Azure DevOps"
    GERRIT = "Gerrit"
    PHABRICATOR = "Phabricator"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Notice:
    """One line for the report: something about the pull request could not be found out."""

    text: str


@dataclass(frozen=True, slots=True)
class PullRefs:
    """Refs under which a forge keeps the heads of its pull requests."""

    glob: str
    pattern: re.Pattern[str]
    """Of a whole ref; its group is the number."""


PULL_HEADS = PullRefs("refs/pull/*/head", re.compile(f"refs/pull/{NUMBER}/head"))
MERGE_REQUEST_HEADS = PullRefs("refs/merge-requests/*/head", re.compile(f"refs/merge-requests/{NUMBER}/head"))


class Forge(Protocol):
    """One forge's customs. Methods that take an Address are asked only where there is one."""

    @property
    def name(self) -> ForgeName: ...

    @property
    def pull_refs(self) -> tuple[PullRefs, ...]: ...

    def lives_at(self, address: Address) -> bool:
        """Does the address alone tell that this forge answers there?"""

    def wrote(self, commit: Commit) -> bool:
        """Is this a message that only this forge's merge button or hook writes?"""

    def in_subject(self, commit: Commit) -> Mention | None: ...

    def in_body(self, commit: Commit, address: Address | None) -> Mention | None:
        """From the body's lines, those aside that give a whole web address."""

    def pull_in_url(self, url: str) -> int | None:
        """The number, when the web address has the form of this forge's pull requests."""

    def commit_url(self, address: Address, sha: str) -> str | None: ...

    def compare_url(self, address: Address, old: str, new: str) -> str | None: ...

    def pull_url(self, address: Address, number: int | str) -> str | None: ...


def number_in(pattern: re.Pattern[str], url: str) -> int | None:
    found = pattern.fullmatch(url)
    return int(found[1]) if found else None


def has_label(host: str, *labels: str) -> bool:
    """Is one of the labels a part of the host's name, as in gitlab.example.org?"""
    return any(part in labels for part in re.split(r"[.-]", host))
