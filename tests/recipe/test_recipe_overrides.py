"""`--set KEY=VALUE`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bisector.recipe.alterations import Pin, Since
from bisector.recipe.schema import Measure, Metric, PythonScript, Recipe, Repro, ShellCommand, Worse

Read = Callable[..., Recipe]
FaultsOf = Callable[..., list[str]]


def test_a_value_replaces_the_one_of_the_recipe(read: Read, smallest: str) -> None:
    assert read(smallest, "good=v2").old == "v2"


def test_a_key_is_made_with_all_above_it(read: Read, smallest: str) -> None:
    assert read(smallest, "limits.timeout=2m").limits.timeout == 120


def test_the_last_one_counts(read: Read, smallest: str) -> None:
    assert read(smallest, "good=v2", "good=v3").old == "v3"


def test_a_value_is_yaml_and_keeps_its_letters(read: Read, smallest: str) -> None:
    recipe = read(smallest, "python=3.10", "paths=[src, docs]", "repro={python: 'import x'}")
    assert recipe.python == "3.10"
    assert recipe.paths == ("src", "docs")
    assert recipe.repro == Repro(PythonScript("import x"))


def test_an_empty_value_takes_the_key_away(read: Read, full: str) -> None:
    recipe = read(full, "matrix=", "pins.1=", "limits.memory=")
    assert recipe.matrix == ()
    assert len(recipe.pins) == 2
    assert recipe.limits.memory is None
    assert recipe.limits.timeout == 90


def test_a_key_after_text_turns_the_text_into_its_long_form(read: Read, smallest: str) -> None:
    recipe = read(smallest, "repro.env.FLAG=1", "verdict.metric=cpu_time", "verdict.metric.worse=lower")
    assert recipe.repro == Repro(ShellCommand("python repro.py"), env=(("FLAG", "1"),))
    assert recipe.verdict.metric == Metric(Measure.CPU_TIME, Worse.LOWER)


def test_names_of_the_recipes_own_choice_may_hold_dots(read: Read, smallest: str) -> None:
    recipe = read(smallest, "repro.files.data/in.tar.txt=x", "matrix.env.FLAG=[a, b]")
    assert recipe.repro.files == (("data/in.tar.txt", "x"),)
    assert recipe.matrix[0].key == "env.FLAG"


def test_a_place_in_a_list_is_a_number(read: Read, full: str) -> None:
    assert read(full, "pins.1.since=v5").pins[1] == Pin(Since("v5"), build_requirements=("setuptools<60",))
    assert read(full, "skip.2=v9").skip[-1] == "v9"


CASES = [
    ("no value", "good", "--set good: expected KEY=VALUE, with dots between the keys: limits.timeout=2m"),
    ("no key", "=x", "--set : expected KEY=VALUE, with dots between the keys: limits.timeout=2m"),
    ("two dots", "a..b=x", "--set a..b: expected KEY=VALUE, with dots between the keys: limits.timeout=2m"),
    ("a misspelt key", "limits.timout=2m", "--set limits.timout: unknown key (did you mean `timeout`?)"),
    (
        "a bad value",
        "limits.timeout=x",
        "--set limits.timeout: expected a duration such as 90s, 15m or 2h, found 'x'",
    ),
    ("broken YAML", "paths=[a", "--set paths: not YAML: while parsing a flow sequence: expected"),
    (
        "a fault inside the value",
        "limits={timout: 2m}",
        "--set limits: limits.timout: unknown key (did you mean",
    ),
    ("below text", "repo.url=x", "--set repo.url: repo: holds text, so there is no `url` in it"),
    ("beyond a list", "skip.7=x", "--set skip.7: the list has the places 0 to 2 (a new one)"),
    ("no place in a list", "skip.first=x", "--set skip.first: the list has the places 0 to 2 (a new one)"),
    ("a hole", "a." * 50 + "a=x", "no key of a recipe lies 51 deep"),
    ("a bomb", "paths=[" + "x," * 30_000 + "]", "--set paths: too much: a recipe holds at most 20000 values"),
    ("the same end again", "new=v2", "--set new: already given as `slow` in line 10; give one of them"),
]


@pytest.mark.parametrize(("override", "told"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_override_is_blamed_by_its_key(faults_of: FaultsOf, full: str, override: str, told: str) -> None:
    faults = faults_of(full, [override])
    assert len(faults) == 1
    assert told in faults[0]
