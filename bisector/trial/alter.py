"""Fixups and overlays: what is laid over a commit's tree before its trial; the next checkout undoes it."""

from __future__ import annotations

import re

from bisector.git.door import Git, failure
from bisector.git.slots import Slot
from bisector.installers.words import DISK_FULL
from bisector.model import Stage, Untestable
from bisector.plan import OverlayFiles, Revert, TrialRequest
from bisector.process import Finished
from bisector.recipe.alterations import CherryPick, Patch

LARGEST = 64 << 20
"""Bytes that one fixup may make of a patch: a few of them can ask for any number."""
DELTA = LARGEST >> 4
"""What a binary difference counts at least: its own size says nothing of the file's that it makes."""
BINARY = re.compile(r"^(literal|delta) (\d{1,18})$", re.MULTILINE)


def alter(slot: Slot, request: TrialRequest) -> Untestable | None:
    """Overlays first, then fixups, in the recipe's order; the reason why one does not apply."""
    for overlay in request.overlays:
        failed = _overlay(slot.git, overlay)
        if failed is not None:
            return failed
    for change in request.fixups:
        failed = _change(slot.git, change)
        if failed is not None:
            return failed
    return None


def _change(git: Git, change: Patch | CherryPick | Revert) -> Untestable | None:
    match change:
        case Patch(text):
            if _unpacked(text) > LARGEST:
                return Untestable(
                    Stage.FIXUP, f"fixup: the patch does not apply: it unpacks to more than {LARGEST} bytes"
                )
            # What a binary difference makes of a file is only known once it is made.
            bounded = git.with_environment({**git.environment, "GIT_ALLOC_LIMIT": str(LARGEST)})
            ended = bounded.attempt("apply", "--index", "--whitespace=nowarn", "-", stdin=text.encode())
            return None if ended.ok else _unfit("fixup: the patch does not apply", ended)
        case CherryPick(rev):
            ended = git.attempt("cherry-pick", "--no-commit", *_mainline(git, rev), rev)
            return None if ended.ok else _unfit(f"fixup: {rev[:12]} cannot be picked", ended)
        case Revert(rev):
            ended = git.attempt("revert", "--no-commit", *_mainline(git, rev), rev)
            return None if ended.ok else _unfit(f"reverting {rev[:12]} conflicts", ended)


def _unpacked(patch: str) -> int:
    """Bytes that the binary parts of a patch say they hold."""
    return sum(max(int(size), DELTA if kind == "delta" else 0) for kind, size in BINARY.findall(patch))


def _mainline(git: Git, rev: str) -> tuple[str, ...]:
    """A merge is taken as what it brought to its first parent."""
    parents = git.text("rev-list", "--parents", "-1", rev).split()[1:]
    return ("--mainline", "1") if len(parents) > 1 else ()


def _overlay(git: Git, overlay: OverlayFiles) -> Untestable | None:
    """A directory is replaced whole: what only this commit has in it goes."""
    for path in overlay.paths:
        git.attempt("--literal-pathspecs", "rm", "-r", "-f", "--quiet", "--ignore-unmatch", "--", path)
        ended = git.attempt("--literal-pathspecs", "checkout", "--quiet", overlay.commit, "--", path)
        if not ended.ok:
            return _unfit(f"overlay: {path} of {overlay.commit[:12]}", ended)
    return None


def _unfit(what: str, ended: Finished) -> Untestable:
    if ended.exit_status is None or DISK_FULL.search(ended.stderr):
        # A git that was killed, or could not write, has not said a word of the commit.
        raise failure((what,), ended)
    words = (ended.stderr.strip() or ended.stdout.strip()).splitlines()
    return Untestable(Stage.FIXUP, f"{what}: {words[0] if words else 'git gave no reason'}")
