"""What every forge must do alike, and each one's web addresses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bisector.forges import FORGES
from bisector.forges.forge import ForgeName
from bisector.forges.repository import recognise
from bisector.model import Commit

OLD, NEW = "a" * 40, "b" * 40
PAGES = {
    "GitHub": (
        "git@github.com:o/n.git",
        f"https://github.com/o/n/commit/{NEW}",
        f"https://github.com/o/n/compare/{OLD}...{NEW}",
        "https://github.com/o/n/pull/12",
    ),
    "GitLab": (
        "https://gitlab.example.org/g/s/n.git",
        f"https://gitlab.example.org/g/s/n/-/commit/{NEW}",
        f"https://gitlab.example.org/g/s/n/-/compare/{OLD}...{NEW}",
        "https://gitlab.example.org/g/s/n/-/merge_requests/12",
    ),
    "Gitea": (
        "ssh://git@codeberg.org/o/n.git",
        f"https://codeberg.org/o/n/commit/{NEW}",
        f"https://codeberg.org/o/n/compare/{OLD}...{NEW}",
        "https://codeberg.org/o/n/pulls/12",
    ),
    "Bitbucket": (
        "https://me@bitbucket.org/o/n.git",
        f"https://bitbucket.org/o/n/commits/{NEW}",
        f"https://bitbucket.org/o/n/branches/compare/{NEW}..{OLD}",
        "https://bitbucket.org/o/n/pull-requests/12",
    ),
    "Bitbucket Server": (
        "https://git.example.org/context/scm/PROJ/n.git",
        f"https://git.example.org/context/projects/PROJ/repos/n/commits/{NEW}",
        "https://git.example.org/context/projects/PROJ/repos/n/compare/commits"
        f"?sourceBranch={NEW}&targetBranch={OLD}",
        "https://git.example.org/context/projects/PROJ/repos/n/pull-requests/12",
    ),
    "Bitbucket Server, somebody's own": (
        "ssh://git@git.example.org:7999/~ann/n.git",
        f"https://git.example.org/users/ann/repos/n/commits/{NEW}",
        f"https://git.example.org/users/ann/repos/n/compare/commits?sourceBranch={NEW}&targetBranch={OLD}",
        "https://git.example.org/users/ann/repos/n/pull-requests/12",
    ),
    "Azure": (
        "https://org@dev.azure.com/org/My%20Project/_git/n",
        f"https://dev.azure.com/org/My%20Project/_git/n/commit/{NEW}",
        "https://dev.azure.com/org/My%20Project/_git/n/branchCompare"
        f"?baseVersion=GC{OLD}&targetVersion=GC{NEW}",
        "https://dev.azure.com/org/My%20Project/_git/n/pullrequest/12",
    ),
    "Azure over ssh": (
        "git@ssh.dev.azure.com:v3/org/proj/n",
        f"https://dev.azure.com/org/proj/_git/n/commit/{NEW}",
        f"https://dev.azure.com/org/proj/_git/n/branchCompare?baseVersion=GC{OLD}&targetVersion=GC{NEW}",
        "https://dev.azure.com/org/proj/_git/n/pullrequest/12",
    ),
    "Gerrit": (
        "ssh://ann@code.example.org:29418/p/n.git",
        f"https://code.example.org/plugins/gitiles/p/n/+/{NEW}",
        f"https://code.example.org/plugins/gitiles/p/n/+log/{OLD}..{NEW}",
        "https://code.example.org/c/12",
    ),
    "Gerrit at Google": (
        "https://chromium.googlesource.com/a/p/n",
        f"https://chromium.googlesource.com/p/n/+/{NEW}",
        f"https://chromium.googlesource.com/p/n/+log/{OLD}..{NEW}",
        "https://chromium-review.googlesource.com/c/12",
    ),
    "Phabricator": (
        "ssh://git@phabricator.example.org/diffusion/N/n.git",
        f"https://phabricator.example.org/rN{NEW}",
        None,
        "https://phabricator.example.org/D12",
    ),
    "Phabricator, by number": (
        "https://code.example.org/diffusion/7/n.git",
        f"https://code.example.org/R7:{NEW}",
        None,
        "https://code.example.org/D12",
    ),
    "Phabricator, by name": (
        "https://phabricator.example.org/source/n.git",
        None,
        None,
        "https://phabricator.example.org/D12",
    ),
    "plain": ("https://git.example.org/n.git", None, None, None),
    "a local path": ("../n", None, None, None),
}


@pytest.mark.parametrize(("url", "commit_url", "compare", "pull"), PAGES.values(), ids=PAGES.keys())
def test_pages(url: str, commit_url: str | None, compare: str | None, pull: str | None) -> None:
    repository = recognise(url, {})
    assert repository.commit_url(NEW) == commit_url
    assert repository.compare_url(OLD, NEW) == compare
    assert repository.pull_url(12) == pull


@pytest.mark.parametrize("name", list(ForgeName))
def test_each_forge_is_listed_under_its_name(name: ForgeName) -> None:
    assert FORGES[name].name is name


@pytest.mark.parametrize(
    ("url", "name"), [(row[0], label) for label, row in PAGES.items() if row[3] is not None]
)
def test_own_pull_addresses_are_read_back(url: str, name: str) -> None:
    repository = recognise(url, {})
    assert repository.forge.pull_in_url(repository.pull_url(12) or "") == 12
    assert repository.name.value in name or name.startswith(repository.name.value.split()[0])


@pytest.mark.parametrize("forge", FORGES.values(), ids=[name.value for name in FORGES])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "(" * 1000,
        "Merge pull request " * 50,
        "a " * 40_000,
        "\x00\ud800",
        "#" * 990 + "(#1)",
        "((#1" * 240,
    ],
    ids=["nothing", "line", "brackets", "begun", "long", "not text", "hashes", "begun numbers"],
)
def test_no_words_are_too_strange(forge: object, text: str, commit: Callable[..., Commit]) -> None:
    """Nothing raises, nothing takes long; what looks like a number may be taken for one."""
    speaker = next(known for known in FORGES.values() if known is forge)
    strange = commit(text, text)
    speaker.wrote(strange)
    mentions = [speaker.in_subject(strange), speaker.in_body(strange, None)]
    assert all(mention is None or mention.number == 1 for mention in mentions)


@pytest.mark.parametrize(
    ("url", "environment", "name"),
    [
        ("https://code.example.org/o/n", {"GITHUB_SERVER_URL": "https://code.example.org"}, ForgeName.GITHUB),
        ("git@code.example.org:o/n", {"GH_HOST": "code.example.org"}, ForgeName.GITHUB),
        ("https://code.example.org/o/n", {"GITLAB_HOST": "https://code.example.org/"}, ForgeName.GITLAB),
        ("https://code.example.org/o/n", {"CI_SERVER_HOST": "code.example.org"}, ForgeName.GITLAB),
        ("https://code.example.org/o/n", {"GITEA_SERVER_URL": "https://code.example.org"}, ForgeName.GITEA),
        (
            "https://code.example.org/o/n",
            {"GITEA_ACTIONS": "true", "GITHUB_SERVER_URL": "https://code.example.org"},
            ForgeName.GITEA,
        ),
        ("https://code.example.org/o/n", {"CI_SERVER_HOST": "other.example.org"}, ForgeName.PLAIN),
        ("https://code.example.org/o/n", {"GITHUB_SERVER_URL": "http://[bad"}, ForgeName.PLAIN),
        ("https://github.example.org/o/n", {}, ForgeName.GITHUB),
        ("https://gitlab-ce.example.org/o/n", {}, ForgeName.GITLAB),
        ("https://salsa.debian.org/o/n", {}, ForgeName.GITLAB),
        ("https://notgithubatall.example.org/o/n", {}, ForgeName.PLAIN),
        ("https://org.visualstudio.com/proj/_git/n", {}, ForgeName.AZURE),
    ],
)
def test_recognised_by_environment_and_address(
    url: str, environment: dict[str, str], name: ForgeName
) -> None:
    assert recognise(url, environment).name is name


def test_the_nearest_words_decide(commit: Callable[..., Commit]) -> None:
    history = [
        commit("Fix it"),
        commit("Merge branch 'b' into 'main'", "See merge request g/n!12"),
        commit("Merge pull request #12 from a/b"),
    ]
    assert recognise("../n", {}, history).name is ForgeName.GITLAB
