"""What is said of a culprit besides: merges, flips, changes that no run can see."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from bisector.engine.flips import flips
from bisector.engine.meeting import where_sides_meet
from bisector.engine.unseen import only_unseen
from bisector.git.commits import read
from bisector.git.door import Git, local_environment
from bisector.model import Account, Ending, Purpose

from .conftest import Hunting
from .worlds import World, new_if

if TYPE_CHECKING:
    from tests.conftest import Files, Making, Repository
    from tests.engine_proof.conftest import Shop

LINES = "".join(f"line {number}\n" for number in range(1, 21))


def at(*numbers: int) -> World:
    """New at these commits; all environments are the same."""
    return World(lambda number: {"python": "3.11.7"}, lambda number, has: new_if(number in numbers))


def git_of(project: Repository) -> Git:
    return Git(project.path / ".git", local_environment({}))


def made(making: Making, rows: str, files: Mapping[int, Files], name: str = "source") -> Repository:
    """No file but these: `number` and `state` would be changed by every commit."""
    project = making.empty(name)
    project.grow(rows, lambda number: files.get(number, {}))
    return project


def told(account: Account) -> str:
    return "\n".join(account.notices)


# Merges


def test_a_merge_whose_sides_meet_in_a_file(making: Making, hunting: Hunting) -> None:
    one = LINES.replace("line 3\n", "LINE 3\n")
    other = LINES.replace("line 17\nline 18\n", "LINE 17\n")
    both = one.replace("line 17\nline 18\n", "LINE 17\n")
    files = {1: {"a.txt": LINES, "b": "1"}, 3: {"a.txt": one}, 5: {"a.txt": other}, 6: {"a.txt": both}}
    project = made(making, "1..3; 1 4 5; 3+5 6 7", files)
    account = hunting(at(6, 7), project=project)[0].account
    assert account.ending is Ending.FOUND
    assert "neither side fails alone" in account.message
    base = project[1][:12]
    assert f"of the merge {project[6][:12]}, its sides changed the same files since {base}" in told(account)
    assert f"a.txt ({project[3][:12]} lines 3; {project[5][:12]} lines 17-18)" in told(account)
    assert "the merge itself" not in told(account)


def test_a_merge_whose_sides_meet_in_an_import(making: Making) -> None:
    files = {
        1: {
            "src/proj/__init__.py": "",
            "src/proj/a.py": "from . import b\n",
            "src/proj/b.py": "",
            "c.py": "",
        },
        3: {"src/proj/a.py": "from . import b\nb.call(2)\n"},
        5: {"src/proj/b.py": "def call(): pass\n", "c.py": "import proj.a\n"},
    }
    project = made(making, "1..3; 1 4 5; 3+5 6", {**files, 6: {**files[3], **files[5]}})
    said = where_sides_meet(git_of(project), project[6], [project[3], project[5]])
    assert "its sides changed no file in common" in said
    assert "src/proj/a.py uses src/proj/b.py" in said
    assert "c.py uses src/proj/a.py" in said


def test_a_merge_whose_sides_have_nothing_in_common(making: Making) -> None:
    files = {1: {"a": "1", "b": "1"}, 2: {"a": "2"}, 3: {"b": "2"}, 4: {"a": "2", "b": "2"}}
    project = made(making, "1 2; 1 3; 2+3 4", files)
    said = where_sides_meet(git_of(project), project[4], [project[2], project[3]])
    assert said == "its sides changed no file in common; one side a, the other b"


def test_a_merge_that_wrote_lines_of_its_own(making: Making) -> None:
    files = {1: {"a": "1\n"}, 2: {"a": "2\n"}, 3: {"a": "3\n"}, 4: {"a": "4\n"}}
    project = made(making, "1 2; 1 3; 2+3 4", files)
    said = where_sides_meet(git_of(project), project[4], [project[2], project[3]])
    assert said.endswith("the merge itself wrote lines of a")


# Landed, taken back, landed again


def reverting(making: Making, subject: str, body: str = "") -> Repository:
    """X at 3, taken back at 5 in the words given."""
    project = made(making, "1..4", {1: {"a": "0"}, 2: {"a": "1"}, 3: {"a": "2"}})
    project.git("checkout", "--quiet", "main")
    message = f"{subject}\n\n{body.format(x=project[3])}"
    project.git("commit", "--quiet", "--allow-empty", "--message", message)
    project.shas[5] = project.git("rev-parse", "HEAD")
    return project


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        pytest.param("Undo", "This reverts commit {x}.", id="git's trailer"),
        pytest.param("Undo", "This reverts commit {x}, reversing\nchanges made to 123.", id="of a merge"),
        pytest.param('Revert "commit 3"', "", id="the title alone"),
        pytest.param('Revert "commit 3 (#12)" (#13)', "Reverts somebody/something#12", id="a forge's button"),
    ],
)
def test_a_revert_is_known_by_its_words(making: Making, subject: str, body: str) -> None:
    project = reverting(making, subject, body)
    [culprit] = read(git_of(project), [project[3]])
    found = flips(git_of(project), culprit, [project[1]], project[5])
    assert [(flip.commit, flip.lands) for flip in found] == [(project[3], True), (project[5], False)]


def test_a_revert_of_something_else_is_none(making: Making) -> None:
    project = reverting(making, 'Revert "commit 2"')
    [culprit] = read(git_of(project), [project[3]])
    assert flips(git_of(project), culprit, [project[1]], project[5]) == []


def test_without_a_word_the_files_tell(making: Making) -> None:
    """7 does what 3 did, 5 the opposite; 2 and 6 only touch the same file."""
    files = {1: "0", 2: "1", 3: "2", 5: "1", 6: "7", 7: "1", 8: "2"}
    project = made(making, "1..9", {number: {"a": text, "b": "1"} for number, text in files.items()})
    [culprit] = read(git_of(project), [project[3]])
    found = flips(git_of(project), culprit, [project[1]], project[9])
    assert [(project.number(flip.commit), flip.lands) for flip in found] == [(3, True), (5, False), (8, True)]


def test_the_flips_are_listed_with_what_a_probe_shows(making: Making, hunting: Hunting) -> None:
    files = {1: "0", 3: "x", 5: "0", 7: "x"}
    project = made(making, "1..9", {number: {"a": text, "b": "1"} for number, text in files.items()})
    account = hunting(at(3, 4, 7, 8, 9), project=project)[0].account
    x, y, z = (project[number][:12] for number in (3, 5, 7))
    assert account.ending is Ending.FOUND
    assert f"{x} landed (bad), {y} took it back (good), {z} landed it again (bad)" in told(account)


def test_taken_back_and_broken_by_something_else(making: Making, hunting: Hunting) -> None:
    """The search ends at what was long repaired, and says so."""
    files = {1: "0", 3: "x", 7: "0"}
    project = made(making, "1..9", {number: {"a": text, "b": "1"} for number, text in files.items()})
    account = hunting(at(3, 4, 5, 6, 9), project=project)[0].account
    assert account.culprit is not None
    assert account.culprit.commit.sha == project[3]
    assert f"something else made it bad again: hunt from {project[7][:12]} on" in told(account)


# What no run can see

CODE = 'def f():\n    """Says."""\n    return 1\n'


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        pytest.param(
            {"a.py": CODE}, {"a.py": f"# why\n\n{CODE}"}, "comments and docstrings in a.py", id="comment"
        ),
        pytest.param(
            {"a.py": CODE}, {"a.py": CODE.replace("Says", "Tells")}, "docstrings in a.py", id="docstring"
        ),
        pytest.param({"a.py": CODE}, {"a.py": CODE.replace("    ", "  ")}, "in a.py", id="indentation"),
        pytest.param(
            {"a.py": CODE},
            {"a.py": CODE + "\n", "README.md": "read", "docs/x.txt": "1"},
            "documentation in README.md, docs/x.txt and comments and docstrings in a.py",
            id="and documents",
        ),
        pytest.param({"a.py": CODE}, {"a.py": CODE.replace("1", "2")}, None, id="code"),
        pytest.param({"a.py": CODE}, {"a.py": CODE, "b.py": "# nothing\n"}, None, id="a new module"),
        pytest.param({"a.py": "print 1\n"}, {"a.py": "print 1 # x\n"}, None, id="of an older Python"),
        pytest.param({"a.txt": "1"}, {"a.txt": "2"}, None, id="a file that may be data"),
        pytest.param({"a.py": 'x = "\\d"\n'}, {"a.py": 'x = "\\d" # y\n'}, "in a.py", id="odd strings"),
    ],
)
def test_what_no_run_can_see(making: Making, before: Files, after: Files, says: str | None) -> None:
    project = made(making, "1 2", {1: before, 2: after})
    found = only_unseen(git_of(project), project[1], project[2], docstrings_count=False)
    if says is None:
        assert found is None
    else:
        assert found is not None
        assert says in found


def test_docstrings_count_for_doctest(making: Making) -> None:
    project = made(making, "1 2", {1: {"a.py": CODE}, 2: {"a.py": CODE.replace("Says", ">>> 1\n    2")}})
    assert only_unseen(git_of(project), project[1], project[2], docstrings_count=True) is None
    assert only_unseen(git_of(project), project[1], project[2], docstrings_count=False)


READS = f"{CODE}\nUSAGE = __doc__\n"


@pytest.mark.parametrize(
    ("code", "ending"), [(READS, Ending.FOUND), (CODE, Ending.UNCONFIRMED)], ids=["somebody", "nobody"]
)
def test_docstrings_count_where_somebody_reads_them(
    making: Making, hunting: Hunting, code: str, ending: Ending
) -> None:
    """As docopt does. Such a culprit is shown once more than others, and its kind is told."""
    project = made(making, "1..6", {1: {"a.py": code, "b": "1"}, 4: {"a.py": code.replace("Says", "Tells")}})
    result, world = hunting(at(4, 5, 6), project=project)
    assert result.account.ending is ending
    assert any("no code: the repro seems to read that" in one for one in result.account.notices) is (
        ending is Ending.FOUND
    )
    proving = [commit for purpose, commit in world.performed if purpose is Purpose.CONFIRM]
    assert len(proving) == 4


def test_a_change_that_no_run_can_see_is_not_announced(making: Making, hunting: Hunting) -> None:
    project = made(making, "1..6", {1: {"a.py": CODE, "b": "1"}, 4: {"a.py": f"# why\n{CODE}"}})
    result, world = hunting(at(4, 5, 6), project=project)
    assert result.account.ending is Ending.UNCONFIRMED
    assert re.search(
        r"changes nothing that the repro can see \(comments and docstrings in a.py\); doubt the environment "
        "or flakiness: once more it fails there and works at its parent",
        result.account.message,
    )
    assert Purpose.REVERT not in [purpose for purpose, _ in world.performed]


def test_nor_is_it_where_a_confidence_is_asked_for(making: Making, hunting: Hunting) -> None:
    project = made(making, "1..6", {1: {"a.py": CODE, "b": "1"}, 4: {"a.py": f"# why\n{CODE}"}})
    result, _ = hunting(at(4, 5, 6), project=project, more="verdict: {runs: {confidence: 0.95}}\n")
    assert result.account.ending is Ending.UNCONFIRMED
    assert "changes nothing that the repro can see" in result.account.message


BY_NAME = "importlib.import_module('proj.lo' + 'ne')"


@pytest.mark.parametrize(
    ("imports", "is_flagged"),
    [("proj", True), (BY_NAME, False)],
    ids=["nobody loads it", "by a made-up name"],
)
def test_a_module_that_is_never_loaded(making: Making, shop: Shop, imports: str, is_flagged: bool) -> None:
    """Python itself says what it loads; the failure comes from what is read and never imported."""
    files: dict[int, Files] = {
        1: {"proj/__init__.py": "import os\n", "proj/lone.py": "x = 1\n"},
        5: {"proj/lone.py": "x = 2\n"},
    }
    project = made(making, "1..8", files)
    script = f"import proj, importlib, sys; {imports}; "
    script += "sys.exit('2' in open(proj.__path__[0] + '/lo' + 'ne.py').read())"
    install = "install: {mode: pythonpath, module: proj}"
    hunted = shop.hunt(project, 1, 8, install, f'repro: python -c "{script}"')
    assert hunted.culprit == project[5], hunted.words
    flagged = f"the repro loads nothing that {project[5][:12]} changes (proj/lone.py)" in hunted.notices
    assert flagged == is_flagged


def test_a_module_that_others_name_costs_no_trial(making: Making, hunting: Hunting) -> None:
    files: dict[int, Files] = {1: {"a.py": "import lone\n", "lone.py": "x = 1\n"}, 4: {"lone.py": "x = 2\n"}}
    result, world = hunting(at(4, 5, 6), project=made(making, "1..6", files))
    assert result.account.ending is Ending.FOUND
    assert Purpose.CROSS not in [purpose for purpose, _ in world.performed]
