"""Ends that do not differ as said, odd histories, broken sources: through the real command, by exit status."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bisector.cli.guard import guarded

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

FOUND, USAGE, SUSPECTS, ENDPOINTS, FAILED = 0, 2, 3, 4, 5
PASSES = 'repro: {run: "grep -q good state", cwd: tree}'


@dataclass(frozen=True)
class Hunted:
    status: int
    words: str
    report: Any
    """The report's JSON; None where there is none."""

    @property
    def culprit(self) -> str | None:
        found = self.report["culprit"]
        return found["commit"] if found else None


@dataclass(frozen=True)
class Command:
    """`bisector run`, its state directory shared by the hunts of this file."""

    state: Path
    folder: Path
    capture: pytest.CaptureFixture[str]

    def _arguments(self, recipe: str, options: Sequence[str]) -> list[str]:
        path = self.folder / "recipe.yaml"
        path.write_text(recipe)
        return ["run", str(path), "--state", str(self.state), "--json", *options]

    def run(self, recipe: str, *options: str) -> Hunted:
        """In this process: starting another costs more than a small hunt."""
        self.capture.readouterr()
        status = guarded(self._arguments(recipe, options))
        said = self.capture.readouterr()
        return _heard(status, said.out, said.err)

    def run_apart(self, recipe: str) -> Hunted:
        """As somebody types it."""
        ended = subprocess.run(
            [sys.executable, "-m", "bisector", *self._arguments(recipe, ())],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return _heard(ended.returncode, ended.stdout, ended.stderr)

    def recipe(self, project: Repository, good: str, bad: str, *more: str, repro: str = PASSES) -> str:
        return "\n".join([f"repo: {project.path}", f"good: {good}", f"bad: {bad}", repro, *more, NONE])

    def hunt(self, project: Repository, good: str, bad: str, *more: str, repro: str = PASSES) -> Hunted:
        return self.run(self.recipe(project, good, bad, *more, repro=repro))


def _heard(status: int, out: str, err: str) -> Hunted:
    assert "Traceback" not in err
    assert "defect" not in err
    return Hunted(status, err, json.loads(out) if out else None)


NONE = "install: {mode: none}\n"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture
def command(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Command:
    monkeypatch.setenv("HOME", str(state))
    return Command(state, tmp_path, capsys)


def tagged(making: Making, rows: str, culprit: int | None = None, bad: Sequence[int] = ()) -> Repository:
    """Each commit is tagged with the letter c and its number."""
    project = making.repository(rows, culprit=culprit, bad=bad)
    for number in project.shas:
        project.tag(f"c{number}", number)
    return project


CRISS_CROSS = "1..4; 2 5 6; 4+6 7; 6+4 8; 7 9; 8 10; 9+10 11 12"


@pytest.mark.parametrize(
    ("rows", "good", "bad", "culprit", "more"),
    [
        pytest.param("1..9", "c1", "main", 5, [], id="a line"),
        pytest.param("1..2", "c1", "c2", 2, [], id="two commits"),
        pytest.param("1..9", "HEAD~8", "HEAD", 9, [], id="the bad end itself"),
        pytest.param(CRISS_CROSS, "c1", "c12", 8, [], id="a criss-cross merge"),
        pytest.param(CRISS_CROSS, "c2", "c12", 5, [], id="below a criss-cross"),
        pytest.param("1..4; 5..8; 4+8 9 10", "c1", "c10", 6, [], id="on a second root"),
        pytest.param("1..8; 3 9 10", "c10", "c8", 6, [], id="a good end on a side branch"),
        pytest.param(
            "1..6; 2 7..9; 6+9 10 11", "c1", "c11", 8, ["history: pull-requests"], id="inside a merge"
        ),
        pytest.param("1..9", "2020-09-15", "2020-09-23", 5, [], id="dates"),
    ],
)
def test_the_culprit_is_found(
    making: Making, command: Command, rows: str, good: str, bad: str, culprit: int, more: list[str]
) -> None:
    project = tagged(making, rows, culprit)
    hunted = command.hunt(project, good, bad, *more)
    assert hunted.status == FOUND, hunted.words
    assert hunted.culprit == project[culprit]
    assert set(hunted.report["confirmation"]["parents"].values()) <= {"good"}


@pytest.mark.parametrize(
    ("good", "bad", "more", "status"),
    [
        pytest.param("c1", "c9", [], FOUND, id="found"),
        pytest.param("c1", "c99", [], USAGE, id="no such tag"),
        pytest.param("c1", "c9", ["skip: [c5]"], SUSPECTS, id="suspects"),
        pytest.param("c9", "c1", [], ENDPOINTS, id="reversed"),
        pytest.param("c1", "lost", [], FAILED, id="objects missing"),
    ],
)
def test_the_process_ends_with_the_status_that_the_contract_names(
    making: Making, command: Command, good: str, bad: str, more: list[str], status: int
) -> None:
    project = tagged(making, "1..9", 5)
    project.grow("9 10", lambda number: {"lost": "soon\n"})
    project.tag("lost", 10)
    sha = project.git("rev-parse", "lost:lost")
    (project.path / ".git" / "objects" / sha[:2] / sha[2:]).unlink()
    assert command.run_apart(command.recipe(project, good, bad, *more)).status == status


def test_first_parent_ends_at_the_merge(making: Making, command: Command) -> None:
    project = tagged(making, "1..6; 2 7..9; 6+9 10 11", 8)
    hunted = command.hunt(project, "c1", "c11", "history: first-parent")
    assert (hunted.status, hunted.culprit) == (FOUND, project[10])


@pytest.mark.parametrize(
    ("rows", "culprit", "bad_ones", "good", "bad", "more", "says"),
    [
        pytest.param(
            "1..5", 1, (), "c1", "c5", (), "the good end .* does not work as said", id="the good end fails"
        ),
        pytest.param(
            "1..5", None, (), "c1", "c5", (), "the bad end .* does not fail as said", id="the bad end passes"
        ),
        pytest.param(
            "1..5",
            None,
            (1, 2),
            "c1",
            "c5",
            (),
            "the ends look swapped(.|\n)*find: fix",
            id="the ends are swapped",
        ),
        pytest.param("1..5", 3, (), "c5", "c1", (), "the ends are reversed", id="the bad end is the older"),
        pytest.param("1..5", 3, (), "c3", "c3", (), "the same commit", id="one commit twice"),
        pytest.param("1..5", 3, (), "c5", "main", (), "the same commit", id="two names of one commit"),
        pytest.param(
            "1..4; 2 5 6",
            None,
            (1, 2, 3, 4),
            "c6",
            "c4",
            (),
            "fixed in between",
            id="fixed on the side branch",
        ),
        pytest.param("1..3; 4..6", 5, (), "c3", "c6", (), "no common history", id="two roots that never met"),
        pytest.param(
            "1..5", 1, (), "auto", "c5", (), "no good commit was found", id="auto, but none is good"
        ),
    ],
)
def test_ends_that_do_not_differ_as_said(
    making: Making,
    command: Command,
    rows: str,
    culprit: int | None,
    bad_ones: tuple[int, ...],
    good: str,
    bad: str,
    more: tuple[str, ...],
    says: str,
) -> None:
    project = tagged(making, rows, culprit, bad_ones)
    hunted = command.hunt(project, good, bad, *more)
    assert hunted.status == ENDPOINTS, hunted.words
    assert re.search(says, hunted.words), hunted.words
    assert hunted.report["outcome"] == "endpoints"
    assert hunted.culprit is None
    assert [trial["verdict"] for trial in hunted.report["trials"] if trial["verdict"] == "error"] == []


def test_find_fix_names_the_commit_that_repaired_it(making: Making, command: Command) -> None:
    project = tagged(making, "1..9", bad=range(1, 6))
    hunted = command.run(f"repo: {project.path}\nfind: fix\nbroken: c1\nfixed: c9\n{PASSES}\n{NONE}")
    assert (hunted.status, hunted.culprit) == (FOUND, project[6])
    assert hunted.report["terms"] == {"old": "broken", "new": "fixed"}
    assert hunted.report["confirmation"]["culprit"] == "fixed"


def test_find_fix_with_the_ends_of_a_regression_says_to_swap(making: Making, command: Command) -> None:
    project = tagged(making, "1..5", 3)
    hunted = command.run(f"repo: {project.path}\nfind: fix\nbroken: c1\nfixed: c5\n{PASSES}\n{NONE}")
    assert hunted.status == ENDPOINTS
    assert re.search(r"the ends look swapped(.|\n)*find: regression", hunted.words), hunted.words


@pytest.mark.parametrize("ends", [("fast", "slow"), ("old", "new")], ids=["own words", "old and new"])
def test_own_terms_name_the_ends_and_the_verdicts(
    making: Making, command: Command, ends: tuple[str, str]
) -> None:
    project = tagged(making, "1..9", 4)
    old, new = ends
    terms = "terms: {old: fast, new: slow}"
    hunted = command.run(f"repo: {project.path}\n{terms}\n{old}: c1\n{new}: c9\n{PASSES}\n{NONE}")
    assert (hunted.status, hunted.culprit) == (FOUND, project[4])
    assert {trial["verdict"] for trial in hunted.report["trials"]} - {"skip"} == {"fast", "slow"}
    assert "git bisect slow" in hunted.report["bisect_log"]


def test_own_terms_where_one_begins_like_the_other(making: Making, command: Command) -> None:
    project = tagged(making, "1..9", 4)
    terms = "terms: {old: ok, new: ok-no-more}"
    hunted = command.run(f"repo: {project.path}\n{terms}\nold: c1\nnew: c9\n{PASSES}\n{NONE}")
    assert (hunted.status, hunted.culprit) == (FOUND, project[4])


def test_paths_that_nothing_touches_are_the_recipes_fault(making: Making, command: Command) -> None:
    project = tagged(making, "1..9", 4)
    hunted = command.hunt(project, "c1", "c9", "paths: [src/nothing]")
    assert hunted.status == USAGE
    assert "src/nothing" in hunted.words
    assert hunted.report is None


def test_paths_lead_only_through_commits_that_touch_them(making: Making, command: Command) -> None:
    files = {number: {"src/part.py": f"{number}\n"} for number in (3, 5, 8)}
    project = making.repository("1..9", culprit=5, files=files)
    hunted = command.hunt(project, "HEAD~8", "HEAD", "paths: [src]")
    assert (hunted.status, hunted.culprit) == (FOUND, project[5])
    tried = {project.number(trial["commit"]) for trial in hunted.report["trials"]}
    assert tried <= {1, 9, 3, 4, 5, 8}


def test_the_culprit_itself_skipped_leaves_suspects(making: Making, command: Command) -> None:
    project = tagged(making, "1..9", 5)
    hunted = command.hunt(project, "c1", "c9", "skip: [c4..c6]")
    assert hunted.status == SUSPECTS, hunted.words
    assert hunted.report["outcome"] == "suspects"
    assert project.numbers(hunted.report["suspects"]) == {5, 6, 7}
    tried = {project.number(trial["commit"]) for trial in hunted.report["trials"]}
    assert not tried & {5, 6}


def test_everything_skipped_leaves_everything_suspect(making: Making, command: Command) -> None:
    project = tagged(making, "1..5", 3)
    hunted = command.hunt(project, "c1", "c5", "skip: [c1..c4]")
    assert hunted.status == SUSPECTS, hunted.words
    assert project.numbers(hunted.report["suspects"]) == {2, 3, 4, 5}


def test_the_repro_may_say_that_it_cannot_tell(making: Making, command: Command) -> None:
    project = tagged(making, "1..9", 5)
    repro = 'repro: {run: "grep -q [456] number && exit 125; grep -q good state", cwd: tree}'
    hunted = command.hunt(project, "c1", "c9", repro=repro)
    assert hunted.status == SUSPECTS, hunted.words
    assert project.numbers(hunted.report["suspects"]) == {4, 5, 6, 7}


def test_a_repro_that_ruins_its_tree_ruins_nothing_else(making: Making, command: Command) -> None:
    project = tagged(making, "1..9", 5)
    project.git("reset", "--quiet", "--hard", "main")
    before = project.fingerprint()
    lines = ("grep -q good state; said=$?", "rm -rf .git * .[a-z]*", "exit $said")
    repro = "\n    ".join(["repro:\n  cwd: tree\n  run: |", *lines])
    hunted = command.hunt(project, "c1", "c9", repro=repro)
    assert (hunted.status, hunted.culprit) == (FOUND, project[5])
    assert project.fingerprint() == before


@pytest.mark.parametrize("spelling", ["path", "file://"])
@pytest.mark.parametrize("revision", ["c5^{tree}", "c5:number", "c5"], ids=["tree", "file", "commit"])
def test_a_source_that_lacks_objects_gets_no_verdict(
    making: Making, command: Command, spelling: str, revision: str
) -> None:
    project = tagged(making, "1..9", 3)
    sha = project.git("rev-parse", revision)
    (project.path / ".git" / "objects" / sha[:2] / sha[2:]).unlink()
    repo = project.path if spelling == "path" else f"file://{project.path}"
    hunted = command.run(f"repo: {repo}\ngood: c1\nbad: c9\n{PASSES}\n{NONE}")
    assert hunted.status == FAILED, hunted.words
    assert "incomplete" in hunted.words
    tried = hunted.report["trials"] if hunted.report else []
    assert project[5] not in [one["commit"] for one in tried if one["verdict"] in ("good", "bad", "skip")]


def shallow_clone(project: Repository) -> Path:
    clone = project.path.parent / "shallow"
    project.git("clone", "--quiet", "--depth=3", f"file://{project.path}", str(clone))
    return clone


def test_a_revision_below_a_shallow_clone(making: Making, command: Command) -> None:
    clone = shallow_clone(tagged(making, "1..9", culprit=5))
    hunted = command.run(f"repo: {clone}\ngood: c1\nbad: main\n{PASSES}\n{NONE}")
    assert hunted.status == USAGE
    assert "is a shallow clone; `git fetch --unshallow`" in hunted.words


def test_a_good_end_below_a_shallow_clone_is_found_once_that_is_deepened(
    making: Making, command: Command
) -> None:
    project = tagged(making, "1..9", culprit=5)
    clone = shallow_clone(project)
    recipe = f"repo: {clone}\ngood: auto\nbad: main\n{PASSES}\n{NONE}"
    hunted = command.run(recipe)
    assert hunted.status == FAILED
    assert "is a shallow clone; `git fetch --unshallow`" in hunted.words
    project.git("-C", str(clone), "fetch", "--quiet", "--unshallow")
    again = command.run(recipe)
    assert (again.status, again.culprit) == (FOUND, project[5])
    assert again.report["hunt"] == hunted.report["hunt"]


def test_a_shallow_source_whose_ends_never_meet_is_called_shallow(making: Making, command: Command) -> None:
    project = making.repository("1..9; 2 10..12; 9 13", culprit=5)
    project.branch("side", 12)
    shallow = project.path.parent / "shallow"
    options = ("--quiet", "--depth=2", "--no-single-branch")
    project.git("clone", *options, f"file://{project.path}", str(shallow))
    hunted = command.run(f"repo: {shallow}\ngood: side\nbad: main\n{PASSES}\n{NONE}")
    assert hunted.status == FAILED
    assert "shallow" in hunted.words


def test_a_submodule_that_is_gone_makes_its_commits_untestable_not_bad(
    making: Making, command: Command
) -> None:
    part = making.repository("1..2", name="part")
    project = tagged(making, "1..9", 4)
    link = f'[submodule "part"]\n\tpath = part\n\turl = {part.path}-that-is-gone\n'
    project.git("reset", "--quiet", "--hard", "c6")
    (project.path / ".gitmodules").write_text(link)
    project.git("add", ".gitmodules")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{part[1]},part")
    project.git("commit", "-qm", "with a submodule that cannot be had")
    project.git("rm", "-q", "--cached", "part")
    project.git("rm", "-q", ".gitmodules")
    project.git("commit", "-qm", "without")
    hunted = command.hunt(project, "c1", "HEAD")
    assert (hunted.status, hunted.culprit) == (FOUND, project[4]), hunted.words


def test_ends_that_want_an_older_python_are_told_which(making: Making, command: Command) -> None:
    says = "raise ModuleNotFoundError(\"No module named 'cgi'\")"
    project = tagged(making, "1..3", 3)
    hunted = command.run(
        f"repo: {project.path}\ngood: c1\nbad: c3\nrepro: {{python: {json.dumps(says)}}}\n{NONE}"
    )
    assert hunted.status == ENDPOINTS
    assert 'cgi left Python with 3.13: `python: "3.12"`' in hunted.words


def test_an_end_whose_submodule_is_gone_says_how_to_do_without(
    making: Making, command: Command, state: Path
) -> None:
    project = making.empty()
    link = f'[submodule "themes"]\n\tpath = docs/part\n\turl = {project.path}-that-is-gone\n'
    (project.path / ".gitmodules").write_text(link)
    project.git("add", ".gitmodules")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},docs/part")
    for number, word in enumerate(("good", "good too", "bad"), 1):
        (project.path / "state").write_text(word)
        project.git("add", "state")
        project.git("commit", "-qm", f"c{number}")
        project.git("tag", f"c{number}")
    hunted = command.hunt(project, "c1", "c3")
    assert hunted.status == FAILED
    assert "the submodule themes cannot be had: " in hunted.words
    assert "`git config --global submodule.themes.update none` leaves it empty" in hunted.words
    (state / ".gitconfig").write_text('[submodule "themes"]\n\tupdate = none\n')
    again = command.hunt(project, "c1", "c3")
    assert (again.status, again.culprit) == (FOUND, project.git("rev-parse", "c3").strip()), again.words


def test_a_password_in_the_url_is_in_no_record_and_no_report(
    making: Making, command: Command, state: Path, tmp_path: Path
) -> None:
    project = tagged(making, "1..5", 3)
    (state / ".gitconfig").write_text(
        f'[url "{project.path}"]\n\tinsteadOf = https://forge.example/team/project\n'
    )
    url = "https://robot:s3cret@forge.example/team/project"
    recipe = f"repo: {url}\ngood: c1\nbad: c5\n{PASSES}\n{NONE}"
    hunted = command.run(recipe, "--report", str(tmp_path / "report"))
    again = command.run(recipe)
    (state / ".gitconfig").unlink()
    assert (hunted.status, hunted.culprit) == (FOUND, project[3]), hunted.words
    assert again.status == FOUND
    said = f"{hunted.words}{again.words}{json.dumps(hunted.report)}{json.dumps(again.report)}"
    assert "s3cret" not in said
    kept: dict[Path, bytes] = {}
    for path in (path for folder in (state, tmp_path / "report") for path in folder.rglob("*")):
        # SQLite takes its own two files away once the last reader lets go of the records.
        with suppress(FileNotFoundError, IsADirectoryError):
            kept[path] = path.read_bytes()
    assert state / "records.sqlite3" in kept
    assert [path for path, content in kept.items() if b"s3cret" in content] == []


def test_fresh_looks_at_the_ends_anew_and_the_same_command_does_not(making: Making, command: Command) -> None:
    project = making.repository("1..8", culprit=6)
    recipe = f"repo: {project.path}\ngood: main~7\nbad: main\n{PASSES}\n{NONE}"
    first = command.run(recipe)
    project.grow("8 9", lambda number: {"number": f"{number}\n"})
    again, fresh = command.run(recipe), command.run(recipe, "--fresh")
    ends = [hunted.report["bad"]["commit"] for hunted in (first, again, fresh)]
    assert ends == [project[8], project[8], project[9]]
    assert fresh.culprit == first.culprit == project[6]
