"""Landed, taken back, landed again: a culprit that came more than once, and what each time did.

Seen by the words of reverts, and by commits that do the very same or the very opposite to its files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bisector.engine.hunter import Hunter
from bisector.git import commits, content
from bisector.git.content import FileChange
from bisector.git.door import Git
from bisector.model import Commit, Judgement, Purpose

_TRAILER = re.compile(r"^This reverts commit ([0-9a-f]{7,64})", re.MULTILINE)
_SUBJECT = re.compile(r'^(?:Revert|Reapply|Reland) "(.*)"')
_NUMBER = re.compile(r"\s*\(#\d+\)$")
_MESSAGES = ("^This reverts commit [0-9a-f]{7,64}", '^(Revert|Reapply|Reland) "')
MOST_FILES = 50
MOST_PROBES = 6


@dataclass(frozen=True, slots=True)
class Flip:
    commit: str
    lands: bool
    """Else it takes back."""


def flips(git: Git, culprit: Commit, old: Sequence[str], new: str) -> list[Flip]:
    """Every commit that brought the change or took it back, in order; empty where nobody took it back."""
    found = {culprit.sha: True, **_by_content(git, culprit, old, new), **_by_words(git, culprit, old, new)}
    if all(found.values()):
        return []
    line = content.in_order(git, list(found))
    return [Flip(sha, found[sha]) for sha in line]


def tell(hunter: Hunter, found: Sequence[Flip], old: str) -> None:
    """A notice that lists the flips, each with what a probe shows there."""
    if not found:
        return
    states = {
        flip.commit: _probe(hunter, flip.commit)
        for flip in found[:MOST_PROBES]
        if not commits.is_ancestor(hunter.mirror.git, flip.commit, old)
    }
    words = ", ".join(_words(hunter, flip, found[:place], states) for place, flip in enumerate(found))
    last = found[-1]
    if not last.lands and states.get(last.commit) is Judgement.OLD:
        words += f"; something else made it {hunter.recipe.terms.new} again: hunt from {last.commit[:12]} on"
    hunter.notice(words)


def _probe(hunter: Hunter, sha: str) -> Judgement:
    return hunter.trial(sha, Purpose.SEARCH, "landed or taken back").verdict.judgement


def _words(hunter: Hunter, flip: Flip, before: Sequence[Flip], states: Mapping[str, Judgement]) -> str:
    did = "took it back" if not flip.lands else "landed it again" if before else "landed"
    state = states.get(flip.commit)
    shown = f" ({hunter.recipe.terms.name(state)})" if state is not None else ""
    return f"{flip.commit[:12]} {did}{shown}"


def _by_words(git: Git, culprit: Commit, old: Sequence[str], new: str) -> dict[str, bool]:
    """The chain of reverts that the culprit is a link of: what it undoes, and what undoes it."""
    undoing = list(commits.read(git, content.matching(git, new, old, _MESSAGES)))
    chain = [culprit, *_undone(git, culprit)]
    chain.reverse()
    for one in undoing:
        if _undoes(one, chain[-1]):
            chain.append(one)
    landing = {one.sha: place % 2 == 0 for place, one in enumerate(chain)}
    return landing if len(chain) > 1 else {}


def _undone(git: Git, commit: Commit) -> Iterator[Commit]:
    """What a commit says it reverts, what that one reverted, and so on."""
    seen = {commit.sha}
    named = _TRAILER.search(commit.body)
    while named is not None:
        sha = git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{named[1]}^{{commit}}")
        if sha is None or sha in seen:
            return
        seen.add(sha)
        [commit] = commits.read(git, [sha])
        yield commit
        named = _TRAILER.search(commit.body)


def _undoes(one: Commit, other: Commit) -> bool:
    """By its trailer; a forge's own button leaves only the title."""
    named = _TRAILER.search(one.body)
    if named is not None:
        return other.sha.startswith(named[1])
    titled = _SUBJECT.match(one.subject)
    if titled is None or one.author_date < other.author_date:
        return False
    again = _SUBJECT.match(other.subject)
    titles = {other.subject, *([again[1]] if again and not one.subject.startswith("Revert") else [])}
    return _plain(titled[1]) in {_plain(title) for title in titles}


def _plain(subject: str) -> str:
    return _NUMBER.sub("", subject).strip()


def _by_content(git: Git, culprit: Commit, old: Sequence[str], new: str) -> dict[str, bool]:
    """Commits that did to its files the very same, or the very opposite."""
    if len(culprit.parents) != 1:
        return {}
    does = _moves(content.changes(git, culprit.parents[0], culprit.sha))
    if not 0 < len(does) <= MOST_FILES:
        return {}
    undoes = {path: (after, before) for path, (before, after) in does.items()}
    made = ((sha, _moves(changed)) for sha, changed in content.changes_along(git, new, old, list(does)))
    return {sha: moves == does for sha, moves in made if moves in (does, undoes)}


def _moves(changed: Sequence[FileChange]) -> dict[str, tuple[str, str]]:
    return {one.path: (one.before, one.after) for one in changed}
