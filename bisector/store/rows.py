"""A hunt as it is on record, and facts as text and back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from bisector.hunt import Phase
from bisector.model import Account, Ending, Trial

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


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


class Shape(Generic[T]):
    """A kind of value as text and back. What that takes is loaded when it is first needed: it is heavy."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        from pydantic import TypeAdapter

        return TypeAdapter(self._kind)

    def dump(self, value: T) -> bytes:
        return self._adapter.dump_json(value)

    def load(self, text: str | bytes) -> T:
        """ValueError: it is no such value."""
        return self._adapter.validate_json(text)

    def made_of(self, cells: object) -> T:
        return self._adapter.validate_python(cells)

    def get_ready(self) -> None:
        """Now, while something else is waited for."""
        _ = self._adapter


TRIAL = Shape(Trial)
ACCOUNT = Shape(Account)
VERSIONS = Shape[tuple[str, ...]](tuple[str, ...])
HUNT = Shape(HuntRow)
