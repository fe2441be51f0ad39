"""Where a repository comes from: the recipe's `repo` as something git can fetch, name and show."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from bisector.errors import UsageFault
from bisector.git.credentials import without_credentials

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SCP = re.compile(r"(?:[^/:@\s]+@)?[^/:\s]+:(?!/{2})\S+")
_REFUSED = re.compile(r"(ext|fd)::", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    url: str = field(repr=False)
    """What git is given; may hold a password."""
    shown: str
    """The same without credentials: for eyes, records and the mirror's name."""
    is_path: bool

    @property
    def key(self) -> str:
        stem = re.sub(r"\.git$", "", self.shown.rstrip("/")).rsplit("/", 1)[-1]
        safe = re.sub(r"[^A-Za-z0-9._-]", "-", stem).lstrip(".-")[:40] or "repository"
        return f"{safe}-{hashlib.sha256(self.shown.encode()).hexdigest()[:10]}"


def locate(repo: str, base: Path | None) -> Source:
    """The source that a recipe names; a relative path is relative to the recipe's folder."""
    if repo.startswith("-") or _REFUSED.match(repo):
        raise UsageFault(
            f"repo: {repo!r} is neither a URL nor a path", "give an https or ssh URL, or a folder"
        )
    if _URL.match(repo):
        return Source(repo, without_credentials(repo), False)
    path = Path(repo).expanduser()
    if not path.is_absolute():
        path = (base or Path.cwd()) / path
    if not path.exists() and _SCP.fullmatch(repo):
        return Source(repo, repo, False)
    resolved = str(path.resolve())
    return Source(resolved, resolved, True)
