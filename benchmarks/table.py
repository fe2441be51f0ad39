"""Figures with their targets, printed as one table. Knows nothing of what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum


class Word(Enum):
    """Whether a figure is what it should be."""

    MET = "met"
    MISSED = "MISSED"
    SHOWN = "-"
    """It has no target."""


@dataclass(frozen=True, slots=True)
class Row:
    figure: str
    measured: str
    target: str = ""
    word: Word = Word.SHOWN


def at_most(figure: str, value: float, limit: float, unit: str, note: str = "") -> Row:
    """A figure that must not be exceeded; `note` says what it was made of."""
    word = Word.MET if value <= limit else Word.MISSED
    return Row(figure, _with(f"{_number(value)} {unit}", note), f"<= {_number(limit)} {unit}", word)


def at_least(figure: str, value: float, limit: float, unit: str, note: str = "") -> Row:
    word = Word.MET if value >= limit else Word.MISSED
    return Row(figure, _with(f"{_number(value)} {unit}", note), f">= {_number(limit)} {unit}", word)


def shown(figure: str, value: float, unit: str, note: str = "") -> Row:
    return Row(figure, _with(f"{_number(value)} {unit}", note))


def lines(rows: Sequence[Row]) -> Iterable[str]:
    """One line a row under a head, columns aligned."""
    head = ("figure", "measured", "target", "")
    cells = [head, *((row.figure, row.measured, row.target, row.word.value) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    for line in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}".removesuffix(".0") if value >= 10 else f"{value:.2f}".rstrip("0").rstrip(".")


def _with(measured: str, note: str) -> str:
    return f"{measured} ({note})" if note else measured
