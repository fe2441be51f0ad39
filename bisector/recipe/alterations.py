"""What a recipe changes over stretches of the history: pins, fixups, overlays.

Values only: git knows which commits a stretch holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from bisector.model import Judgement


@dataclass(frozen=True, slots=True)
class Since:
    """Commits that contain `rev`, or from this date on."""

    rev: str


@dataclass(frozen=True, slots=True)
class Before:
    """Commits that do not contain `rev`, or before this date."""

    rev: str


@dataclass(frozen=True, slots=True)
class Range:
    """Any git revision range."""

    revs: str


Stretch = Since | Before | Range


@dataclass(frozen=True, slots=True)
class Pin:
    where: Stretch
    requirements: tuple[str, ...] = ()
    python: str | None = None
    build_requirements: tuple[str, ...] = ()
    build_isolation: bool | None = None


@dataclass(frozen=True, slots=True)
class Patch:
    text: str


@dataclass(frozen=True, slots=True)
class CherryPick:
    rev: str


@dataclass(frozen=True, slots=True)
class Fixup:
    where: Stretch
    change: Patch | CherryPick


@dataclass(frozen=True, slots=True)
class Overlay:
    """Files of another commit; `source` is one of the two ends or a ref."""

    source: Judgement | str
    paths: tuple[str, ...]
