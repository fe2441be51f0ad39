"""What is wrong with a recipe and where: one Fault each, all of them in one RecipeFault."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bisector.errors import UsageFault

_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the text, counted from one; an override has no lines, its source says which it is."""

    source: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.source, self.line, self.column) if part is not None)


@dataclass(frozen=True, slots=True)
class Fault:
    mark: Mark
    path: str
    """The key's dotted path, as `--set` takes it; empty for the recipe as a whole."""
    message: str
    suggestion: str | None = None

    def __str__(self) -> str:
        said = not self.path or self.mark.source == f"--set {self.path}"
        place = str(self.mark) if said else f"{self.mark}: {_short(self.path)}"
        meant = f" (did you mean `{self.suggestion}`?)" if self.suggestion else ""
        return _harmless(f"{place}: {self.message}{meant}")


class Unfit(ValueError):
    """A parser cannot take a text, or a `make` its fields; then `key` is the field to blame."""

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class RecipeFault(UsageFault):
    """The recipe cannot be used; `faults` is everything found wrong, in the order of the text."""

    def __init__(
        self,
        faults: Sequence[Fault],
        hint: str = "`bisector schema` prints every key a recipe may have",
    ) -> None:
        self.faults = tuple(faults)
        lines = [str(fault) for fault in self.faults[:_SHOWN]]
        if len(self.faults) > _SHOWN:
            lines.append(f"... and {len(self.faults) - _SHOWN} more")
        super().__init__("\n".join(lines), hint)


def fault(mark: Mark, path: str, message: str, suggestion: str | None = None) -> RecipeFault:
    """One fault, ready to be raised."""
    return RecipeFault((Fault(mark, path, message, suggestion),))


def nearest(word: str, known: Collection[str]) -> str | None:
    # difflib takes quadratic time: nobody misspells a key at such length.
    if len(word) > 60:
        return None
    return next(iter(difflib.get_close_matches(word.lower(), sorted(known), n=1, cutoff=0.65)), None)


def quoted(text: str) -> str:
    """A value as a message shows it: on one line and not endless."""
    return repr(_short(text))


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def _harmless(text: str) -> str:
    """A key may hold what a terminal obeys."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
