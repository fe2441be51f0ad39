"""A hunt as it is on record, and facts as text and back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from bisector.hunt import Phase
from bisector.model import Account, Ending, Trial


@dataclass(frozen=True, slots=True)
class HuntRow:
    id: str
    digest: str
    name: str
    repo: str
    recipe: str
    recipe_name: str
    base: str
    overrides: tuple[str, ...]
    created: datetime
    phase: Phase
    ending: Ending | None
    message: str
    old_ref: str | None
    old_commit: str | None
    new_ref: str | None
    new_commit: str | None
    seconds: float
    fresh: bool = False
    """Begun with --fresh: what other hunts observed is not asked, also when it goes on."""

    @property
    def finished(self) -> bool:
        return self.phase is Phase.DONE


TRIAL = TypeAdapter(Trial)
ACCOUNT = TypeAdapter(Account)
VERSIONS = TypeAdapter(tuple[str, ...])
HUNT = TypeAdapter(HuntRow)
