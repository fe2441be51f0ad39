"""What a sound recipe becomes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timezone
from pathlib import Path

import pytest

from bisector.model import AsOf, Find, Index, InstallMode, Judgement, Limits, Terms
from bisector.recipe.alterations import Before, CherryPick, Fixup, Overlay, Patch, Pin, Range, Since
from bisector.recipe.load import effective_text, load
from bisector.recipe.schema import (
    Absolute,
    Axis,
    Compare,
    Confidence,
    Cwd,
    History,
    Install,
    Measure,
    Metric,
    OriginKind,
    Policy,
    PythonScript,
    Reaction,
    Recipe,
    Relative,
    Repro,
    Runs,
    ShellCommand,
    Times,
    Until,
    Worse,
)

Read = Callable[..., Recipe]


def test_the_smallest_recipe_is_all_defaults(smallest: str) -> None:
    recipe = load(smallest, "folder/recipe.yaml")
    assert recipe == Recipe(
        repo="https://example.org/o/r",
        old="v1",
        new="main",
        repro=Repro(ShellCommand("python repro.py")),
        name="recipe",
    )
    assert recipe.install == Install(InstallMode.EDITABLE, (".",))
    assert recipe.limits == Limits(timeout=60.0, install_timeout=900.0)
    assert recipe.declared
    assert not recipe.foreign


def test_every_key_of_the_contract_is_read(full: str) -> None:
    recipe = load(full, "recipe.yaml", base=Path("/home/me/recipes"), not_yet={})
    assert recipe.location == "/home/me/project"
    assert (recipe.old, recipe.new, recipe.terms) == ("1234567", "2023-09-01", Terms("fast", "slow"))
    assert recipe.description == "Two lines\nof it.\n"
    assert recipe.history is History.FIRST_PARENT
    assert recipe.paths == ("src/pkg", "docs")
    assert recipe.skip == ("1e10", "v1.2..v1.3")
    assert recipe.python == "3.10"
    assert recipe.install == Install(
        InstallMode.PYTHONPATH,
        ("src", "."),
        ("test",),
        "pkg.core",
        ("python setup.py build_ext --inplace",),
        ("setuptools<66", "cython<3"),
        build_isolation=False,
    )
    assert recipe.dependencies.requirements == ("numpy", "scipy>=1 ; python_version > '3.8'")
    assert recipe.dependencies.as_of == datetime.combine(datetime(2023, 9, 1), time.max, timezone.utc)
    assert recipe.index == Index(
        ("/home/me/recipes/wheels",),
        "https://packages.example.org/simple",
        ("https://more.example.org/simple",),
    )
    assert recipe.pins == (
        Pin(Before("v0.9"), ("numpy<1.24",), "3.9"),
        Pin(Since("2022-01-01"), build_requirements=("setuptools<60",)),
        Pin(Range("v1.1..v1.2"), build_isolation=True),
    )
    assert recipe.fixups == (
        Fixup(Range("abc..def"), Patch("--- a/x\n+++ b/x\n")),
        Fixup(Before("abc"), CherryPick("0123abcd")),
    )
    assert recipe.overlay == (
        Overlay(Judgement.NEW, ("tests/test_new.py",)),
        Overlay("0123456", ("tests",)),
    )


def test_every_key_of_repro_verdict_limits_and_matrix_is_read(full: str, read: Read) -> None:
    recipe = read(full)
    assert recipe.repro == Repro(
        PythonScript("import pkg\npkg.go()\n"),
        "rm -rf data",
        (("data/in.txt", "1 2"), ("b.py", "")),
        (("FLAG", "1"), ("EMPTY", "")),
        Cwd.TREE,
    )
    assert recipe.verdict == Policy(
        old_if="fine",
        new_if="took [5-9]",
        skip_if="ModuleNotFoundError",
        other_failure=Reaction.NEW,
        on_timeout=Reaction.NEW,
        on_memory=Reaction.ABORT,
        runs=Until(10, 2),
        metric=Metric("took ([0-9.]+)", Worse.LOWER, Relative(1.5)),
    )
    assert recipe.limits == Limits(
        timeout=90.0,
        install_timeout=5400.0,
        memory=4 * 2**30,
        processes=256,
        cpus=0.5,
        disk=2 * 10**9,
        output=10 * 2**10,
        gpu_memory=3 * 10**9,
        network=False,
    )
    assert recipe.matrix == (Axis("python", ("3.10", "3.11")), Axis("env.FLAG", ("a", "b")))


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("1234567", "1234567"),
        ("1e10", "1e10"),
        ("0123456", "0123456"),
        ("2023-09-01", "2023-09-01"),
        ("2023-09-01 12:00:00", "2023-09-01 12:00:00"),
        ("1.10", "1.10"),
        ("==4.33.0", "==4.33.0"),
        ("on", "on"),
        ("HEAD~200", "HEAD~200"),
        ("12:30:45", "12:30:45"),
        ("'v1'  # why", "v1"),
        ("auto", "auto"),
    ],
)
def test_an_end_is_its_own_letters(read: Read, written: str, text: str) -> None:
    assert read(f"repo: x\ngood: {written}\nbad: v2\nrepro: x\n").old == text


@pytest.mark.parametrize(
    ("ends", "find", "terms"),
    [
        ("good: A\nbad: B", Find.REGRESSION, Terms("good", "bad")),
        ("old: A\nnew: B", Find.REGRESSION, Terms("good", "bad")),
        ("good: A\nnew: B", Find.REGRESSION, Terms("good", "bad")),
        ("find: fix\nbroken: A\nfixed: B", Find.FIX, Terms("broken", "fixed")),
        ("find: fix\nold: A\nnew: B", Find.FIX, Terms("broken", "fixed")),
        ("terms: {old: fast, new: slow}\nfast: A\nslow: B", Find.REGRESSION, Terms("fast", "slow")),
        ("terms: {old: fast, new: slow}\ngood: A\nbad: B", Find.REGRESSION, Terms("fast", "slow")),
        ("find: fix\nterms: {old: slow, new: fast}\nslow: A\nfast: B", Find.FIX, Terms("slow", "fast")),
        ("slow: B\nfast: A\nfind: fix\nterms: {old: fast, new: slow}", Find.FIX, Terms("fast", "slow")),
    ],
)
def test_the_ends_have_many_spellings(read: Read, ends: str, find: Find, terms: Terms) -> None:
    recipe = read(f"repo: x\n{ends}\nrepro: x\n")
    assert (recipe.old, recipe.new, recipe.find, recipe.terms) == ("A", "B", find, terms)


def test_a_fix_works_at_its_new_end(read: Read) -> None:
    recipe = read("repo: x\nfind: fix\nold: a\nnew: b\nrepro: x\n")
    assert (recipe.working, recipe.failing) == (Judgement.NEW, Judgement.OLD)


FIX = "repo: x\nfind: fix\nold: a\nnew: b\nrepro: x\nverdict: "
OWN = "repo: x\nterms: {old: fast, new: slow}\nold: a\nnew: b\nrepro: x\nverdict: "
REGRESSION = "repo: x\nold: a\nnew: b\nrepro: x\nverdict: "


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        (REGRESSION + "{bad_if: x, good_if: y}", Policy(old_if="y", new_if="x")),
        (REGRESSION + "{broken_if: x}", Policy(new_if="x")),
        (REGRESSION + "{new_if: x, old_if: y}", Policy(old_if="y", new_if="x")),
        (FIX + "{bad_if: x, good_if: y}", Policy(old_if="x", new_if="y")),
        (FIX + "{broken_if: x, fixed_if: y}", Policy(old_if="x", new_if="y")),
        (FIX + "{on_timeout: bad, on_memory: good}", Policy(on_timeout=Reaction.OLD, on_memory=Reaction.NEW)),
        (FIX + "{other_failure: bad}", Policy(other_failure=Reaction.OLD)),
        (OWN + "{slow_if: x, fast_if: y}", Policy(old_if="y", new_if="x")),
        (
            OWN + "{on_timeout: slow, on_memory: fast}",
            Policy(on_timeout=Reaction.NEW, on_memory=Reaction.OLD),
        ),
        (REGRESSION + "{on_install_failure: abort}", Policy(on_install_failure=Reaction.ABORT)),
    ],
)
def test_words_for_the_states_become_old_and_new(read: Read, text: str, policy: Policy) -> None:
    assert read(text).verdict == policy


@pytest.mark.parametrize(
    ("written", "runs"),
    [
        ("1", Times(1)),
        ("5", Times(5)),
        ("{max: 10, bad_after: 1}", Until(10, 1)),
        ("{max: 3}", Until(3, 1)),
        ("{confidence: 0.95}", Confidence(0.95)),
    ],
)
def test_runs(with_ends: Read, written: str, runs: Runs) -> None:
    assert with_ends(f"verdict: {{runs: {written}}}\n").verdict.runs == runs


@pytest.mark.parametrize(
    ("written", "metric"),
    [
        ("wall_time", Metric(Measure.WALL_TIME)),
        ("{pattern: peak_memory}", Metric(Measure.PEAK_MEMORY)),
        ("{pattern: '(\\d+)', threshold: -2.5}", Metric("(\\d+)", Worse.HIGHER, Absolute(-2.5))),
        ("{pattern: cpu_time, threshold: 1e-3x}", Metric(Measure.CPU_TIME, Worse.HIGHER, Relative(0.001))),
    ],
)
def test_metrics(with_ends: Read, written: str, metric: Metric) -> None:
    assert with_ends(f"verdict: {{metric: {written}}}\n").verdict.metric == metric


def test_compare_has_the_defaults_of_the_contract(with_ends: Read) -> None:
    assert with_ends("verdict: {compare: {file: out.npy}}\n").verdict.compare == Compare(
        "out.npy", 1e-4, 1e-6
    )
    given = with_ends("verdict: {compare: {file: a/b.pt, rtol: 1e-2, atol: 0}}\n").verdict.compare
    assert given == Compare("a/b.pt", 0.01, 0.0)


@pytest.mark.parametrize(
    ("mode", "declared"),
    [("editable", True), ("wheel", True), ("pythonpath", False), ("none", False)],
)
def test_declared_follows_the_install_mode_until_it_is_said(
    with_ends: Read, mode: str, declared: bool
) -> None:
    assert with_ends(f"install: {{mode: {mode}}}\n").declared is declared
    said = with_ends(f"install: {{mode: {mode}}}\ndependencies: {{declared: {str(not declared).lower()}}}\n")
    assert said.declared is not declared


@pytest.mark.parametrize(
    ("written", "as_of"),
    [
        ("latest", AsOf.LATEST),
        ("commit", AsOf.COMMIT),
        ("2024-02-29", datetime(2024, 2, 29, 23, 59, 59, 999999, timezone.utc)),
        ("2024-02-29 12:00:00", datetime(2024, 2, 29, 12, tzinfo=timezone.utc)),
        ("2024-02-29T12:00:00Z", datetime(2024, 2, 29, 12, tzinfo=timezone.utc)),
        ("2024-02-29T12:00:00+02:00", datetime(2024, 2, 29, 10, tzinfo=timezone.utc)),
    ],
)
def test_as_of(with_ends: Read, written: str, as_of: AsOf | datetime) -> None:
    assert with_ends(f"dependencies: {{as_of: {written}}}\n").dependencies.as_of == as_of


@pytest.mark.parametrize(
    ("repo", "location"),
    [
        ("../path", "/home/me/path"),
        ("/elsewhere/x", "/elsewhere/x"),
        (".", "/home/me/recipes"),
        ("https://example.org/x", "https://example.org/x"),
        ("git@example.org:o/r.git", "git@example.org:o/r.git"),
        ("ssh://example.org/o/r", "ssh://example.org/o/r"),
        ("./odd:name", "/home/me/recipes/odd:name"),
    ],
)
def test_a_path_is_counted_from_the_recipe(repo: str, location: str) -> None:
    text = f"repo: {repo}\ngood: a\nbad: b\nrepro: x\n"
    assert load(text, "r.yaml", base=Path("/home/me/recipes")).location == location


def test_one_item_may_stand_for_a_list(with_ends: Read) -> None:
    recipe = with_ends("paths: src\ndependencies: {requirements: numpy}\ninstall: {build: make}\n")
    assert recipe.paths == ("src",)
    assert recipe.dependencies.requirements == ("numpy",)
    assert recipe.install.build == ("make",)


def test_a_recipe_that_came_from_elsewhere_is_foreign(smallest: str) -> None:
    recipe = load(smallest, "https://example.org/r.yaml", origin=OriginKind.URL)
    assert recipe.foreign
    assert recipe.name == "r"


def test_the_effective_text_is_the_text_until_something_is_set(smallest: str) -> None:
    assert effective_text(smallest, "r.yaml", ()) == smallest


def test_the_effective_text_reads_as_the_overridden_recipe(full: str) -> None:
    overrides = ["limits.timeout=5m", "repro.env.FLAG=0123", "limits.network=true", "python=3.10", "matrix="]
    text = effective_text(full, "recipe.yaml", overrides)
    assert load(text, "recipe.yaml", not_yet={}) == load(full, "recipe.yaml", overrides, not_yet={})
