"""The hunt's own git bisect: what it asks, where it stands, and a log that git replays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.errors import MachineFault
from bisector.git.ledger import Answer, First, Ledger, OnlySkipped, Open, open_ledger
from bisector.git.mirror import Mirror
from bisector.model import Judgement, Terms

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

Opening = Callable[..., Ledger]


@pytest.fixture
def ledger_of(tmp_path: Path, mirror_of: Callable[[Repository], Mirror]) -> Opening:
    def make(
        project: Repository,
        *,
        terms: Terms | None = None,
        first_parent: bool = False,
        paths: Sequence[str] = (),
    ) -> Ledger:
        mirror = mirror_of(project)
        folder = tmp_path / "hunt"
        return open_ledger(mirror, "h", folder, terms or Terms(), first_parent=first_parent, paths=paths)

    return make


def ideal(
    project: Repository, culprit: int, skips: Iterable[int] = (), asked: list[int] | None = None
) -> Callable[[str], Answer]:
    def answer(sha: str) -> Answer:
        number = project.number(sha)
        if asked is not None:
            asked.append(number)
        if number in skips:
            return Answer.SKIP
        return Answer.NEW if project.has(culprit, number) else Answer.OLD

    return answer


def replayed(project: Repository, ledger: Ledger, tmp_path: Path) -> str:
    """Git's own log of the replay, in a clone. Its status is 1 or 2 where nothing was left to ask."""
    clone = tmp_path / "clone"
    project.git("clone", "--quiet", "--shared", "--no-checkout", str(project.path), str(clone))
    log = tmp_path / "log"
    log.write_text(ledger.log())
    project.git("-C", str(clone), "bisect", "replay", str(log), check=False)
    return project.git("-C", str(clone), "bisect", "log")


CRISS_CROSS = "1..4; 2 5 6; 4+6 7; 6+4 8; 7 9 10; 8 11; 10+11 12..14"


@pytest.mark.parametrize(
    ("rows", "culprit"),
    [
        pytest.param("1..2", 2, id="two commits"),
        pytest.param("1..40", 17, id="a line"),
        pytest.param("1..40", 40, id="the new end itself"),
        pytest.param("1..40", 2, id="the first after the old end"),
        pytest.param("1..9; 3 10..15; 9+15 16..20", 12, id="on a side branch"),
        pytest.param("1..9; 3 10..15; 9+15 16..20", 16, id="the merge itself"),
        pytest.param(CRISS_CROSS, 7, id="one merge of a criss-cross"),
        pytest.param(CRISS_CROSS, 8, id="the other merge of a criss-cross"),
        pytest.param(CRISS_CROSS, 5, id="below a criss-cross"),
        pytest.param("1..5; 6..9; 5+9 10..12", 8, id="on a second root"),
        pytest.param("1..5; 6..9; 5+9 10..12", 6, id="a second root itself"),
    ],
)
def test_git_is_led_to_the_culprit_and_its_log_replays(
    making: Making, ledger_of: Opening, tmp_path: Path, rows: str, culprit: int
) -> None:
    project = making.repository(rows)
    ledger = ledger_of(project)
    ledger.start(project[max(project.shas)], [project[1]], [])
    assert ledger.drive(ideal(project, culprit)) == First(project[culprit])
    assert f"first bad commit: [{project[culprit]}]" in replayed(project, ledger, tmp_path)


def test_it_stops_when_told_and_goes_on_where_it_was(making: Making, ledger_of: Opening) -> None:
    project = making.repository("1..60")
    asked: list[int] = []
    ledger = ledger_of(project)
    ledger.start(project[60], [project[1]], [])
    know = ideal(project, 23, asked=asked)
    standing = ledger.drive(lambda sha: Answer.STOP if len(asked) == 3 else know(sha))
    assert isinstance(standing, Open)
    assert len(asked) == 3
    assert ledger.drive(know) == First(project[23])
    assert len(asked) == len(set(asked))


def test_verdicts_that_git_did_not_ask_for_count(making: Making, ledger_of: Opening) -> None:
    project = making.repository("1..60")
    ledger = ledger_of(project)
    ledger.start(project[60], [project[1]], [])
    ledger.record(Judgement.OLD, project[22])
    assert ledger.standing() == Open(38)
    ledger.record(Judgement.NEW, project[24])
    assert ledger.standing() == Open(2)
    ledger.record(Judgement.NEW, project[23])
    assert ledger.standing() == First(project[23])


def test_only_untestable_commits_left_are_the_suspects(
    making: Making, ledger_of: Opening, tmp_path: Path
) -> None:
    project = making.repository("1..30")
    ledger = ledger_of(project)
    ledger.start(project[30], [project[1]], [])
    standing = ledger.drive(ideal(project, 12, skips=range(10, 14)))
    assert isinstance(standing, OnlySkipped)
    assert project.numbers(standing.shas) == {10, 11, 12, 13, 14}
    assert standing.shas[0] == project[14]
    assert "only skipped commits left" in replayed(project, ledger, tmp_path)


@pytest.mark.parametrize("skips", [[15], [14, 15, 16], [2], [29], list(range(2, 12))], ids=str)
def test_what_the_recipe_says_to_skip_is_never_asked(
    making: Making, ledger_of: Opening, skips: list[int]
) -> None:
    project = making.repository("1..30")
    asked: list[int] = []
    ledger = ledger_of(project)
    ledger.start(project[30], [project[1]], [project[number] for number in skips])
    assert ledger.drive(ideal(project, 20, asked=asked)) == First(project[20])
    assert not set(asked) & set(skips)


def test_all_between_the_ends_skipped_leaves_nothing_to_ask(making: Making, ledger_of: Opening) -> None:
    project = making.repository("1..5")
    ledger = ledger_of(project)
    ledger.start(project[5], [project[1]], [project[2], project[3], project[4]])
    standing = ledger.standing()
    assert isinstance(standing, OnlySkipped)
    assert project.numbers(standing.shas) == {2, 3, 4, 5}


def test_first_parent_names_the_merge_and_never_looks_inside(
    making: Making, ledger_of: Opening, tmp_path: Path
) -> None:
    project = making.repository("1..9; 3 10..15; 9+15 16..20")
    asked: list[int] = []
    ledger = ledger_of(project, first_parent=True)
    ledger.start(project[20], [project[1]], [])
    assert ledger.drive(ideal(project, 12, asked=asked)) == First(project[16])
    assert not set(asked) & set(range(10, 16))
    assert project[16] in replayed(project, ledger, tmp_path)


@pytest.mark.parametrize(
    "terms", [Terms("fast", "slow"), Terms("broken", "fixed"), Terms("old", "new"), Terms("works", "is-hung")]
)
def test_own_terms_stand_in_gits_log(
    making: Making, ledger_of: Opening, tmp_path: Path, terms: Terms
) -> None:
    project = making.repository("1..20")
    ledger = ledger_of(project, terms=terms)
    ledger.start(project[20], [project[1]], [])
    assert ledger.drive(ideal(project, 7)) == First(project[7])
    assert f"git bisect {terms.new} {project[7]}" in ledger.log()
    assert project[7] in replayed(project, ledger, tmp_path)


def test_a_term_that_begins_like_the_other_is_not_taken_for_it(making: Making, ledger_of: Opening) -> None:
    project = making.repository("1..20")
    ledger = ledger_of(project, terms=Terms("ok", "ok-no-more"))
    ledger.start(project[20], [project[1]], [])
    assert ledger.drive(ideal(project, 7)) == First(project[7])


def test_paths_leave_only_commits_that_touch_them(making: Making, ledger_of: Opening, tmp_path: Path) -> None:
    touching = (3, 8, 12, 15, 18)
    files = {number: {"src/part.py": f"{number}\n"} for number in touching}
    project = making.repository("1..20", files=files)
    asked: list[int] = []
    ledger = ledger_of(project, paths=["src"])
    ledger.start(project[20], [project[1]], [])
    assert ledger.drive(ideal(project, 12, asked=asked)) == First(project[12])
    assert set(asked) <= set(touching)
    assert project[12] in replayed(project, ledger, tmp_path)


def test_a_path_with_a_space_and_one_that_looks_like_an_option(making: Making, ledger_of: Opening) -> None:
    files = {5: {"a b/--c.py": "5\n"}, 9: {"a b/--c.py": "9\n"}, 14: {"a b/--c.py": "14\n"}}
    project = making.repository("1..20", files=files)
    ledger = ledger_of(project, paths=["a b/--c.py", "--d"])
    ledger.start(project[20], [project[1]], [])
    assert ledger.drive(ideal(project, 9)) == First(project[9])


def test_starting_again_forgets_what_was(making: Making, ledger_of: Opening) -> None:
    project = making.repository("1..20")
    ledger = ledger_of(project)
    ledger.start(project[20], [project[1]], [project[10]])
    ledger.record(Judgement.OLD, project[5])
    ledger.start(project[18], [project[2]], [])
    assert ledger.standing() == Open(16)
    assert project[5] not in ledger.log()


@pytest.mark.parametrize("left", ["BISECT_HEAD.lock", "refs/bisect/bad.lock"])
def test_what_a_killed_git_was_about_to_write_is_in_nobody_s_way(
    making: Making, ledger_of: Opening, left: str
) -> None:
    project = making.repository("1..9")
    begun = ledger_of(project)
    begun.start(project[9], [project[1]], [])
    lock = begun.git.git_dir / left
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text("half")
    ledger = ledger_of(project)
    ledger.start(project[9], [project[1]], [])
    assert ledger.drive(ideal(project, 5)) == First(project[5])


def test_two_hunts_bisect_side_by_side_on_one_mirror(
    making: Making, mirror_of: Callable[[Repository], Mirror], tmp_path: Path
) -> None:
    project = making.repository("1..30")
    mirror = mirror_of(project)
    one, other = (
        open_ledger(mirror, name, tmp_path / name, Terms(), first_parent=False, paths=()) for name in "ab"
    )
    one.start(project[30], [project[1]], [])
    other.start(project[20], [project[3]], [])
    one.record(Judgement.OLD, project[15])
    other.record(Judgement.NEW, project[12])
    assert (one.standing(), other.standing()) == (Open(15), Open(9))
    assert one.drive(ideal(project, 25)) == First(project[25])
    assert other.drive(ideal(project, 9)) == First(project[9])
    mirror.fetch(print)
    assert one.standing() == First(project[25])


def test_contradicting_verdicts_are_gits_to_refuse(making: Making, ledger_of: Opening) -> None:
    project = making.repository("1..30")
    ledger = ledger_of(project)
    ledger.start(project[30], [project[1]], [])
    ledger.record(Judgement.NEW, project[10])
    with pytest.raises(MachineFault):
        ledger.record(Judgement.OLD, project[20])


def test_a_commit_that_is_missing_ends_it_in_words(making: Making, ledger_of: Opening) -> None:
    project = making.repository("1..30")
    ledger = ledger_of(project)
    ledger.start(project[30], [project[1]], [])
    sha = project[11]
    for objects in (project.path / ".git" / "objects", ledger.git.git_dir.parents[1] / "objects"):
        (objects / sha[:2] / sha[2:]).unlink(missing_ok=True)
    with pytest.raises(MachineFault, match="incomplete"):
        ledger.drive(ideal(project, 9))


@pytest.mark.parametrize("answer", [Answer.NEW, Answer.OLD])
def test_an_answer_that_git_cannot_keep_is_not_asked_for_again_and_again(
    making: Making, ledger_of: Opening, answer: Answer
) -> None:
    """As on a full disk: the refs cannot be written, so git would begin where it began before."""
    project = making.repository("1..9", culprit=5)
    ledger = ledger_of(project)
    ledger.start(project[9], [project[1]], [])
    refs = ledger.git.git_dir / "refs" / "bisect"
    asked: list[str] = []

    def answered(sha: str) -> Answer:
        for name in ("bad", f"good-{sha}"):
            (refs / f"{name}.lock").touch()
        asked.append(sha)
        return answer

    with pytest.raises(MachineFault, match="did not keep an answer"):
        ledger.drive(answered)
    assert asked == [project[5]]
