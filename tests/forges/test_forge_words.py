"""What messages say of pull requests: one row a habit, each with a name to read aloud."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from bisector.forges.landing import Remote, find_pull_request
from bisector.forges.repository import Repository, recognise
from bisector.model import Commit, FoundBy, PullRequest

GITHUB = "https://github.com/o/n"
GITLAB = "https://gitlab.com/g/s/n"
GITEA = "https://codeberg.org/o/n"
BITBUCKET = "https://bitbucket.org/o/n"
SERVER = "https://stash.example.org/scm/PROJ/n.git"
AZURE = "https://dev.azure.com/org/proj/_git/n"
GERRIT = "https://review.example.org/n"
PHABRICATOR = "https://phabricator.example.org/diffusion/N/n.git"
PLAIN = "https://git.example.org/n.git"
CHANGE_ID = "I" + "0123456789" * 4


class Row(NamedTuple):
    repo: str
    subject: str
    body: str
    number: int | str
    title: str | None
    url: str | None


NAMED = {
    "squash": Row(GITHUB, "Fix it (#12)", "", 12, "Fix it", f"{GITHUB}/pull/12"),
    "squash, backport": Row(GITHUB, "Fix it (#12) (#34)", "", 34, "Fix it (#12)", f"{GITHUB}/pull/34"),
    "squash, revert": Row(
        GITHUB, 'Revert "Fix it (#12)" (#13)', "", 13, 'Revert "Fix it (#12)"', f"{GITHUB}/pull/13"
    ),
    "squash, CPython's": Row(
        GITHUB, "gh-9: Fix (GH-12) (#15)", "", 15, "gh-9: Fix (GH-12)", f"{GITHUB}/pull/15"
    ),
    "squash, GH- only": Row(GITHUB, "gh-9: Fix (GH-12)", "", 12, "gh-9: Fix", f"{GITHUB}/pull/12"),
    "squash, broken subject": Row(
        GITHUB, "Fix the very lo…", "…ng one (#12)\n\nWhy.", 12, "Fix the very long one", f"{GITHUB}/pull/12"
    ),
    "merge": Row(
        GITHUB, "Merge pull request #12 from a/b-c", "\nFix it\n", 12, "Fix it", f"{GITHUB}/pull/12"
    ),
    "merge without title": Row(GITHUB, "Merge pull request #12 from a/b", "", 12, None, f"{GITHUB}/pull/12"),
    "homu": Row(GITHUB, "Auto merge of #12 - a:b, r=c", "Fix it\n\nLong", 12, "Fix it", f"{GITHUB}/pull/12"),
    "homu in a rollup": Row(
        GITHUB, "Rollup merge of #12 - a:b, r=c", "Fix it", 12, "Fix it", f"{GITHUB}/pull/12"
    ),
    "bors": Row(GITHUB, "Merge #12", "12: Fix it r=ann a=bob\n\nLong", 12, "Fix it", f"{GITHUB}/pull/12"),
    "Apache's": Row(
        GITHUB,
        "[X-1] Fix it",
        "Why.\n\nCloses #12 from ann/X-1.\n\nSigned-off-by: A",
        12,
        "[X-1] Fix it",
        f"{GITHUB}/pull/12",
    ),
    "PR-URL": Row(
        GITHUB,
        "src: fix it",
        f"PR-URL: {GITHUB}/pull/12\nReviewed-By: A",
        12,
        "src: fix it",
        f"{GITHUB}/pull/12",
    ),
    "resolved by robot": Row(
        GITHUB,
        "Fix it",
        f"Pull Request resolved: {GITHUB}/pull/12\nApproved by: A",
        12,
        "Fix it",
        f"{GITHUB}/pull/12",
    ),
    "Gerrit's change, mirrored on GitHub": Row(
        GITHUB,
        "Fix it",
        f"Change-Id: {CHANGE_ID}\nReviewed-on: https://review.example.org/c/p/n/+/123\nTested-by: Z",
        123,
        "Fix it",
        "https://review.example.org/c/p/n/+/123",
    ),
    "LLVM's revision on GitHub": Row(
        GITHUB,
        "Fix it",
        "Differential Revision: https://reviews.example.org/D77",
        77,
        "Fix it",
        "https://reviews.example.org/D77",
    ),
    "merge request": Row(
        GITLAB,
        "Merge branch 'b' into 'main'",
        "Fix it\n\nCloses #4\n\nSee merge request g/s/n!12",
        12,
        "Fix it",
        f"{GITLAB}/-/merge_requests/12",
    ),
    "merge request, old form": Row(
        GITLAB,
        "Merge branch 'b' into 'main'",
        "Fix it\n\nSee merge request !12",
        12,
        "Fix it",
        f"{GITLAB}/-/merge_requests/12",
    ),
    "merge request of the origin, in a fork": Row(
        GITLAB,
        "Merge branch 'b' into 'main'",
        "See merge request up/n!12",
        12,
        None,
        "https://gitlab.com/up/n/-/merge_requests/12",
    ),
    "merge request, whole address": Row(
        GITLAB,
        "Fix it",
        "See merge request https://gl.example.org/g/n/-/merge_requests/12",
        12,
        "Fix it",
        "https://gl.example.org/g/n/-/merge_requests/12",
    ),
    "merge request in the subject": Row(
        GITLAB, "Fix it (!12)", "", 12, "Fix it", f"{GITLAB}/-/merge_requests/12"
    ),
    "Marge": Row(
        GITLAB,
        "Fix it",
        f"Part-of: <{GITLAB}/-/merge_requests/12>",
        12,
        "Fix it",
        f"{GITLAB}/-/merge_requests/12",
    ),
    "Gitea merge": Row(
        GITEA,
        "Merge pull request 'Fix (it)' (#12) from a/b into main",
        "",
        12,
        "Fix (it)",
        f"{GITEA}/pulls/12",
    ),
    "Gitea squash": Row(
        GITEA, "Fix it (#12)", f"Reviewed-on: {GITEA}/pulls/12", 12, "Fix it", f"{GITEA}/pulls/12"
    ),
    "Gitea rebase": Row(GITEA, "Fix it", f"Reviewed-on: {GITEA}/pulls/12", 12, "Fix it", f"{GITEA}/pulls/12"),
    "Bitbucket merge": Row(
        BITBUCKET,
        "Merged in ann/b (pull request #12)",
        "Fix it\n\n* more",
        12,
        "Fix it",
        f"{BITBUCKET}/pull-requests/12",
    ),
    "Bitbucket squash": Row(
        BITBUCKET, "Fix it (pull request #12)", "", 12, "Fix it", f"{BITBUCKET}/pull-requests/12"
    ),
    "Bitbucket Server merge": Row(
        SERVER,
        "Merge pull request #12 in PROJ/n from b to master",
        "* commit 'c0ffee':\n  Fix it",
        12,
        None,
        "https://stash.example.org/projects/PROJ/repos/n/pull-requests/12",
    ),
    "Bitbucket Server 7": Row(
        SERVER,
        "Pull request #12: Fix it",
        "Merge in PROJ/n from b to master\n\n* commit 'c0ffee':",
        12,
        "Fix it",
        "https://stash.example.org/projects/PROJ/repos/n/pull-requests/12",
    ),
    "Azure": Row(
        AZURE, "Merged PR 12: Fix it", "Related work items: #7", 12, "Fix it", f"{AZURE}/pullrequest/12"
    ),
    "Gerrit": Row(
        GERRIT,
        "Fix it",
        f"Change-Id: {CHANGE_ID}\nReviewed-on: https://review.example.org/c/n/+/123",
        123,
        "Fix it",
        "https://review.example.org/c/n/+/123",
    ),
    "Gerrit, old address": Row(
        GERRIT,
        "Fix it",
        "Reviewed-on: https://review.example.org/123",
        123,
        "Fix it",
        "https://review.example.org/123",
    ),
    "Gerrit, picked from another branch": Row(
        GERRIT,
        "Fix it",
        "Reviewed-on: https://review.example.org/c/n/+/123\n(cherry picked from commit c0ffee)\n"
        "Reviewed-on: https://review.example.org/c/n/+/456",
        456,
        "Fix it",
        "https://review.example.org/c/n/+/456",
    ),
    "Gerrit, a Change-Id alone": Row(
        GERRIT,
        "Fix it",
        f"Change-Id: {CHANGE_ID}",
        CHANGE_ID,
        "Fix it",
        f"https://review.example.org/q/{CHANGE_ID}",
    ),
    "Phabricator": Row(
        PHABRICATOR,
        "Fix it",
        "Differential Revision: https://phabricator.example.org/D12",
        12,
        "Fix it",
        "https://phabricator.example.org/D12",
    ),
    "Phabricator, short": Row(
        PHABRICATOR,
        "Fix it",
        "Differential Revision: D12",
        12,
        "Fix it",
        "https://phabricator.example.org/D12",
    ),
    "no forge, squash": Row(PLAIN, "Fix it (#12)", "", 12, "Fix it", None),
    "no forge, exclamation mark": Row(PLAIN, "Fix it (!12)", "", 12, "Fix it", None),
    "a local path, merge": Row("../n", "Merge pull request #12 from a/b", "Fix it", 12, "Fix it", None),
    "a local path, merge request": Row(
        "/srv/n", "Merge branch 'b' into 'main'", "Fix it\n\nSee merge request g/n!12", 12, "Fix it", None
    ),
    "unknown host, merge request": Row(
        "https://code.example.org/g/n.git",
        "Merge branch 'b' into 'main'",
        "See merge request g/n!12",
        12,
        None,
        "https://code.example.org/g/n/-/merge_requests/12",
    ),
    "unknown host, Gitea's sentence": Row(
        "https://code.example.org/o/n",
        "Merge pull request 'Fix' (#12) from b into main",
        "",
        12,
        "Fix",
        "https://code.example.org/o/n/pulls/12",
    ),
    "a title with escapes": Row(
        GITHUB, "Fix \x1b[31mit\u202e\x07 (#12)", "", 12, "Fix [31mit", f"{GITHUB}/pull/12"
    ),
}


@pytest.mark.parametrize("row", NAMED.values(), ids=NAMED.keys())
def test_named(row: Row, commit: Callable[..., Commit], no_remote: Remote) -> None:
    culprit = commit(row.subject, row.body)
    repository = recognise(row.repo, {}, [culprit])
    assert find_pull_request(repository, culprit, (), no_remote) == PullRequest(
        row.number, row.url, FoundBy.SUBJECT, row.title
    )


UNNAMED = {
    "an issue": (GITHUB, "Fix it (fixes #12)", ""),
    "several issues": (GITHUB, "Fix it (#12, #13)", ""),
    "in the middle": (GITHUB, "Fix (#12) at last", ""),
    "inside a revert's quotes": (GITHUB, 'Revert "Fix it (#12)"', "This reverts commit c0ffee."),
    "a revert of a merge": (GITHUB, 'Revert "Merge pull request #12 from a/b"', ""),
    "an issue closed in the body": (GITHUB, "Fix it", "Closes #12"),
    "zero": (GITHUB, "Fix it (#0)", ""),
    "not decimal": (GITHUB, "Fix it (#١٢)", ""),
    "as long as a line": (GITHUB, f"Fix it (#{'9' * 400})", ""),
    "bors, several": (GITHUB, "Merge #12 #34", "12: One r=a a=b\n\n34: Two r=a a=b"),
    "a branch": (GITHUB, "Merge branch 'main' into b", ""),
    "quoted trailer": (GITHUB, "Revert it", f"> PR-URL: {GITHUB}/pull/12"),
    "a Change-Id from somebody's hook": (GITHUB, "Fix it", f"Change-Id: {CHANGE_ID}"),
    "an address that no browser opens": (GITHUB, "Fix it", "Reviewed-on: javascript:alert(1)/pull/12"),
    "an issue's number on GitLab": (GITLAB, "Fix it (#12)", ""),
    "a merge request that is only talked of": (
        GITLAB,
        "Fix it",
        "As in !12. See merge request g/n!3 for more.",
    ),
    "a work item": (AZURE, "Fix it (#12)", ""),
    "Bitbucket's issue": (BITBUCKET, "Fix it (#12)", ""),
}


@pytest.mark.parametrize(("repo", "subject", "body"), UNNAMED.values(), ids=UNNAMED.keys())
def test_unnamed(
    repo: str, subject: str, body: str, commit: Callable[..., Commit], empty_remote: Remote
) -> None:
    culprit = commit(subject, body)
    assert find_pull_request(recognise(repo, {}), culprit, (), empty_remote) is None


def test_merge_further_up(commit: Callable[..., Commit], no_remote: Remote) -> None:
    merges = [
        commit("Merge branch 'main' into b"),
        commit("Merge pull request #12 from a/b", "Fix it"),
        commit("Merge pull request #99 from o/develop", "Release"),
    ]
    found = find_pull_request(_github(), commit("wip"), merges, no_remote)
    assert found == PullRequest(12, f"{GITHUB}/pull/12", FoundBy.MERGE, "Fix it")


def test_own_words_come_before_the_merge(commit: Callable[..., Commit], no_remote: Remote) -> None:
    merges = [commit("Merge pull request #99 from o/develop", "Release")]
    found = find_pull_request(_github(), commit("Fix it (#12)"), merges, no_remote)
    assert found == PullRequest(12, f"{GITHUB}/pull/12", FoundBy.SUBJECT, "Fix it")


def test_long_title_is_cut(commit: Callable[..., Commit], no_remote: Remote) -> None:
    found = find_pull_request(_github(), commit("x" * 900 + " (#12)"), (), no_remote)
    assert isinstance(found, PullRequest)
    assert found.title == "x" * 299 + "…"


def _github() -> Repository:
    return recognise(GITHUB, {})
