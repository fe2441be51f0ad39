"""The recipe as a whole: its top-level keys, for one way of naming the two states."""

from __future__ import annotations

from collections.abc import Mapping

from bisector.model import Find, Judgement, Terms
from bisector.recipe import texts
from bisector.recipe.faults import Unfit
from bisector.recipe.leaves import FORMAT, INSIDE, LINE, PYTHON, REPOSITORY, REV, WORDS, choice
from bisector.recipe.policy import policy
from bisector.recipe.records import Key, Record
from bisector.recipe.schema import AUTO, History, Policy, Recipe
from bisector.recipe.sections import (
    DEPENDENCIES,
    FIXUPS,
    INSTALL,
    LIMITS,
    MATRIX,
    PINS,
    REPRO,
    REPRO_KEYS,
    overlay,
)
from bisector.recipe.shapes import Leaf, Listed
from bisector.recipe.spellings import Spellings, checked_terms, term

FIND = choice(Find)
_TERM = Leaf(term, "a word")
_NEW_END = Leaf(texts.new_end, "a revision")

_ABOUT = {
    "bisector": Key(FORMAT, "the recipe's format", "format"),
    "name": Key(LINE, "in one line"),
    "description": Key(WORDS, "shown in the report"),
    "repo": Key(REPOSITORY, "a URL, or a path counted from the recipe's folder"),
    "find": Key(FIND, "regression (good -> bad) or fix (broken -> fixed)"),
}
_REST = {
    "history": Key(choice(History), "default: full"),
    "paths": Key(Listed(INSIDE), "only commits that touch these"),
    "skip": Key(Listed(REV), "revisions or ranges known to be untestable"),
    "python": Key(PYTHON, "a version found on the machine, or a path to an interpreter"),
    "install": Key(INSTALL, "how the project gets into a commit's environment"),
    "dependencies": Key(DEPENDENCIES, "what else is in it"),
    "pins": Key(PINS, "what holds for a stretch of the history, in order"),
    "fixups": Key(FIXUPS, "what makes a stretch of the history testable"),
    "repro": Key(REPRO, "shows the failure: exit 0 it works, 125 skip, anything else a failure"),
    "limits": Key(LIMITS, "for one trial"),
    "matrix": Key(MATRIX, "one hunt a variant: python, env.NAME"),
}
_RESERVED = {*_ABOUT, *_REST, "terms", "overlay", "verdict"}


def terms(find: Find) -> Record[Terms]:
    def made(old: str, new: str) -> Terms:
        return checked_terms(Terms(old, new), find, _RESERVED)

    keys = {"old": Key(_TERM, "the older state"), "new": Key(_TERM, "the newer state")}
    return Record(made, keys, required=("old", "new"))


def recipe(spellings: Spellings) -> Record[Recipe]:
    judging = policy(spellings)
    return Record(
        Recipe,
        {
            **_ABOUT,
            **_ends(spellings),
            "terms": Key(terms(spellings.find), "renames the two states"),
            **_REST,
            "overlay": Key(overlay(spellings), "another commit's files laid over every commit"),
            "verdict": Key(judging, "what is observed, and which state that is"),
        },
        required=("repo", "old", "new", "repro"),
        refused={**_deeper(judging), **spellings.foreign_ends},
        check=_both_ends_known,
    )


def _both_ends_known(recipe: Recipe) -> None:
    """What is held against the working end needs one before it can judge the first commit."""
    if recipe.old == AUTO and (recipe.verdict.metric or recipe.verdict.compare):
        key = "metric" if recipe.verdict.metric else "compare"
        raise Unfit(f"cannot be auto with `verdict.{key}`, which compares with it: name a commit", "old")


def _deeper(judging: Record[Policy]) -> dict[str, str]:
    """Keys of the sections, for whom they are written at the top."""
    sections: dict[str, Mapping[str, Key]] = {
        "install": INSTALL.keys,
        "dependencies": DEPENDENCIES.keys,
        "repro": REPRO_KEYS.keys,
        "verdict": judging.keys,
        "limits": LIMITS.keys,
    }
    return {key: f"belongs below `{name}`" for name, keys in sections.items() for key in keys}


def _ends(spellings: Spellings) -> dict[str, Key]:
    old = Key(REV, "a sha, tag, branch, date, released version, or auto", "old")
    new = Key(_NEW_END, "a sha, tag, branch, date or released version", "new")
    return {word: old if end is Judgement.OLD else new for word, end in spellings.ends.items()}
