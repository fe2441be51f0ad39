"""Which forge a repository lives on, and the web addresses of its commits there.

Decides by the environment's word, then the address, then the habits of speech in its history.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bisector.forges import FORGES
from bisector.forges.address import Address, parse_address
from bisector.forges.forge import Forge, ForgeName
from bisector.forges.servers import server_of
from bisector.model import Commit


@dataclass(frozen=True, slots=True)
class Repository:
    """`address` is None for a local path: its history may still speak a forge's language."""

    name: ForgeName
    address: Address | None

    @property
    def forge(self) -> Forge:
        return FORGES[self.name]

    def commit_url(self, sha: str) -> str | None:
        return self.forge.commit_url(self.address, sha) if self.address else None

    def compare_url(self, old: str, new: str) -> str | None:
        return self.forge.compare_url(self.address, old, new) if self.address else None

    def pull_url(self, number: int | str) -> str | None:
        return self.forge.pull_url(self.address, number) if self.address else None


def recognise(url: str, environment: Mapping[str, str], history: Iterable[Commit] = ()) -> Repository:
    """`history`: the commits whose words may tell, nearest first; the culprit and its merges will do."""
    address = parse_address(url)
    name = (_by_address(address, environment) if address else None) or _by_words(history)
    return Repository(name or ForgeName.PLAIN, address)


def _by_address(address: Address, environment: Mapping[str, str]) -> ForgeName | None:
    if server := server_of(address, environment):
        return server.forge
    return next((name for name, forge in FORGES.items() if forge.lives_at(address)), None)


def _by_words(history: Iterable[Commit]) -> ForgeName | None:
    return next((name for commit in history for name, forge in FORGES.items() if forge.wrote(commit)), None)
