"""What is to blame where the environments of a commit and its parent differ: the code, a release, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Making, Repository
    from tests.engine_proof.conftest import Shop

FOUND, UNSURE = 0, 3
BREAKS = "def call(): raise KeyError('gone')"
WORKS = "def call(): return 1"
INSTALL = "install: {mode: pythonpath, module: proj}"
REPRO = 'repro: python -c "import proj; proj.run()"'
OF_ITS_DATE = "dependencies: {requirements: [dep, other], as_of: commit}"
CALLS = "import dep\ndef run(): return dep.call()\n"


def history(making: Making, rows: str = "1..9", code: dict[int, str] | None = None) -> Repository:
    """A project that calls a dependency; `code` from a commit on."""
    changed = {1: CALLS, **(code or {})}
    return making.repository(
        rows, files={number: {"proj/__init__.py": text} for number, text in changed.items()}
    )


def test_a_release_between_two_commits_is_named_and_no_commit(making: Making, shop: Shop) -> None:
    project = history(making)
    shop.publish("dep", "1.0", 1, WORKS)
    shop.publish("other", "1.0", 1)
    for version, body in (("1.1", WORKS), ("1.2", WORKS), ("1.3", BREAKS), ("1.4", BREAKS), ("1.5", BREAKS)):
        shop.publish("dep", version, 6, body)
    shop.publish("other", "2.0", 6)
    shop.publish("third", "1.0", 6)
    hunted = shop.hunt(project, 1, 9, INSTALL, REPRO, OF_ITS_DATE)
    assert hunted.status == FOUND, hunted.words
    assert hunted.report["outcome"] == "dependency"
    assert hunted.report["dependency"] == {"name": "dep", "good": "1.2", "bad": "1.3"}
    assert hunted.culprit is None
    assert hunted.report["confirmation"] is None
    assert "dep 1.2 -> 1.3 breaks every commit it was tried with" in hunted.report["message"]
    assert "no commit of this repository is to blame" in hunted.report["message"]
    assert project[6][:12] not in hunted.report["message"]
    assert "it works at the bad end" in hunted.notices
    assert hunted.report["environment"]["changed"] == ["dep 1.2 -> 1.3"]


def test_a_pin_that_brings_the_release(making: Making, shop: Shop) -> None:
    """The pin changes the version at a commit, with nothing in between that was uploaded on the way."""
    project = history(making)
    for version, body in (("1.0", WORKS), ("1.1", WORKS), ("1.2", BREAKS), ("2.0", BREAKS)):
        shop.publish("dep", version, 1, body)
    pins = f"pins: [{{since: {project[4]}, requirements: ['dep==2.0']}}]"
    hunted = shop.hunt(project, 1, 9, INSTALL, REPRO, "dependencies: {requirements: ['dep==1.0']}", pins)
    assert hunted.status == FOUND, hunted.words
    assert hunted.report["dependency"] == {"name": "dep", "good": "1.1", "bad": "1.2"}
    assert hunted.culprit is None
    assert f"ended at {project[4][:12]} because trials had dep 1.0 -> 2.0" in hunted.notices


def test_the_code_decides_although_the_environments_differ(making: Making, shop: Shop) -> None:
    project = history(making, code={6: "import dep\ndef run(): raise KeyError('gone')\n"})
    shop.publish("dep", "1.0", 1, WORKS)
    shop.publish("dep", "2.0", 6, WORKS)
    shop.publish("other", "1.0", 1)
    hunted = shop.hunt(project, 1, 9, INSTALL, REPRO, OF_ITS_DATE)
    assert (hunted.status, hunted.culprit) == (FOUND, project[6]), hunted.words
    assert "in the same environment just so: dep 1.0 -> 2.0 makes no difference" in hunted.report["message"]
    assert hunted.report["dependency"] is None


def test_code_that_breaks_only_with_the_release_of_its_day(making: Making, shop: Shop) -> None:
    """It calls what the release no longer has: neither alone is to blame, and nobody is."""
    project = history(making, code={1: "def run(): pass\n", 6: CALLS})
    shop.publish("dep", "1.0", 1, WORKS)
    shop.publish("dep", "2.0", 6, BREAKS)
    shop.publish("other", "1.0", 1)
    hunted = shop.hunt(project, 1, 9, INSTALL, REPRO, OF_ITS_DATE)
    assert hunted.status == UNSURE, hunted.words
    assert hunted.report["outcome"] == "unconfirmed"
    assert "does it by itself: it fails only with both" in hunted.report["message"]


def test_a_parent_that_stood_on_the_second_rung(making: Making, shop: Shop) -> None:
    """The old commits cannot be installed with today's releases; those of their date work, today's do not."""
    project = history(making)
    for version, body in (("1.0", WORKS), ("1.1", BREAKS), ("2.0", BREAKS)):
        shop.publish("dep", version, 1, body)
    shop.publish("old", "1.0", 1, requires=["dep<1.1"])
    shop.publish_broken("old", "2.0", 20)
    pins = f"pins: [{{before: {project[5]}, requirements: [old]}}]"
    hunted = shop.hunt(project, 1, 9, INSTALL, REPRO, "dependencies: {requirements: ['dep<2']}", pins)
    assert hunted.status == FOUND, hunted.words
    assert hunted.report["dependency"] == {"name": "dep", "good": "1.0", "bad": "1.1"}
