"""`bisector run` of a hunt that is finished: the result at once, and what has moved since."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Typing
    from tests.conftest import Repository


@pytest.mark.parametrize("words", [["run", "--json"], ["run", "-q"], ["--help"]])
def test_nobody_reads_the_result(bisector: Typing, plain: str, words: list[str]) -> None:
    """Neither found nor failed: what a shell says of a program that SIGPIPE ended."""
    ours, theirs = os.pipe()
    os.close(ours)
    command = [*bisector.argv(*words), *([bisector.recipe(plain)] if words[0] == "run" else [])]
    done = subprocess.run(
        command, cwd=bisector.folder, env=dict(bisector.environment), stdout=theirs, stderr=subprocess.PIPE
    )
    os.close(theirs)
    assert done.returncode == 141
    assert b"Error" not in done.stderr


@pytest.mark.parametrize("bad", ["main", "HEAD"])
def test_a_branch_that_moved_since_is_told(
    bisector: Typing, source: Repository, recipe_of: Callable[..., str], bad: str
) -> None:
    recipe = bisector.recipe(recipe_of(bad=bad))
    first = bisector("run", "--json", recipe)
    assert first.status == 0
    assert "moved" not in bisector("run", recipe).err
    source.grow("12 13", lambda number: {})
    again = bisector("run", "--json", recipe)
    assert again.out == first.out
    moved = f"{source[12][:12]}..{source[13][:12]}"
    assert f"{bad} has moved since: {moved}; `--fresh` hunts anew" in again.err


def test_ends_that_cannot_move_and_sources_that_are_gone_have_not(
    bisector: Typing, source: Repository, recipe_of: Callable[..., str]
) -> None:
    recipe = bisector.recipe(recipe_of(good="2020-09-15", bad=source[12]))
    assert bisector("run", "-q", recipe).status == 0
    source.grow("12 13", lambda number: {})
    assert "moved" not in bisector("run", recipe).err
    source.path.rename(source.path.with_name("elsewhere"))
    again = bisector("run", recipe)
    assert again.status == 0
    assert "moved" not in again.err


def test_of_a_server_counts_what_was_fetched(
    bisector: Typing, source: Repository, recipe_of: Callable[..., str]
) -> None:
    """`git config` knows where that server is, and then no longer."""
    url = "https://127.0.0.1:9/project.git"
    settings = bisector.folder.parent / "home" / ".gitconfig"
    settings.write_text(f'[url "file://{source.path}"]\n\tinsteadOf = {url}\n')
    recipe = bisector.recipe(recipe_of(repo=url))
    assert bisector("run", "-q", recipe).status == 0
    settings.unlink()
    source.grow("12 13", lambda number: {})
    assert "moved" not in bisector("run", recipe).err
    [mirror] = (bisector.state / "mirrors").glob("*/repo.git")
    subprocess.run(
        ["git", "--git-dir", str(mirror), "fetch", "-q", str(source.path), "+main:refs/heads/main"],
        check=True,
    )
    assert f"main has moved since: {source[12][:12]}..{source[13][:12]}" in bisector("run", recipe).err


def test_a_hunt_anew_does_not_say_that_it_reuses_trials(
    bisector: Typing, recipe_of: Callable[..., str]
) -> None:
    assert bisector("run", "-q", bisector.recipe(recipe_of())).status == 0
    changed = bisector.recipe(recipe_of(good="v1.1"))
    anew = bisector("run", "--fresh", changed).err
    assert "the recipe has changed" in anew
    assert "reuses" not in anew
    assert ", which reuses those" in bisector("run", bisector.recipe(recipe_of(bad="main~1"))).err


def test_one_commit_in_question_is_told_as_one(bisector: Typing, recipe_of: Callable[..., str]) -> None:
    recipe = bisector.recipe(recipe_of(good="main~6", bad="main~5"))
    assert "1 commit in question, about 0 trials besides" in bisector("run", recipe).err


def test_a_repro_is_written_as_the_recipe_has_it_whatever_the_locale(
    bisector: Typing, recipe_of: Callable[..., str]
) -> None:
    """What runs it reads it as UTF-8, also where the user's own locale has no such letters."""
    script = "import sys; sys.exit('bad' in open('state').read() and len('\u00e9\u2192') == 2)"
    own = f'{{python: "{script}", cwd: tree, files: {{notes: "\u00e9\u2192"}}}}'
    recipe = bisector.recipe(recipe_of(repro=own))
    answer = bisector("run", recipe, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert answer.status == 0, answer.err


@pytest.mark.parametrize("install", ["{mode: none}", "{mode: pythonpath, path: src, module: thing}"])
def test_the_state_directory_may_be_reached_through_a_link(
    bisector: Typing, recipe_of: Callable[..., str], install: str
) -> None:
    """As a home that is a link; a sandbox mounts things by their names."""
    (bisector.folder / "disk").mkdir()
    (bisector.folder / "link").symlink_to("disk")
    recipe = bisector.recipe(recipe_of(install=install))
    answer = bisector("run", "--json", recipe, BISECTOR_STATE="link/state")
    assert answer.status == 0, answer.err
    assert (bisector.folder / "disk" / "state" / "records.sqlite3").exists()
