"""The port to a forge's API: which pages to ask, and how their answers read.

Knows no network. The answers are strangers' words: every field is checked, every text cleaned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from bisector.forges.address import Address
from bisector.forges.forge import ForgeName

LARGEST_NUMBER = 2**53


class Answered(BaseModel):
    """Base of the schemas: what we do not know is ignored, what we know must be of its type."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Numbered(Answered):
    number: int = Field(ge=1, le=LARGEST_NUMBER)


@dataclass(frozen=True, slots=True)
class Answer:
    """A pull request as an API tells it."""

    number: int
    title: str | None
    author: str | None
    state: str | None
    url: str | None
    landed_as: tuple[str, ...] = ()
    """The shas under which it came into its target branch, where the forge says so."""


class Api(Protocol):
    """Methods that read raise ValueError (pydantic's is one) for a body that does not fit."""

    @property
    def forge(self) -> ForgeName: ...

    def base(self, address: Address) -> str:
        """Where the API answers when the environment says nothing else."""

    def credentials(self, token: str) -> Mapping[str, str]: ...

    def pull_path(self, address: Address, number: int) -> str: ...

    def commit_path(self, address: Address, sha: str) -> str: ...

    def read_pull(self, body: bytes) -> Answer: ...

    def read_commit(self, body: bytes) -> Sequence[Answer]:
        """The pull requests that hold the commit."""
