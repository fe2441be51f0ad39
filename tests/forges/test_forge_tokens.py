"""Whose each token is: a table of environments, and the hosts that get nothing."""

from __future__ import annotations

import pytest

from bisector.forges.address import parse_address
from bisector.forges.servers import named_servers, server_of

ENTERPRISE = "https://ghe.example.org"
ACTIONS = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_API_URL": "https://api.github.com"}
ENTERPRISE_ACTIONS = {"GITHUB_SERVER_URL": ENTERPRISE, "GITHUB_API_URL": f"{ENTERPRISE}/api/v3"}
GITEA_ACTIONS = {"GITEA_ACTIONS": "true", "GITHUB_SERVER_URL": "https://tea.example.org", "GITHUB_TOKEN": "t"}
GITLAB_CI = {
    "CI_SERVER_URL": "https://gl.example.org",
    "CI_SERVER_HOST": "gl.example.org",
    "GITLAB_TOKEN": "t",
}

GIVEN = {
    "GITHUB_TOKEN": ({"GITHUB_TOKEN": "t"}, "https://github.com/o/n"),
    "GH_TOKEN before GITHUB_TOKEN": ({"GITHUB_TOKEN": "no", "GH_TOKEN": "t"}, "git@github.com:o/n"),
    "with a line end": ({"GITHUB_TOKEN": "t\n"}, "https://github.com/o/n"),
    "in GitHub Actions": ({**ACTIONS, "GITHUB_TOKEN": "t"}, "https://github.com/o/n"),
    "in a company's Actions": ({**ENTERPRISE_ACTIONS, "GITHUB_TOKEN": "t"}, f"{ENTERPRISE}/o/n"),
    "GH_HOST": ({"GH_HOST": "ghe.example.org", "GH_ENTERPRISE_TOKEN": "t"}, f"{ENTERPRISE}/o/n"),
    "GH_HOST that is github.com": ({"GH_HOST": "github.com", "GH_TOKEN": "t"}, "https://github.com/o/n"),
    "GitLab": ({"GITLAB_TOKEN": "t"}, "https://gitlab.com/o/n"),
    "GITLAB_HOST": ({"GITLAB_TOKEN": "t", "GITLAB_HOST": "gl.example.org"}, "https://gl.example.org/o/n"),
    "GitLab CI": (GITLAB_CI, "git@gl.example.org:o/n.git"),
    "Gitea": (
        {"GITEA_TOKEN": "t", "GITEA_SERVER_URL": "https://tea.example.org:3000"},
        "https://tea.example.org:3000/o/n",
    ),
    "Gitea's runner": (GITEA_ACTIONS, "https://tea.example.org/o/n"),
}


@pytest.mark.parametrize(("environment", "url"), GIVEN.values(), ids=GIVEN.keys())
def test_given(environment: dict[str, str], url: str) -> None:
    assert _token(environment, url) == "t"


KEPT = {
    "GitHub's, from GitLab": ({"GITHUB_TOKEN": "t"}, "https://gitlab.com/o/n"),
    "GitHub's, from a company's server": ({"GITHUB_TOKEN": "t"}, f"{ENTERPRISE}/o/n"),
    "GitHub's, from GH_HOST": ({"GITHUB_TOKEN": "t", "GH_HOST": "ghe.example.org"}, f"{ENTERPRISE}/o/n"),
    "GitHub's, from a name like its own": ({"GITHUB_TOKEN": "t"}, "https://github.com.example.org/o/n"),
    "GitHub's, from a user part": ({"GITHUB_TOKEN": "t"}, "https://github.com@example.org/o/n"),
    "GitHub's, from another port": ({"GITHUB_TOKEN": "t"}, "https://github.com:8443/o/n"),
    "a company's, from github.com": ({**ENTERPRISE_ACTIONS, "GITHUB_TOKEN": "t"}, "https://github.com/o/n"),
    "an enterprise's, without a host": ({"GH_ENTERPRISE_TOKEN": "t"}, f"{ENTERPRISE}/o/n"),
    "GitLab's, from gitlab.com": (GITLAB_CI, "https://gitlab.com/o/n"),
    "GitLab's, from the CI that GITLAB_HOST is not": (
        {**GITLAB_CI, "GITLAB_HOST": "other.example.org"},
        "https://gl.example.org/o/n",
    ),
    "the job's own, from GitLab": (
        {"CI_JOB_TOKEN": "t", "CI_SERVER_HOST": "gl.example.org"},
        "https://gl.example.org/o/n",
    ),
    "Gitea's, without a host": ({"GITEA_TOKEN": "t"}, "https://codeberg.org/o/n"),
    "a Gitea runner's, from github.com": (GITEA_ACTIONS, "https://github.com/o/n"),
    "a Gitea runner's without a server": (
        {"GITEA_ACTIONS": "1", "GITHUB_TOKEN": "t"},
        "https://github.com/o/n",
    ),
    "one that no header can carry": ({"GITHUB_TOKEN": "t\nX: y"}, "https://github.com/o/n"),
    "one that is not ASCII": ({"GITHUB_TOKEN": "tö"}, "https://github.com/o/n"),
}


@pytest.mark.parametrize(("environment", "url"), KEPT.values(), ids=KEPT.keys())
def test_kept(environment: dict[str, str], url: str) -> None:
    assert _token(environment, url) is None


def test_no_token_in_a_repr() -> None:
    assert "s3cret" not in repr(named_servers({"GITHUB_TOKEN": "s3cret", "GITLAB_TOKEN": "s3cret"}))


def _token(environment: dict[str, str], url: str) -> str | None:
    address = parse_address(url)
    assert address is not None
    server = server_of(address, environment)
    return server.token if server else None
