"""The user's own checkout around a folder, read for defaults alone: where it comes from, what it is at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bisector.git.credentials import without_credentials
from bisector.git.door import Git, local_environment
from bisector.git.refs import tags


@dataclass(frozen=True, slots=True)
class Checkout:
    """`origin` has no credentials: it may be written into a file."""

    top: Path
    origin: str | None
    release: str | None
    """The newest release tag that its commit contains."""
    tracked: frozenset[str]
    """Files of the repository, from its top."""


def around(folder: Path, machine: Mapping[str, str]) -> Checkout | None:
    """None: the folder is in no repository."""
    top = next((path for path in (folder, *folder.parents) if (path / ".git").exists()), None)
    if top is None:
        return None
    # As its owner: a repository of somebody else's is not ours to read for defaults.
    git = Git(top / ".git", {**local_environment(machine), "HOME": machine.get("HOME", "/")}, top)
    merged = git.attempt("tag", "--merged", "HEAD").stdout.split()
    releases = [tag for tag in tags(git) if tag.name in merged and not tag.version.is_prerelease]
    origin = git.ask("config", "--get", "remote.origin.url")
    return Checkout(
        top=top,
        origin=without_credentials(origin) if origin else None,
        release=releases[0].name if releases else None,
        tracked=frozenset(git.attempt("ls-files", "-z").stdout.split("\0")),
    )
