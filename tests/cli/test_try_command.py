"""`bisector try`: one trial, live; its exit status says what came of it, and nothing stays."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

import psutil
import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Typing
    from tests.conftest import Making, Repository


def test_the_failing_end_is_tried_by_itself(bisector: Typing, source: Repository, plain: str) -> None:
    answer = bisector("try", bisector.recipe(plain))
    assert (answer.status, answer.out) == (1, "bad\n")
    assert "verdict     bad: exit 1" in answer.err
    assert f"checking out {source[12][:10]}" in answer.err
    assert not list((bisector.state / "tries").iterdir())
    assert bisector("status", "--json").json["hunts"] == []


def test_any_revision_can_be_tried(bisector: Typing, plain: str) -> None:
    answer = bisector("try", bisector.recipe(plain), "v1.1")
    assert (answer.status, answer.out) == (0, "good\n")
    assert "verdict     good: exit 0" in answer.err


def test_with_find_fix_the_broken_end_is_tried(bisector: Typing, source: Repository) -> None:
    text = (
        f"repo: {source.path}\nfind: fix\nbroken: v1.0\nfixed: main\ninstall: {{mode: none}}\n"
        "repro: {run: grep -q bad state, cwd: tree}\n"
    )
    answer = bisector("try", bisector.recipe(text))
    assert answer.status == 1
    assert f"checking out {source[1][:10]}" in answer.err


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        ({"repro": "exit 125"}, 3, "verdict     skip: exit 125"),
        ({"repro": "sleep 30", "limits": "{timeout: 1s}"}, 3, "verdict     skip: timed out"),
        ({"install": "{mode: editable}"}, 3, "neither pyproject.toml nor setup.py"),
        ({"repro": "kill -SEGV $$"}, 1, "SIGSEGV"),
        ({"repro": "'exec python -c \"raise KeyError(3)\"'"}, 1, "KeyError: 3"),
    ],
    ids=["asks to be skipped", "hangs", "cannot be installed", "dies of a signal", "raises"],
)
def test_what_came_of_it_is_the_exit_status(
    bisector: Typing, recipe_of: Callable[..., str], changed: dict[str, str], status: int, said: str
) -> None:
    answer = bisector("try", bisector.recipe(recipe_of(**changed)))
    assert said in answer.err
    assert answer.status == status


def test_as_json_nothing_else_is_on_standard_output(bisector: Typing, source: Repository, plain: str) -> None:
    answer = bisector("try", "--json", "-q", bisector.recipe(plain))
    assert (answer.status, answer.err) == (1, "")
    told = answer.json
    assert (told["commit"], told["verdict"], told["exit_status"]) == (source[12], "bad", 1)
    assert told["output"] == "bad\n"


def test_an_unknown_revision_is_a_usage_fault(bisector: Typing, plain: str) -> None:
    answer = bisector("try", bisector.recipe(plain), "nosuch")
    assert answer.status == 2
    assert "'nosuch' names no commit" in answer.err


def test_a_foreign_recipe_is_shown_and_refused_without_yes(bisector: Typing, plain: str) -> None:
    answer = bisector("try", "-", stdin=plain)
    assert answer.status == 2
    assert "grep -q good state" in answer.err
    assert "--yes" in answer.err


def test_a_hunt_under_way_or_done_gives_the_failure_to_compare_with(
    bisector: Typing, recipe_of: Callable[..., str]
) -> None:
    text = recipe_of(
        repro="{run: 'grep -q bad state && exit 7; test $(cat number) -gt 2 || exit 9', cwd: tree}"
    )
    recipe = bisector.recipe(text)
    assert bisector("try", recipe, "v1.0").status == 1
    assert bisector("run", "--set", "good=v1.1", "-q", recipe).status == 0
    answer = bisector("try", "--set", "good=v1.1", recipe, "v1.0")
    assert "exit 9 instead of exit 7" in answer.err
    assert answer.status == 3


def test_an_interruption_leaves_nothing_behind(bisector: Typing, recipe_of: Callable[..., str]) -> None:
    recipe = bisector.recipe(recipe_of(repro="echo begun; sleep 314"))
    running = bisector.begin("try", recipe)
    assert running.stdout is not None
    assert running.stdout.readline() == "begun\n"
    below = psutil.Process(running.pid).children(recursive=True)
    assert below
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "interrupted" in err
    assert not list((bisector.state / "tries").iterdir())
    _, alive = psutil.wait_procs(below, timeout=10)
    assert not alive


def test_a_number_is_held_against_the_limit_that_the_recipe_names(
    bisector: Typing, recipe_of: Callable[..., str]
) -> None:
    recipe = bisector.recipe(
        recipe_of(repro="echo took 40", verdict="{metric: {pattern: 'took (.*)', threshold: 25}}")
    )
    answer = bisector("try", recipe)
    assert (answer.status, "verdict     bad: 40, higher than 25" in answer.err) == (1, True), answer.err
    answer = bisector("try", "--set", "verdict.metric.threshold=45", recipe)
    assert (answer.status, "verdict     good: 40, not higher than 45" in answer.err) == (0, True), answer.err


def test_a_package_that_cannot_be_imported_is_said_to_be_skipped_by_a_hunt(
    bisector: Typing, making: Making
) -> None:
    project = making.repository("1..2", files={1: {"proj.py": "import nowhere\n"}}, name="project")
    recipe = bisector.recipe(
        f"repo: {project.path}\ngood: {project[1]}\nbad: {project[2]}\n"
        "install: {mode: pythonpath, module: proj}\nrepro: {python: import proj}\n"
    )
    answer = bisector("try", recipe)
    assert answer.status == 1
    assert "in a hunt   it is skipped, unless the bad end fails so too" in answer.err, answer.err


def test_help_names_no_option_that_it_refuses(bisector: Typing) -> None:
    assert "--report" not in bisector("try", "--help").out
    assert "junit.xml" in bisector("run", "--help").out
