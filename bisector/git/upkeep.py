"""Giving back what mirrors take: slots that nobody works in, whole mirrors that nobody uses."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from bisector.folders import empty
from bisector.git.mirror import Mirror, Say
from bisector.git.slots import PREFIX
from bisector.git.source import Source
from bisector.locks import try_lock

_GONE = ".gone-"


def folder_name(shown: str) -> str:
    """Where the mirror of a repository lies, by the address that the records have."""
    return Source(shown, shown, False).key


def slots(mirror: Path) -> Iterator[Path]:
    """The slots of a mirror's folder that hold files."""
    place = mirror / "slots"
    yield from sorted(path for path in place.iterdir() if path.is_dir()) if place.is_dir() else ()


def free(slot: Path) -> bool:
    """Remove a slot's files and git's knowledge of it; False where somebody works in it."""
    lock = try_lock(slot.with_suffix(".lock"))
    if lock is None:
        return False
    try:
        shutil.rmtree(
            slot.parent.parent / "repo.git" / "worktrees" / f"{PREFIX}{slot.name}", ignore_errors=True
        )
        empty(slot)
        return True
    finally:
        os.close(lock)


def sweep(mirror: Path) -> None:
    """What a copy or a fetch that was killed left, unless one is under way."""
    lock = try_lock(mirror / "fetch.lock")
    if lock is None:
        return
    try:
        for half in (mirror / "repo.making", *mirror.glob("repo.git/worktrees/*.making")):
            empty(half)
        for pattern in ("objects/pack/tmp_*", "objects/pack/.tmp-*", "objects/??/tmp_obj_*"):
            for path in (mirror / "repo.git").glob(pattern):
                path.unlink(missing_ok=True)
    finally:
        os.close(lock)


def forget(mirror: Path, hunt: str) -> None:
    """Git's knowledge of a hunt that is no more: its ledger and the refs that kept its commits."""
    shutil.rmtree(mirror / "repo.git" / "worktrees" / f"hunt-{hunt}", ignore_errors=True)
    shutil.rmtree(mirror / "repo.git" / "refs" / "hunts" / hunt, ignore_errors=True)


def is_leftover(folder: Path) -> bool:
    """Whether a removal was cut short here."""
    return _GONE in folder.name


def renew(mirror: Mirror, say: Say) -> bool:
    """Make a copy anew that git itself calls broken: it is only a copy.

    False: it is sound, others use it, or there is none: then the source is what is broken.

    Refs of hunts stay where the source still has what they point to.
    """
    if not mirror.exists():
        return False
    say("looking through bisector's copy of the repository")
    if mirror.git.attempt("fsck", "--full", "--no-dangling", "--no-progress", timeout=None).exit_status == 0:
        return False
    listed = mirror.git.attempt("for-each-ref", "--format=%(objectname) %(refname)", "refs/hunts").stdout
    if not remove(mirror.folder):
        return False
    say("it is broken and is made anew")
    mirror.ensure(say)
    for sha, ref in (line.split(" ", 1) for line in listed.splitlines()):
        mirror.git.attempt("update-ref", ref, sha)
    return True


def remove(mirror: Path) -> bool:
    """Remove a mirror with all its slots; False where somebody fetches into it or works in it."""
    with ExitStack() as held:
        for path in (mirror / "fetch.lock", *sorted((mirror / "slots").glob("*.lock"))):
            lock = try_lock(path)
            if lock is None:
                return False
            held.callback(os.close, lock)
        # With one rename: nobody ever finds half of it.
        away = mirror.with_name(f"{mirror.name}{_GONE}{secrets.token_hex(4)}")
        mirror.rename(away)
        empty(away)
        return True
