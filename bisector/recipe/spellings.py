"""How one recipe names the two states: in its ends, patterns and reactions.

Depends on `find` and `terms` alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from bisector.model import Find, Judgement, Terms
from bisector.recipe.faults import Unfit, quoted
from bisector.recipe.schema import Reaction

GOOD_BAD = Terms("good", "bad")
BROKEN_FIXED = Terms("broken", "fixed")
_GITS_WORDS = frozenset(
    ("help", "start", "skip", "next", "reset", "visualize", "view", "replay", "log", "run", "terms")
)
_OUR_WORDS = frozenset(("abort", "error", "auto"))


def usual(find: Find) -> Terms:
    return GOOD_BAD if find is Find.REGRESSION else BROKEN_FIXED


@dataclass(frozen=True, slots=True)
class Spellings:
    """`ends`, `judgements` and `reactions`: every word this recipe may use, the usual one first."""

    find: Find
    terms: Terms

    @property
    def foreign_ends(self) -> dict[str, str]:
        """The ends that only a recipe with the other `find` has, and what to say of them."""
        there = Find.FIX if self.find is Find.REGRESSION else Find.REGRESSION
        mine, other = usual(self.find), usual(there)
        said = (
            f"with `find: {self.find.value}` the ends are `{mine.old}` and `{mine.new}`; "
            f"`{other.old}` and `{other.new}` want `find: {there.value}`"
        )
        return {word: said for word in (other.old, other.new) if word not in self.ends}

    @property
    def ends(self) -> dict[str, Judgement]:
        return {
            self.terms.old: Judgement.OLD,
            self.terms.new: Judgement.NEW,
            usual(self.find).old: Judgement.OLD,
            usual(self.find).new: Judgement.NEW,
            "old": Judgement.OLD,
            "new": Judgement.NEW,
        }

    @property
    def judgements(self) -> dict[str, Judgement]:
        """As for the ends; and good, fixed, bad, broken say whether it works, whatever is hunted."""
        works, fails = Judgement.OLD, Judgement.NEW
        if self.find is Find.FIX:
            works, fails = fails, works
        said = {"good": works, "bad": fails, "fixed": works, "broken": fails}
        return {**said, **self.ends}

    @property
    def reactions(self) -> dict[str, Reaction]:
        words = {word: Reaction(judgement.value) for word, judgement in self.judgements.items()}
        return {"skip": Reaction.SKIP, **words, "abort": Reaction.ABORT}

    @property
    def failures(self) -> dict[str, Reaction]:
        """The reactions to a failure: it never makes a working state."""
        works = self.judgements["good"]
        return {word: value for word, value in self.reactions.items() if value.value != works.value}


def checked_terms(terms: Terms, find: Find, keys: Collection[str]) -> Terms:
    """What git takes as terms, what cannot be mixed up with a key, and no usual word in an unusual sense."""
    if terms.old == terms.new:
        raise Unfit(f"both states are called {quoted(terms.old)}", "new")
    for key, word in (("old", terms.old), ("new", terms.new)):
        if word.lower() in (_GITS_WORDS | _OUR_WORDS) or word in keys:
            raise Unfit(f"{quoted(word)} has another meaning already", key)
        own_senses = (key, getattr(usual(find), key))
        if word in ("old", "new", "good", "bad", "broken", "fixed") and word not in own_senses:
            raise Unfit(f"{quoted(word)} would not mean here what it says", key)
    return terms


def term(text: str) -> str:
    """A word that can be a git ref, a key and a JSON value."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,40}", text) is None:
        raise Unfit(f"expected a word of letters, digits, `-` and `_`, found {quoted(text)}")
    return text
