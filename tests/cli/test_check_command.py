"""`bisector check`: the plan on standard output, every fault at once, nothing run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Typing
    from tests.conftest import Making, Repository


def test_prints_the_plan_and_runs_nothing(bisector: Typing, source: Repository, plain: str) -> None:
    answer = bisector("check", bisector.recipe(plain.replace("grep", "touch /nowhere/ran; grep")))
    assert answer.status == 0
    assert f"v1.0 = {source[1][:10]}" in answer.out
    assert f"main = {source[12][:10]}" in answer.out
    assert "11 in question" in answer.out
    assert "timeout 1 min 0 s: our clock" in answer.out
    assert "sandbox       off; the recipe is a file of yours" in answer.out
    assert "Next: bisector run recipe.yaml" in answer.err
    assert not (bisector.state / "hunts").exists()


def test_the_same_as_json(bisector: Typing, source: Repository, plain: str) -> None:
    answer = bisector("check", "--json", "--quiet", bisector.recipe(plain))
    assert answer.status == 0
    assert answer.err == ""
    plan = answer.json
    assert plan["good"] == {"ref": "v1.0", "commit": source[1]}
    assert plan["bad"] == {"ref": "main", "commit": source[12]}
    assert cast("dict[str, int]", plan["counts"])["commits"] == 11
    assert plan["sandbox"] is False


def test_a_branch_that_moved_is_fetched(bisector: Typing, source: Repository, plain: str) -> None:
    recipe = bisector.recipe(plain)
    assert "11 in question" in bisector("check", recipe).out
    source.branch("main", 10)
    answer = bisector("check", recipe)
    assert "9 in question" in answer.out
    assert source[10][:10] in answer.out


def test_a_source_that_is_gone_is_no_fault_once_it_was_fetched(
    bisector: Typing, source: Repository, plain: str
) -> None:
    recipe = bisector.recipe(plain)
    bisector("check", recipe)
    source.path.rename(source.path.with_name("elsewhere"))
    answer = bisector("check", recipe)
    assert answer.status == 0
    assert "going on with what was fetched before" in answer.err


def test_every_unknown_revision_and_python_at_once(
    bisector: Typing, source: Repository, recipe_of: Callable[..., str]
) -> None:
    text = recipe_of(
        good="v9.9",
        python='"3.98"',
        skip="[v1.1, nosuch, v0.1..main]",
        pins="\n  - {since: gone, requirements: [six]}\n  - {before: v1.1, python: '2.7'}",
    )
    answer = bisector("check", bisector.recipe(text))
    assert answer.status == 2
    assert "recipe.yaml:2:7: good: 'v9.9' names no commit" in answer.err
    assert "recipe.yaml:6:9: python: Python 3.98 is not on this machine" in answer.err
    assert "uv python install 3.98" in answer.err
    assert "no older one" in answer.err
    assert "recipe.yaml:7:14: skip.1: 'nosuch' names no commit" in answer.err
    assert "skip.2: 'v0.1' names no commit" in answer.err
    assert "pins.0.since: 'gone' names no commit" in answer.err
    assert "pins.1.python: Python 2.7 is not on this machine" in answer.err
    assert not (bisector.state / "hunts").exists()


@pytest.mark.parametrize(
    ("paths", "status"),
    [("srd", 2), ("src", 0), ("[srd, src]", 0), ("linked/within", 0), ("src/thing.py", 2)],
)
def test_a_folder_that_is_at_neither_end(
    bisector: Typing, source: Repository, recipe_of: Callable[..., str], paths: str, status: int
) -> None:
    """What lies behind a link cannot be seen from here."""
    source.git("read-tree", "main")
    blob = source.git("hash-object", "-w", "--stdin", stdin="src")
    source.git("update-index", "--add", "--cacheinfo", f"120000,{blob},linked")
    commit = source.git("commit-tree", "-p", "main", "-m", "a link", source.git("write-tree"))
    source.git("update-ref", "refs/heads/main", commit)
    answer = bisector("check", bisector.recipe(recipe_of(install=f"{{mode: pythonpath, path: {paths}}}")))
    assert answer.status == status, answer.err
    if status:
        assert "install.path: no folder" in answer.err


@pytest.mark.parametrize(
    ("overlay", "fault"),
    [
        ("{from: bad, paths: [state]}", None),
        ("{from: bad, paths: [.]}", None),
        (
            "{from: main~1, paths: [state, stat]}",
            "overlay.0.paths.1: nothing is called stat at main~1",
        ),
        ("{from: good, paths: [src/none.py]}", "overlay.0.paths.0: nothing is called src/none.py at v1.0"),
    ],
)
def test_what_an_overlay_has_not_is_told_before_anything_runs(
    bisector: Typing, recipe_of: Callable[..., str], overlay: str, fault: str | None
) -> None:
    answer = bisector("check", bisector.recipe(recipe_of(overlay=f"[{overlay}]")))
    if fault is None:
        assert answer.status == 0, answer.err
    else:
        assert answer.status == 2
        assert fault in answer.err
        assert "`overlay` paths count from the top of the repository" in answer.err


def test_a_confidence_promises_no_most(bisector: Typing, recipe_of: Callable[..., str]) -> None:
    answer = bisector("check", bisector.recipe(recipe_of(verdict="{runs: {confidence: 0.95}}")))
    assert "trials        at least about 8: 4 trials to search" in answer.out
    assert "trials        about 8: 4 trials to search" in bisector("check", bisector.recipe(recipe_of())).out


def test_a_misspelt_tag_gets_the_nearest_name(bisector: Typing, recipe_of: Callable[..., str]) -> None:
    answer = bisector("check", bisector.recipe(recipe_of(bad="mian")))
    assert "bad: 'mian' names no commit of" in answer.err
    assert "(did you mean `main`?)" in answer.err


def test_an_overridden_end_is_blamed_on_the_option(bisector: Typing, plain: str) -> None:
    answer = bisector("check", bisector.recipe(plain), "--set", "good=nosuch")
    assert answer.status == 2
    assert "--set good: 'nosuch' names no commit" in answer.err


def test_says_which_stretch_gets_which_pins(
    bisector: Typing, source: Repository, recipe_of: Callable[..., str]
) -> None:
    pins = (
        "\n  - {before: v1.1, requirements: ['six<1.16']}"
        "\n  - {since: v1.1, requirements: ['six==1.16.*']}"
        "\n  - {range: main~4..main~2, requirements: [six, toml]}"
        "\n  - {before: v1.0, requirements: [toml]}"
    )
    answer = bisector("check", "--json", bisector.recipe(recipe_of(pins=pins)))
    environments = cast("list[dict[str, object]]", answer.json["environments"])
    found = {tuple(cast("list[int]", one["pins"])): one for one in environments}
    assert {pins: one["commits"] for pins, one in found.items()} == {(0,): 3, (1,): 6, (1, 2): 2}
    assert found[0,]["ends"] == ["the good end"]
    assert (found[0,]["first"], found[0,]["last"]) == (source[1], source[4])
    assert found[1, 2]["requirements"] == ["six", "toml"]
    assert answer.json["notes"] == [
        "pins.3 holds for no commit of the range",
        "pins.1 and pins.2 both hold for 2 commits: there pins.2 decides on six",
    ]


def test_pins_by_date_count_the_commits_own_date(bisector: Typing, recipe_of: Callable[..., str]) -> None:
    # Commit n is n days after 2020-09-13 12:26.
    answer = bisector(
        "check", "--json", bisector.recipe(recipe_of(pins="\n  - {since: 2020-09-20, requirements: [six]}"))
    )
    environments = cast("list[dict[str, object]]", answer.json["environments"])
    assert [(one["pins"], one["commits"]) for one in environments] == [([], 5), ([0], 6)]


def test_ends_that_cannot_differ_have_a_status_of_their_own(
    bisector: Typing, recipe_of: Callable[..., str]
) -> None:
    same = bisector("check", bisector.recipe(recipe_of(good="main")))
    assert (same.status, "are the same commit" in same.err) == (4, True)
    reversed_ = bisector("check", bisector.recipe(recipe_of(good="main", bad="v1.0")))
    assert (reversed_.status, "the ends are reversed" in reversed_.err) == (4, True)


def test_merge_bases_are_said(bisector: Typing, making: Making) -> None:
    made = making.repository("1..5; 2 6..8")
    made.branch("side", 8)
    text = f"repo: {made.path}\ngood: side\nbad: {made[5]}\ninstall: {{mode: none}}\nrepro: 'true'\n"
    answer = bisector("check", "--json", bisector.recipe(text))
    assert answer.json["merge_bases"] == [made[2]]
    assert cast("dict[str, int]", answer.json["counts"])["commits"] == 3


def test_auto_is_said_to_be_looked_for(bisector: Typing, recipe_of: Callable[..., str]) -> None:
    answer = bisector("check", bisector.recipe(recipe_of(good="auto")))
    assert answer.status == 0
    assert "auto: looked for in older releases" in answer.out
    assert "at most 12 in question" in answer.out


def test_a_foreign_recipe_is_sandboxed(bisector: Typing, plain: str) -> None:
    trusted = bisector("check", "-", "--no-sandbox", stdin=plain)
    assert "sandbox       off; the recipe comes from stdin" in trusted.out
    answer = bisector("check", "-", stdin=plain)
    assert "sandbox       on; the recipe comes from stdin" in answer.out or "sandbox" in answer.err
