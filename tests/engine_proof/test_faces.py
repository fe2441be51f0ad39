"""Other failures between the good commits and the hunted one: the same regression, or something that hides it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Making, Repository
    from tests.engine_proof.conftest import Hunted, Shop

FOUND, UNSURE = 0, 3
INSTALL = "install: {mode: pythonpath, module: proj}"
REPRO = 'repro: python -c "import proj; assert proj.run() == 1"'
WORKS = "VALUE = 1\n\n\n\ndef run():\n    pass\n    return VALUE\n"
STUB = WORKS.replace("    pass\n", "    raise ValueError('to be written')\n")


def wrong(text: str) -> str:
    return text.replace("VALUE = 1", "VALUE = 0")


def history(making: Making, code: Mapping[int, str], *, numbered: bool = True) -> Repository:
    """Twelve commits in a line; `numbered`: each changes a file that has nothing to do with it."""
    files = {number: {"proj/__init__.py": text} for number, text in {1: WORKS, **code}.items()}
    if numbered:
        return making.repository("1..12", files=files)
    made = making.empty()
    made.grow("1..12", lambda number: files.get(number, {f"notes/{number}": ""}))
    return made


def suspected(hunted: Hunted, project: Repository) -> list[int]:
    return sorted(project.number(sha) for sha in hunted.report["suspects"])


def test_what_hides_the_culprit_is_not_named(making: Making, shop: Shop) -> None:
    """It came before the culprit and went after it: without it the commit that brought it works."""
    project = history(making, {4: STUB, 6: wrong(STUB), 9: wrong(WORKS)})
    hunted = shop.hunt(project, 1, 12, INSTALL, REPRO)
    assert hunted.status == UNSURE, hunted.words
    assert suspected(hunted, project) == [4, 5, 6, 7, 8, 9]
    assert "hides the hunted failure" in hunted.notices
    assert "changed its face" not in hunted.notices
    tried = [(project.number(one["commit"]), one["verdict"]) for one in hunted.report["trials"]]
    assert {verdict for number, verdict in tried if 4 <= number <= 8} == {"skip", "good"}


def test_what_the_report_advises_finds_the_culprit(making: Making, shop: Shop) -> None:
    project = history(making, {4: STUB, 6: wrong(STUB), 9: wrong(WORKS)}, numbered=False)
    hunted = shop.hunt(project, 1, 12, INSTALL, REPRO)
    advice = hunted.notices.split("`")[1]
    assert advice.startswith("fixups: ")
    again = shop.hunt(project, 1, 12, INSTALL, REPRO, advice)
    assert again.status == FOUND, again.words
    assert again.culprit == project[6]


def test_a_bug_that_changed_its_face_began_where_the_first_one_did(making: Making, shop: Shop) -> None:
    """The change that ended the other failure shows the hunted one at the culprit too."""
    first = wrong(WORKS).replace("    pass\n", "    assert VALUE, VALUE.missing\n")
    project = history(making, {5: first, 9: wrong(WORKS)})
    hunted = shop.hunt(project, 1, 12, INSTALL, REPRO)
    assert (hunted.status, hunted.culprit) == (FOUND, project[5]), hunted.words
    assert "changed its face" in hunted.notices


def test_commits_that_showed_another_face_are_no_suspects_that_were_not_tried(
    making: Making, shop: Shop
) -> None:
    """As long as it is another failure they are a stretch that cannot be tested, of which only some are tried."""
    first = wrong(WORKS).replace("    pass\n", "    assert VALUE, VALUE.missing\n")
    code = {1: WORKS, 5: first, 110: wrong(WORKS)}
    files = {number: {"proj/__init__.py": text} for number, text in code.items()}
    project = making.repository("1..120", files=files)
    hunted = shop.hunt(project, 1, 120, INSTALL, REPRO)
    assert (hunted.status, hunted.culprit) == (FOUND, project[5]), hunted.words
    assert "changed its face" in hunted.notices
    assert len(hunted.report["trials"]) < 60, "else all were tried"
    assert "were not tried" not in hunted.words + hunted.notices


def test_suspects_that_were_not_tried_are_told(making: Making, shop: Shop) -> None:
    broken = WORKS.replace("    pass\n", "    import gone_for_good\n")
    code = {1: WORKS, 5: broken, 110: wrong(WORKS)}
    files = {number: {"proj/__init__.py": text} for number, text in code.items()}
    project = making.repository("1..120", files=files)
    hunted = shop.hunt(project, 1, 120, INSTALL, REPRO, "verdict: {skip_if: gone_for_good}")
    assert hunted.status == UNSURE, hunted.words
    assert suspected(hunted, project) == [*range(5, 111)]
    assert "of the suspects were not tried" in hunted.notices


def test_where_it_cannot_be_seen_the_report_says_so(making: Making, shop: Shop) -> None:
    """The change that ended the other failure rests on one that came after the culprit."""
    raises = wrong(WORKS).replace("    pass\n", "    raise KeyError(VALUE)\n")
    moved = raises.replace("    return VALUE\n", "    return  VALUE\n")
    project = history(making, {5: raises, 7: moved, 9: "VALUE = 0\ndef run(): return VALUE\n"})
    hunted = shop.hunt(project, 1, 12, INSTALL, REPRO)
    assert (hunted.status, hunted.culprit) == (FOUND, project[5]), hunted.words
    assert "could not be seen" in hunted.notices
    assert (
        "whether that only hides what a commit in between did could not be shown" in hunted.report["message"]
    )


def test_what_hides_the_culprit_is_no_suspect_instead_of_it(making: Making, shop: Shop) -> None:
    """It came with a merge of another history, which cannot be tested and so keeps it from being named."""
    away = {20: {"proj/extra.py": ""}, 21: {"extra.py": ""}}
    other = {4: STUB, 6: wrong(STUB), 9: wrong(WORKS)}
    files = {number: {"proj/other.py": text} for number, text in other.items()}
    first = {"proj/__init__.py": "from proj.other import run\n", "proj/other.py": WORKS}
    project = making.empty()
    graph = {**away, 1: first, **files}
    project.grow("1..3;20 21;3+21 4;4 5..12", lambda number: graph.get(number, {f"notes/{number}": ""}))
    hunted = shop.hunt(project, 1, 12, INSTALL, REPRO)
    assert hunted.status == UNSURE, hunted.words
    assert suspected(hunted, project) == [4, 5, 6, 7, 8, 9, 20, 21]
    assert "hides the hunted failure" in hunted.notices
