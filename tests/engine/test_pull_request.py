"""From a hunt's culprit to its pull request: by words, by merges, by the heads that a forge publishes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from bisector.model import Account, FoundBy, Judgement

if TYPE_CHECKING:
    from tests.conftest import Making, Repository
    from tests.engine.conftest import Planting

GITLAB = "https://gitlab.invalid/team/project"
"""A host that nobody can reach: what the API would tell is missing, and is one line in the report."""
Hunting = Callable[..., Account]


@pytest.fixture
def project(making: Making) -> Repository:
    """The culprit is 8, on a side branch."""
    made = making.repository("1..6; 3 7 8 9; 6+9 10 11")
    made.tag("old", 2)
    return made


def reworded(project: Repository, number: int, message: str, *parents: str) -> str:
    """A commit like that one, said otherwise or on other parents; when it was written stays."""
    written = project.git("show", "-s", "--format=%aI", project[number])
    above = [word for parent in parents for word in ("-p", parent)]
    tree = f"{project[number]}^{{tree}}"
    committed = {"GIT_AUTHOR_DATE": written, "GIT_COMMITTER_DATE": written}
    return project.git("commit-tree", tree, *above, "-m", message, variables=committed)


@pytest.fixture
def hunting(planted: Planting) -> Hunting:
    def hunt(project: Repository, culprit: str, new: str, url: str | None = None) -> Account:
        project.git("update-ref", "refs/heads/main", new)
        worse = project.git("rev-list", "--ancestry-path", f"{culprit}..{new}").split()

        def know(sha: str) -> Judgement:
            return Judgement.NEW if sha in {culprit, *worse} else Judgement.OLD

        plant = planted(project.path, know, url)
        row = plant.row(f"repo: {url or project.path}\ngood: old\nbad: main\nrepro: x\n")
        account = plant.hunt(row).account
        assert account.culprit is not None
        assert account.culprit.commit.sha == culprit
        return account

    return hunt


@pytest.mark.parametrize(
    ("subject", "number"),
    [
        pytest.param("Spare a copy (#123)", 123, id="a squash on GitHub"),
        pytest.param("Spare a copy\n\nSee merge request team/project!45", 45, id="a squash on GitLab"),
    ],
)
def test_the_culprits_own_words(project: Repository, hunting: Hunting, subject: str, number: int) -> None:
    culprit = reworded(project, 6, subject, project[5])
    account = hunting(project, culprit, culprit)
    assert account.culprit is not None
    pull = account.culprit.pull_request
    assert pull is not None
    assert (pull.number, pull.found_by) == (number, FoundBy.SUBJECT)


@pytest.mark.parametrize(
    ("message", "number"),
    [
        pytest.param("Merge pull request #12 from ada/faster\n\nFaster", 12, id="GitHub"),
        pytest.param(
            "Merge branch 'faster' into 'main'\n\nFaster\n\nSee merge request team/project!34",
            34,
            id="GitLab",
        ),
    ],
)
def test_the_merge_that_brought_it_in(
    project: Repository, hunting: Hunting, message: str, number: int
) -> None:
    merge = reworded(project, 10, message, project[6], project[9])
    later = reworded(project, 11, "something else (#99)", merge)
    account = hunting(project, project[8], later)
    assert account.culprit is not None
    pull = account.culprit.pull_request
    assert pull is not None
    assert (pull.number, pull.found_by) == (number, FoundBy.MERGE)


def test_the_published_head_that_the_merge_joined(project: Repository, hunting: Hunting) -> None:
    project.git("update-ref", "refs/merge-requests/77/head", project[9])
    project.git("update-ref", "refs/merge-requests/78/head", project[4])
    account = hunting(project, project[8], project[11], GITLAB)
    assert account.culprit is not None
    pull = account.culprit.pull_request
    assert pull is not None
    assert (pull.number, pull.found_by) == (77, FoundBy.REFS)
    assert pull.url == f"{GITLAB}/-/merge_requests/77"
    assert account.culprit.url == f"{GITLAB}/-/commit/{project[8]}"
    assert any("gitlab.invalid" in notice for notice in account.notices)


def test_a_rebase_is_found_by_what_it_was_before(project: Repository, hunting: Hunting) -> None:
    original = reworded(project, 8, "Spare a copy", project[3])
    head = reworded(project, 9, "And a test", original)
    project.git("update-ref", "refs/merge-requests/5/head", head)
    project.git("update-ref", "refs/merge-requests/4/head", project[2])
    rebased = reworded(project, 8, "Spare a copy", project[6])
    later = reworded(project, 11, "something else", rebased)
    account = hunting(project, rebased, later, GITLAB)
    assert account.culprit is not None
    pull = account.culprit.pull_request
    assert pull is not None
    assert (pull.number, pull.found_by) == (5, FoundBy.REFS)


def test_no_pull_request_is_nothing_to_make_up(project: Repository, hunting: Hunting) -> None:
    account = hunting(project, project[5], project[6])
    assert account.culprit is not None
    assert account.culprit.pull_request is None
