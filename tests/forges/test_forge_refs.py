"""The published heads: equal shas, merged heads, and the originals of what a rebase rewrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from bisector.forges.forge import Notice
from bisector.forges.landing import Remote, find_pull_request
from bisector.forges.repository import recognise
from bisector.model import Commit, FoundBy, PullRequest

MakeCommit = Callable[..., Commit]
GITHUB = recognise("https://github.com/o/n", {})
MAIN = "a" * 40


class Published:
    """Heads by number and the commits that can be looked at; counts what was asked."""

    def __init__(self, heads: dict[str, str], commits: Sequence[Commit] = ()) -> None:
        self.heads = heads
        self.commits = {commit.sha: commit for commit in commits}
        self.patterns: list[str] = []
        self.described: list[str] = []

    def list_refs(self, patterns: Sequence[str]) -> Sequence[tuple[str, str]]:
        self.patterns += patterns
        return list(self.heads.items())

    def describe(self, shas: Sequence[str]) -> Sequence[Commit]:
        self.described += shas
        return [self.commits[sha] for sha in shas if sha in self.commits]

    def number_of(self, culprit: Commit, merges: Sequence[Commit] = (), repo: str = "") -> int | str | None:
        repository = recognise(repo, {}) if repo else GITHUB
        remote = Remote(self.list_refs, self.describe)
        found = find_pull_request(repository, culprit, merges, remote)
        assert found is None or (isinstance(found, PullRequest) and found.found_by is FoundBy.REFS)
        return found.number if found else None


@pytest.mark.parametrize(
    ("repo", "ref", "glob"),
    [
        ("https://github.com/o/n", "refs/pull/12/head", "refs/pull/*/head"),
        ("https://codeberg.org/o/n", "refs/pull/12/head", "refs/pull/*/head"),
        ("https://gitlab.com/o/n", "refs/merge-requests/12/head", "refs/merge-requests/*/head"),
        ("https://h.org/scm/P/n.git", "refs/pull-requests/12/from", "refs/pull-requests/*/from"),
        ("https://review.h.org/n", "refs/changes/12/12/3", "refs/changes/*"),
        ("../n", "refs/merge-requests/12/head", "refs/merge-requests/*/head"),
    ],
)
def test_head_itself(repo: str, ref: str, glob: str, commit: MakeCommit) -> None:
    culprit = commit()
    published = Published({"refs/heads/main": culprit.sha, ref: culprit.sha})
    assert published.number_of(culprit, repo=repo) == 12
    assert glob in published.patterns
    assert published.described == []


def test_first_of_several_with_the_same_head(commit: MakeCommit) -> None:
    culprit = commit()
    heads = {"refs/pull/100/head": culprit.sha, "refs/pull/20/head": culprit.sha}
    assert Published(heads).number_of(culprit) == 20


def test_merge_with_words_of_its_own(commit: MakeCommit) -> None:
    merge = commit("Bring in the parser", sha="d" * 40, parents=(MAIN, "b" * 40))
    assert Published({"refs/pull/12/head": "b" * 40}).number_of(commit(), [merge]) == 12
    assert Published({"refs/pull/12/head": "b" * 40}).number_of(merge) == 12


def test_octopus_names_no_single_one(commit: MakeCommit) -> None:
    merge = commit("Merge #12 #34", sha="d" * 40, parents=(MAIN, "b" * 40, "e" * 40))
    heads = {"refs/pull/12/head": "b" * 40, "refs/pull/34/head": "e" * 40}
    assert Published(heads).number_of(commit(), [merge]) is None


def test_rebased_head(commit: MakeCommit) -> None:
    culprit = commit("Fix it", written=0, landed=3)
    original = commit("Fix it", sha="1" * 40, written=0)
    assert Published({"refs/pull/12/head": original.sha}, [original]).number_of(culprit) == 12


def test_rebased_in_the_middle_of_its_branch(commit: MakeCommit) -> None:
    culprit = commit("Fix it", written=0, landed=3)
    original = commit("Fix it", sha="1" * 40, written=0)
    later = commit("Test it", sha="2" * 40, parents=(original.sha,), written=1)
    last = commit("Tell of it", sha="3" * 40, parents=(later.sha,), written=2)
    heads = {"refs/pull/12/head": last.sha}
    assert Published(heads, [original, later, last]).number_of(culprit) == 12


def test_stacked_on_another(commit: MakeCommit) -> None:
    """Both hold the original; the one whose head is nearer is the one it was written for."""
    culprit = commit("Fix it", written=0, landed=3)
    original = commit("Fix it", sha="1" * 40, written=0)
    above = commit("More", sha="2" * 40, parents=(original.sha,), written=1)
    heads = {"refs/pull/5/head": above.sha, "refs/pull/12/head": original.sha}
    assert Published(heads, [original, above]).number_of(culprit) == 12


def test_backport_after_the_landing(commit: MakeCommit) -> None:
    culprit = commit("Fix it", written=0, landed=3)
    backport = commit("Fix it", sha="1" * 40, written=0, landed=30)
    assert Published({"refs/pull/40/head": backport.sha}, [backport]).number_of(culprit) is None


def test_branch_that_grew_from_the_culprit(commit: MakeCommit) -> None:
    culprit = commit("Fix it", written=0, landed=0.2)
    later = commit("Other work", sha="2" * 40, parents=(culprit.sha,), written=0.3)
    assert Published({"refs/pull/40/head": later.sha}, [later, culprit]).number_of(culprit) is None


@pytest.mark.parametrize(
    ("subject", "written"),
    [("Fix another", 0.0), ("Fix it", 0.001)],
    ids=["same minute, other title", "same title, other minute"],
)
def test_neither_date_nor_title_is_enough(subject: str, written: float, commit: MakeCommit) -> None:
    other = commit(subject, sha="1" * 40, written=written)
    culprit = commit("Fix it", written=0, landed=3)
    assert Published({"refs/pull/12/head": other.sha}, [other]).number_of(culprit) is None


def test_heads_of_other_times_are_not_followed(commit: MakeCommit) -> None:
    """A forge publishes heads of years; only those made while the culprit was under way are walked."""
    culprit = commit("Fix it", written=0, landed=3)
    old = commit("Old", sha="1" * 40, parents=("4" * 40,), written=-400)
    new = commit("New", sha="2" * 40, parents=("5" * 40,), written=400)
    published = Published({"refs/pull/1/head": old.sha, "refs/pull/99/head": new.sha}, [old, new])
    assert published.number_of(culprit) is None
    assert set(published.described) == {old.sha, new.sha}


def test_a_walk_without_end_is_ended(commit: MakeCommit) -> None:
    """A chain that never leaves the time in question, as after a move from another version control."""
    chain = [commit("Move", sha=f"{i:040x}", parents=(f"{i + 1:040x}",), written=0.5) for i in range(1, 5000)]
    published = Published({"refs/pull/1/head": chain[0].sha}, chain)
    assert published.number_of(commit("Fix it", written=0, landed=3)) is None
    assert len(published.described) == 100


def test_a_remote_out_of_reach(commit: MakeCommit, broken_remote: Remote) -> None:
    found = find_pull_request(GITHUB, commit(), (), broken_remote)
    assert found == Notice("the heads of the pull requests could not be read: no route to [31mhost")
