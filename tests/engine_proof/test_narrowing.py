"""From everything that differs between two environments to one release of one package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from bisector.model import DependencyChange, Ending, Judgement

from .conftest import Hunting
from .worlds import TURN, Packages, World, new_if, switching

ALPHABET = dict.fromkeys("abcdefgh", "1")
NUMBERS = tuple(map(str, range(1, 33)))


@dataclass(frozen=True)
class Case:
    """`fails`: with these packages, at any commit; None: they do not install together."""

    before: Packages
    after: Packages
    fails: Callable[[Packages], bool | None]
    change: tuple[str, str, str]
    offers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notice: str = ""


CASES = {
    "one of eight packages": Case(
        ALPHABET, dict.fromkeys(ALPHABET, "2"), lambda has: has["f"] == "2", ("f", "1", "2")
    ),
    "one of 31 releases": Case(
        {"dep": "1"}, {"dep": "32"}, lambda has: int(has["dep"]) > 20, ("dep", "20", "21"), {"dep": NUMBERS}
    ),
    "another python": Case(
        {"python": "3.10.2", "dep": "1"},
        {"python": "3.12.1", "dep": "2"},
        lambda has: has["python"] == "3.12.1",
        ("python", "3.10.2", "3.12.1"),
    ),
    "a package that came": Case({}, {"dep": "1"}, lambda has: "dep" in has, ("dep", "absent", "1")),
    "a package that went": Case({"dep": "1"}, {}, lambda has: "dep" not in has, ("dep", "1", "absent")),
    "an older release than before": Case(
        {"dep": "9"}, {"dep": "2"}, lambda has: int(has["dep"]) < 5, ("dep", "5", "4"), {"dep": NUMBERS}
    ),
    "a release with what it newly needs": Case(
        {"dep": "1"},
        {"dep": "3", "needed": "1"},
        lambda has: None if ("needed" in has) != (has["dep"] != "1") else has["dep"] == "3",
        ("dep", "2", "3"),
        {"dep": ("1", "2", "3")},
        "dep 1 -> 3 together with needed absent -> 1",
    ),
    "only together with another": Case(
        {"dep": "1", "also": "1"},
        {"dep": "3", "also": "2"},
        lambda has: has["also"] == "2" and has["dep"] == "3",
        ("dep", "2", "3"),
        {"dep": ("1", "2", "3")},
        "dep 1 -> 3 together with also 1 -> 2",
    ),
    "releases in between that do not install": Case(
        {"dep": "1"},
        {"dep": "9"},
        lambda has: None if has["dep"] in "456" else int(has["dep"]) > 5,
        ("dep", "3", "7"),
        {"dep": NUMBERS},
        "dep 4, 5, 6 cannot be tested: it may have begun there already",
    ),
    "nothing known in between": Case(
        {"dep": "1"}, {"dep": "9"}, lambda has: has["dep"] == "9", ("dep", "1", "9")
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_one_release_is_left(hunting: Hunting, case: Case) -> None:
    def shows(number: int, has: Packages) -> Judgement | None:
        failing = case.fails(has)
        return None if failing is None else new_if(failing)

    account = hunting(World(switching(case.before, case.after), shows, case.offers))[0].account
    assert account.ending is Ending.DEPENDENCY, account.message
    assert account.dependency == DependencyChange(*case.change)
    assert case.notice in "\n".join(account.notices), account.notices
    assert account.culprit is None


def test_a_release_that_needs_what_neither_side_has(hunting: Hunting) -> None:
    """It is tried again with what it requires."""

    def shows(number: int, has: Packages) -> Judgement | None:
        if has["dep"] == "3" and "needed" not in has:
            return None
        return new_if(int(has["dep"]) >= 3)

    offers = {"dep": ("1", "2", "3", "4", "5")}
    world = World(switching({"dep": "1"}, {"dep": "5"}), shows, offers, {"needed": "7"})
    result, _ = hunting(world)
    assert result.account.dependency == DependencyChange("dep", "2", "3")
    assert "cannot be tested" not in "\n".join(result.account.notices)


def test_it_takes_as_many_trials_as_halving_takes(hunting: Hunting) -> None:
    after = {**dict.fromkeys(ALPHABET, "2"), "f": "32"}
    world = World(switching(ALPHABET, after), lambda number, has: new_if(int(has["f"]) > 20), {"f": NUMBERS})
    result, made = hunting(world)
    assert result.account.dependency == DependencyChange("f", "20", "21")
    at_parent = [packages for number, packages in made.tried if number == TURN - 1]
    crossed, packages, alone, releases, confirmed = 1, 3, 1, 5, 2
    assert len(at_parent) <= crossed + packages + alone + releases + confirmed


def test_what_cannot_be_told_apart_is_not_guessed(hunting: Hunting) -> None:
    world = World(
        switching({"a": "1", "b": "1"}, {"a": "2", "b": "2"}),
        lambda number, has: None if has["a"] != has["b"] else new_if(has["a"] == "2"),
    )
    account = hunting(world)[0].account
    assert account.ending is Ending.UNCONFIRMED
    assert account.culprit is None
    assert "which package cannot be told, one of: a 1 -> 2, b 1 -> 2" in account.message


def test_a_release_that_fails_only_once_is_not_named(hunting: Hunting) -> None:
    """What was new in the search for it is old when asked again."""
    seen: list[tuple[int, Packages]] = []

    def shows(number: int, has: Packages) -> Judgement:
        seen.append((number, has))
        was_seen = number == TURN - 1 and seen.count((number, has)) > 1
        return new_if(has["dep"] == "2" and not was_seen)

    account = hunting(World(switching({"dep": "1"}, {"dep": "2"}), shows))[0].account
    assert account.ending is Ending.UNCONFIRMED
    assert "on a second look is good" in account.message
    assert account.dependency is None
