"""A bug that changed its face: other failures between the good commits and the hunted one are taken for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from bisector.engine.hunter import Hunter
from bisector.git.content import patch
from bisector.git.ledger import First, OnlySkipped
from bisector.model import ALTERED, JudgedTrial, Judgement, Purpose, Ran, Stage, Untestable
from bisector.oracles.faces import Face, faces
from bisector.oracles.finding import Fails, FailsOtherwise, Finding, Works
from bisector.oracles.signatures import Signature, difference, words
from bisector.recipe.alterations import CherryPick, Patch
from bisector.recipe.schema import Reaction

TAKEN = "on it is"


def changed(hunter: Hunter, standing: First | OnlySkipped) -> bool:
    """Whether more or fewer failures count as the hunted one from now on; then the search is worth going on with."""
    if hunter.recipe.verdict.other_failure is not Reaction.SKIP or hunter.recipe.working is not Judgement.OLD:
        return False
    if isinstance(standing, OnlySkipped):
        # Commits besides that cannot be tested must not keep the first with a face from being doubted.
        return _take(hunter, standing.shas) or _is_mask(hunter, standing.shas[0])
    return _is_mask(hunter, standing.sha)


def _take(hunter: Hunter, suspects: Sequence[str]) -> bool:
    """`suspects`: what could not be told apart, the first commit with the hunted failure first."""
    line = _line(hunter, suspects)
    found = faces([finding for _, finding in line])
    for face in found:
        if _known(hunter.faces, face.failure) is None:
            hunter.faces[face.failure] = _after(line, face)
            hunter.notice(_told(line, face))
    return bool(found)


def _is_mask(hunter: Hunter, culprit: str) -> bool:
    """Whether the culprit works without its other failure: then that only hid the hunted one, from there on.

    With the change that ended the other failure laid over it, the culprit shows the hunted one, if it has it.
    """
    face = _worn(hunter, culprit)
    if face is None:
        return False
    ending = hunter.faces[face]
    behind = _laid_over(hunter, culprit, ending)
    if behind.verdict.judgement is Judgement.SKIP:
        hunter.notice(
            f"whether {words(face)!r} only hides what comes later could not be seen: {behind.verdict.reason}"
        )
    if behind.verdict.judgement is not Judgement.OLD:
        return False
    del hunter.faces[face]
    hunter.masks.append(face)
    hunter.told[:] = [
        dataclasses.replace(judged, verdict=hunter.verdict(judged.trial)) for judged in hunter.told
    ]
    taken = f"{TAKEN} {words(face)!r}"
    hunter.notices[:] = [notice for notice in hunter.notices if taken not in notice]
    hunter.notice(_advice(face, culprit[:12], ending[:12]))
    return True


def unsure(hunter: Hunter, culprit: str) -> str | None:
    """What must stand beside the name where nothing told whether the culprit's own failure is the hunted one."""
    face = _worn(hunter, culprit)
    behind = [
        judged.verdict.judgement
        for judged in hunter.told
        if judged.trial.purpose is Purpose.BEHIND and judged.trial.commit == culprit
    ]
    if face is None or behind[-1:] != [Judgement.SKIP]:
        return None
    return (
        f"it fails otherwise there ({words(face)}) until {hunter.faces[face][:12]}, and whether that only hides "
        "what a commit in between did could not be shown"
    )


def _laid_over(hunter: Hunter, culprit: str, ending: str) -> JudgedTrial:
    for change in _changes(hunter, ending):
        asked = hunter.request(culprit)
        laid = dataclasses.replace(asked, fixups=(*asked.fixups, change))
        behind = hunter.make(laid, Purpose.BEHIND, f"culprit with the change of {ending[:12]}")
        outcome = behind.trial.outcome
        if not (isinstance(outcome, Untestable) and outcome.stage is Stage.FIXUP):
            break
    return behind


def _changes(hunter: Hunter, ending: str) -> Iterator[CherryPick | Patch]:
    """The whole change; what it did to the code alone, where the rest (a list of changes, a version) is at odds."""
    yield CherryPick(ending)
    if hunter.commit(ending).parents:
        code = patch(hunter.mirror.git, f"{ending}^", ending, "*.py")
        if code is not None:
            yield Patch(code)


def _advice(face: Signature, culprit: str, ending: str) -> str:
    look = f"fixups: [{{range: {culprit}^..{ending}^, cherry_pick: {ending}}}]"
    return (
        f"{words(face)!r} hides the hunted failure from {culprit} on: without it {culprit} works; "
        f"`{look}` in the recipe looks behind it, if that change can be picked there, else a `patch`"
    )


def _worn(hunter: Hunter, culprit: str) -> Signature | None:
    """The face that the regression has at the culprit; None: the hunted failure itself, or nothing that ran."""
    ran = [
        judged.trial.outcome
        for judged in hunter.told
        if judged.trial.commit == culprit
        and judged.trial.purpose not in ALTERED
        and isinstance(judged.trial.outcome, Ran)
    ]
    found = hunter.findings(ran[-1], hunter.standard)[-1] if ran else None
    return _known(hunter.faces, found.failure) if isinstance(found, FailsOtherwise) else None


def _line(hunter: Hunter, suspects: Sequence[str]) -> list[tuple[str, Finding | None]]:
    """From the good side to the first hunted failure; below the suspects everything works."""
    tested = {judged.trial.commit: judged.trial.outcome for judged in hunter.told}
    line: list[tuple[str, Finding | None]] = [("", Works("below the suspects"))]
    for sha in reversed(suspects):
        outcome = tested.get(sha)
        line.append((sha, _finding(hunter, outcome) if isinstance(outcome, Ran) else None))
    return line


def _finding(hunter: Hunter, outcome: Ran) -> Finding | None:
    """The last run's, with what counts as the regression already told so; None: it hides what else is there."""
    found = hunter.findings(outcome, hunter.standard)[-1]
    if not isinstance(found, FailsOtherwise):
        return found
    if _known(hunter.masks, found.failure) is not None:
        return None
    return found if _known(hunter.faces, found.failure) is None else Fails(found.reason, found.failure)


def _known(failures: Iterable[Signature], failure: Signature) -> Signature | None:
    return next((one for one in failures if difference(failure, one) is None), None)


def _after(line: Sequence[tuple[str, Finding | None]], face: Face) -> str:
    """The commit that changed it: the next in the line."""
    return line[min(face.last + 1, len(line) - 1)][0]


def _told(line: Sequence[tuple[str, Finding | None]], face: Face) -> str:
    return (
        f"the failure changed its face: from {line[face.first][0][:12]} {TAKEN} {words(face.failure)!r}, which "
        f"counts as the same regression; {_after(line, face)[:12]} changed it"
    )
