"""`bisector new`: a sound recipe from what was typed and what the folder tells."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.recipe.load import load

if TYPE_CHECKING:
    from tests.cli.conftest import Typing
    from tests.conftest import Repository


def test_what_was_typed_is_what_the_recipe_says(bisector: Typing, source: Repository) -> None:
    answer = bisector(
        *("new", "--repo", str(source.path), "--good", "v1.0", "--bad", "main", "--python", "3.11"),
        *("--install", "pythonpath", "--require", "six<2", "--require", "toml", "--timeout", "90s"),
        *("--set", "install.path=src", "--", "python", "-c", "print('a b')"),
    )
    assert answer.status == 0
    assert "Next: bisector try recipe.yaml" in answer.err
    recipe = load((bisector.folder / "recipe.yaml").read_text(), "recipe.yaml")
    assert (recipe.repo, recipe.old, recipe.new) == (str(source.path), "v1.0", "main")
    assert (recipe.python, recipe.install.path) == ("3.11", ("src",))
    assert recipe.dependencies.requirements == ("six<2", "toml")
    assert recipe.limits.timeout == 90
    assert recipe.repro.action.text == "python -c 'print('\"'\"'a b'\"'\"')'"


def test_one_word_is_a_shell_command_as_it_stands(bisector: Typing) -> None:
    answer = bisector("new", "--repo", "https://example.org/r", "-o", "-", "--", "make | grep -q done")
    assert answer.out.endswith("repro: make | grep -q done\n")


def test_a_checkout_tells_the_repository_the_release_and_the_mode(
    bisector: Typing, source: Repository
) -> None:
    source.git("checkout", "--quiet", "main")
    source.git("remote", "add", "origin", "https://user:secret@example.org/thing.git")
    answer = bisector("new", "-o", "-", "--", "true", cwd=source.path)
    assert answer.status == 0
    assert "secret" not in answer.out + answer.err
    recipe = load(answer.out, "-")
    assert (recipe.repo, recipe.old, recipe.new) == ("https://example.org/thing.git", "v1.1", "HEAD")
    assert (recipe.install.mode.value, recipe.install.path) == ("pythonpath", ("src",))


def test_a_local_file_in_the_command_goes_with_the_recipe(bisector: Typing, source: Repository) -> None:
    (bisector.folder / "repro.py").write_text("print(1)\n")
    answer = bisector("new", "--repo", str(source.path), "-o", "-", "--", "python", "repro.py")
    assert dict(load(answer.out, "-").repro.files) == {"repro.py": "print(1)\n"}
    assert "carries repro.py along" in answer.err


def test_a_file_of_the_repository_makes_it_run_in_the_tree(bisector: Typing, source: Repository) -> None:
    source.git("checkout", "--quiet", "main")
    answer = bisector("new", "-o", "-", "--", "cat", "src/thing.py::x", cwd=source.path)
    recipe = load(answer.out, "-")
    assert (recipe.repro.cwd.value, recipe.repro.files) == ("tree", ())


def test_a_path_is_counted_from_the_recipes_folder(bisector: Typing, source: Repository) -> None:
    (bisector.folder / "recipes").mkdir()
    asked = ("new", "--repo", "../source", "--good", "v1.0", "--bad", "main")
    assert bisector(*asked, "-o", "recipes/r.yaml", "--", "true").status == 0
    assert bisector("check", "recipes/r.yaml").status == 0


def test_never_over_another_file_unasked(bisector: Typing) -> None:
    (bisector.folder / "recipe.yaml").write_text("mine\n")
    refused = bisector("new", "--repo", "https://example.org/r", "--", "true")
    assert refused.status == 2
    assert "exists already" in refused.err
    assert (bisector.folder / "recipe.yaml").read_text() == "mine\n"
    assert bisector("new", "--yes", "--repo", "https://example.org/r", "--", "true").status == 0
    assert (bisector.folder / "recipe.yaml").read_text().startswith("repo: https://example.org/r\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--", "true"), "which repository?"),
        (("--repo", "https://example.org/r"), "no command is given"),
        (
            ("--repo", "https://example.org/r", "--timeout", "soon", "--", "true"),
            "limits.timeout: expected a duration",
        ),
        (("--repo", "https://example.org/r", "--require", "a b", "--", "true"), "is not a requirement"),
        (("--repo", "ext::sh -c id", "--", "true"), "is not allowed"),
        (("--repo", "https://example.org/r", "-o", "-", "--run", "--", "true"), "--run needs a file"),
        (("--repo", "https://example.org/r", "-o", "no/such/folder.yaml", "--", "true"), "cannot write"),
    ],
    ids=["no repository", "no command", "timeout", "requirement", "transport", "run nothing", "no folder"],
)
def test_what_makes_no_recipe_is_refused(bisector: Typing, words: tuple[str, ...], said: str) -> None:
    answer = bisector("new", *words)
    assert answer.status in (2, 5)
    assert said in answer.err
    assert not (bisector.folder / "recipe.yaml").exists()


def test_run_hunts_at_once(bisector: Typing, source: Repository) -> None:
    answer = bisector(
        *("new", "--repo", str(source.path), "--good", "v1.0", "--bad", "main", "--install", "none"),
        *("--set", "repro.cwd=tree", "--run", "-q", "--json", "--", "grep -q good state"),
    )
    assert answer.status == 0
    culprit = answer.json["culprit"]
    assert isinstance(culprit, dict)
    assert culprit["commit"] == source[7]


def test_asks_for_what_is_missing_on_a_terminal(bisector: Typing, source: Repository) -> None:
    keys = [str(source.path), "v1.0", "main", "", "none", "grep -q good state"]
    said = _typed(bisector, ("new",), keys)
    assert "Which repository?" in said
    recipe = load((bisector.folder / "recipe.yaml").read_text(), "recipe.yaml")
    assert (recipe.old, recipe.new, recipe.python) == ("v1.0", "main", None)
    assert recipe.install.mode.value == "none"
    assert recipe.repro.action.text == "grep -q good state"


def _typed(bisector: Typing, words: tuple[str, ...], lines: list[str]) -> str:
    """What a terminal showed; each line is typed at the next question."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        bisector.argv(*words),
        cwd=bisector.folder,
        env={**bisector.environment, "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown, waiting = "", list(lines)
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        if not select.select([ours], [], [], 0.1)[0]:
            continue
        try:
            fresh = os.read(ours, 4096).decode()
        except OSError:
            break
        shown += fresh
        if waiting and shown.rstrip(" ").endswith(":"):
            os.write(ours, f"{waiting.pop(0)}\n".encode())
            shown += "\n"
    os.close(ours)
    assert running.wait(timeout=10) == 0, shown
    return shown


def test_the_recipe_can_be_tried_as_the_next_step_says(bisector: Typing, source: Repository) -> None:
    written = bisector(
        *("new", "--repo", str(source.path), "--good", "v1.0", "--bad", "main", "--install", "none"),
        *("-o", "a recipe.yaml", "--", "exit 3"),
    )
    assert "bisector try 'a recipe.yaml'" in written.err
    assert bisector("try", "a recipe.yaml").status == 1
    assert Path(bisector.folder / "a recipe.yaml").is_file()
