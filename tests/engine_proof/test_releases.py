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
