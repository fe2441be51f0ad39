"""The closed sets that everything is said in, and how a recipe calls the two states."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Judgement(Enum):
    """What may be said of a commit. OLD and NEW are the two states; their names are the recipe's `terms`."""

    OLD = "old"
    NEW = "new"
    SKIP = "skip"
    ERROR = "error"


class Find(Enum):
    REGRESSION = "regression"
    FIX = "fix"


@dataclass(frozen=True, slots=True)
class Terms:
    """How a recipe calls the two states: good/bad, broken/fixed, fast/slow."""

    old: str = "good"
    new: str = "bad"

    def name(self, judgement: Judgement) -> str:
        return {Judgement.OLD: self.old, Judgement.NEW: self.new}.get(judgement, judgement.value)


@dataclass(frozen=True, slots=True)
class Verdict:
    judgement: Judgement
    reason: str


class Ending(Enum):
    """How a hunt ended; the report's `outcome`."""

    FOUND = "found"
    DEPENDENCY = "dependency"
    SUSPECTS = "suspects"
    UNCONFIRMED = "unconfirmed"
    ENDPOINTS = "endpoints"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
