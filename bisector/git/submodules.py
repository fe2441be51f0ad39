"""What a commit's submodules need to lie in its tree, and in words what is missing where one cannot be had.

Changes nothing but the tree that is given; who mends what a program under test left there, is `slots`.
"""

from __future__ import annotations

import re
from pathlib import Path

from bisector.git.credentials import without_credentials
from bisector.git.door import Git, SubmoduleUnavailable, failure

PATIENCE = 1800
_NO_LONGER_SERVED = ("-c", "url.https://github.com/.insteadOf=git://github.com/")
"""Old commits name this protocol, which the forge gave up; the content is told by its id, wherever it comes from."""
_PATH = re.compile(r"(?:Failed to clone|in submodule path) '([^']+)'")
_SAID_BY_THE_WAY = ("fatal: clone of", "fatal: Could not read from remote repository", "fatal: Fetched in")


def update(remote: Git, tree: Path, nearby: bool) -> None:
    """Each at the revision that the commit names. `nearby`: the source is a folder of this machine."""
    # An address in the history may be a path on this machine only where the source is one itself.
    options = ("-c", f"protocol.file.allow={'always' if nearby else 'never'}", *_NO_LONGER_SERVED)
    words = (*options, "submodule", "update", "--quiet", "--init", "--recursive", "--force")
    remote.text(*options, "submodule", "sync", "--quiet", "--recursive")
    ended = remote.attempt(*words, timeout=PATIENCE)
    if ended.exit_status != 0:
        fault = failure(words, ended)
        raise SubmoduleUnavailable(
            _told(remote, tree, without_credentials(ended.stderr)) or fault.message, fault.hint
        )
    remote.text(*options, "submodule", "foreach", "--quiet", "--recursive", "git clean --quiet -xffd")


def _told(git: Git, tree: Path, said: str) -> str | None:
    """None: git does not say which one it was."""
    found = _PATH.search(said)
    causes = (line for line in said.splitlines() if line.startswith(("fatal:", "error:")))
    cause = next((line for line in causes if not line.startswith(_SAID_BY_THE_WAY)), None)
    if found is None or cause is None:
        return None
    path = found[1].removeprefix(f"{tree}/")
    return f"the submodule {_name(git, path)} cannot be had: {cause.partition(': ')[2]}"


def _name(git: Git, path: str) -> str:
    """As git's settings know it: mostly, but not always, its path."""
    listed = git.ask("config", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$") or ""
    for line in listed.splitlines():
        key, _, place = line.partition(" ")
        if place == path:
            return key.removeprefix("submodule.").removesuffix(".path")
    return path
