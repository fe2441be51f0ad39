"""What the environment says of forges: the servers that CI or the user named, and whose each token is.

A token is handed out for the one server that it belongs to, for no other. Pure: works on a mapping given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bisector.forges.address import Address, parse_address
from bisector.forges.forge import ForgeName

# What a header can carry. Anything else would come back inside the HTTP library's complaint about it.
USABLE_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")
GITHUB_TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
ENTERPRISE_TOKENS = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
# Not CI_JOB_TOKEN: it opens few doors of GitLab's API, and is refused where nobody at all would be let in.
GITLAB_TOKENS = ("GITLAB_TOKEN", "GITLAB_PRIVATE_TOKEN")
GITEA_TOKENS = ("GITEA_TOKEN", "FORGEJO_TOKEN")


@dataclass(frozen=True, slots=True)
class Server:
    """A server that the environment names. Its token never shows in a repr."""

    forge: ForgeName
    host: str
    port: int | None
    api: str | None = None
    token: str | None = field(default=None, repr=False)

    def is_at(self, address: Address) -> bool:
        """The web port counts; over ssh and git the port is another one, and the host must do."""
        same_port = address.scheme not in ("https", "http") or address.port == self.port
        return address.host == self.host and same_port


def server_of(address: Address, environment: Mapping[str, str]) -> Server | None:
    """The first that is there; those that CI set for this very job come first."""
    return next((server for server in named_servers(environment) if server.is_at(address)), None)


def named_servers(environment: Mapping[str, str]) -> list[Server]:
    """Every server that the environment tells of, and the two big ones.

    Gitea's and Forgejo's runners speak GitHub's dialect: there GITHUB_SERVER_URL is their own server, and
    GITHUB_TOKEN its token, which then is not github.com's. Otherwise the rules of the forges' own command
    line tools hold: GH_TOKEN is for github.com, GH_ENTERPRISE_TOKEN for GH_HOST.
    """
    runner = _github_or_gitea(environment)
    github = _token(environment, GITHUB_TOKENS)
    gitlab = _token(environment, GITLAB_TOKENS)
    gitea = _token(environment, GITEA_TOKENS)
    api = _web(environment.get("GITHUB_API_URL"))
    # A CI job's own token is for that job's server alone: github.com gets it where no other server is named.
    own = github if runner is ForgeName.GITHUB else gitea or github
    elsewhere = runner is ForgeName.GITEA or environment.get("GITHUB_SERVER_URL")
    public = None if elsewhere else github
    gitlab_home = _first(environment, "GITLAB_HOST", "CI_SERVER_URL", "CI_SERVER_HOST")
    candidates = [
        _server(runner, environment.get("GITHUB_SERVER_URL"), api, own),
        _server(ForgeName.GITHUB, "github.com", None, public),
        _server(ForgeName.GITHUB, environment.get("GH_HOST"), None, _token(environment, ENTERPRISE_TOKENS)),
        _server(ForgeName.GITEA, _first(environment, "FORGEJO_SERVER_URL", "GITEA_SERVER_URL"), None, gitea),
        _server(ForgeName.GITLAB, environment.get("GITLAB_HOST"), None, gitlab),
        _server(
            ForgeName.GITLAB,
            _first(environment, "CI_SERVER_URL", "CI_SERVER_HOST"),
            _web(environment.get("CI_API_V4_URL")),
            None if environment.get("GITLAB_HOST") else gitlab,
        ),
        _server(ForgeName.GITLAB, "gitlab.com", None, None if gitlab_home else gitlab),
    ]
    return [server for server in candidates if server is not None]


def _github_or_gitea(environment: Mapping[str, str]) -> ForgeName:
    runners = ("GITEA_ACTIONS", "FORGEJO_ACTIONS")
    return ForgeName.GITEA if any(environment.get(name) for name in runners) else ForgeName.GITHUB


def _server(forge: ForgeName, place: str | None, api: str | None, token: str | None) -> Server | None:
    """`place`: a host, with a port perhaps, or a web address."""
    if not place:
        return None
    url = place if "://" in place else f"https://{place}"
    # The parser asks for a repository's path, which a server does not have.
    address = parse_address(f"{url.rstrip('/')}/-")
    return Server(forge, address.host, address.port, api, token) if address else None


def _web(url: str | None) -> str | None:
    """As it stands, when it is a web address that could be asked."""
    usable = url and url.startswith(("https://", "http://")) and parse_address(f"{url}/-")
    return url.rstrip("/") if url and usable else None


def _first(environment: Mapping[str, str], *names: str) -> str | None:
    return next((environment[name] for name in names if environment.get(name)), None)


def _token(environment: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    token = (_first(environment, *names) or "").strip()
    return token if USABLE_TOKEN.fullmatch(token) else None
