"""What git and the forge say of the commit that was found: asked while it is proven, since either takes its time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from bisector.beside import Follower
from bisector.engine.hunter import Hunter
from bisector.engine.looks import Looks, look
from bisector.engine.workers import attempt
from bisector.errors import MachineFault
from bisector.forges.landing import Remote
from bisector.forges.lookup import Found, look_up
from bisector.forges.repository import Repository, recognise
from bisector.git import commits
from bisector.git.mirror import Mirror
from bisector.git.pulls import PullCommits
from bisector.model import Commit, Culprit, Judgement

PATIENCE = 1.0
"""Seconds for git to end when the hunt is over; a forge that does not answer is left to itself."""


@dataclass(frozen=True, slots=True)
class Dossier:
    culprit: Culprit
    repository: Repository
    notices: Sequence[str]


T = TypeVar("T")


class Inquiry(Generic[T]):
    """One commit is asked about ahead; whatever came in between is met again when the answer is wanted."""

    def __init__(
        self, ask: Callable[[str, threading.Event | None], T], stop: threading.Event | None = None
    ) -> None:
        """The event that is given to `ask` ends what git does; it follows `stop`."""
        self._ask = ask
        self._sha: str | None = None
        self._over = threading.Event() if stop is None else Follower(stop)
        self._thread = threading.Thread(target=self._work, name="inquiry", daemon=True)
        self._found: T | None = None

    def begin(self, sha: str) -> None:
        self._sha = sha
        self._thread.start()

    def answer(self, sha: str) -> T:
        if sha == self._sha:
            self._thread.join()
            if self._found is not None:
                return self._found
        # Two at a time would be in each other's way.
        self.close()
        return self._ask(sha, None)

    def close(self) -> None:
        self._over.set()
        if self._sha is not None:
            self._thread.join(PATIENCE)

    def _work(self) -> None:
        self._found, _ = attempt(lambda: self._ask(self._sha or "", self._over))


@dataclass(frozen=True)
class Inquiries:
    """What is asked of one commit, side by side."""

    dossier: Inquiry[Dossier]
    looks: Inquiry[Looks]

    def begin(self, sha: str) -> None:
        self.dossier.begin(sha)
        self.looks.begin(sha)

    def close(self) -> None:
        self.dossier.close()
        self.looks.close()


def open_inquiries(hunter: Hunter, machine: Mapping[str, str]) -> Inquiries:
    def until(over: threading.Event | None) -> Mirror:
        return replace(hunter.mirror, stop=over or hunter.mirror.stop)

    def search(sha: str, over: threading.Event | None) -> Dossier:
        return _look_up(until(over), sha, hunter.row.new_commit or sha, machine)

    def see(sha: str, over: threading.Event | None) -> Looks:
        old, new = hunter.end(Judgement.OLD), hunter.end(Judgement.NEW)
        return look(until(over).git, sha, old, new, hunter.recipe.repro.action.text)

    # The dossier is wanted of an interrupted hunt as well; the other answer is waited for by one under way.
    return Inquiries(Inquiry(search), Inquiry(see, hunter.mirror.stop))


def _look_up(mirror: Mirror, sha: str, new: str, machine: Mapping[str, str]) -> Dossier:
    git = mirror.git
    [commit] = commits.read(git, [sha])
    merges = commits.bringing_merges(git, sha, new)
    repository = recognise(mirror.source.shown, machine, [commit, *merges])
    found = _pull_request(mirror, repository, commit, merges, machine)
    made = Culprit(commit, commits.change(git, commit), repository.commit_url(sha), found.pull_request)
    return Dossier(made, repository, found.notices)


def _pull_request(
    mirror: Mirror,
    repository: Repository,
    commit: Commit,
    merges: Sequence[Commit],
    machine: Mapping[str, str],
) -> Found:
    def list_refs(globs: Sequence[str]) -> Sequence[tuple[str, str]]:
        return mirror.remote_refs(*globs)

    def describe(shas: Sequence[str]) -> Sequence[Commit]:
        return PullCommits(mirror).describe(shas)

    try:
        return look_up(repository, commit, merges, Remote(list_refs, describe), machine)
    except MachineFault as fault:
        return Found(None, (f"the pull request could not be looked up: {fault.message}",))
