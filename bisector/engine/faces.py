"""A bug that changed its face: other failures between the good commits and the hunted one are taken for it."""

from __future__ import annotations

from collections.abc import Sequence

from bisector.engine.hunter import Hunter
from bisector.model import Judgement, Ran
from bisector.oracles.faces import Face, faces
from bisector.oracles.finding import Fails, FailsOtherwise, Finding, Works
from bisector.oracles.signatures import Signature, difference, words
from bisector.recipe.schema import Reaction


def take_faces(hunter: Hunter, suspects: Sequence[str]) -> bool:
    """Whether more failures count as the hunted one from now on; then the search is worth going on with.

    `suspects`: what could not be told apart, the first commit with the hunted failure first.
    """
    if hunter.recipe.verdict.other_failure is not Reaction.SKIP or hunter.recipe.working is not Judgement.OLD:
        return False
    line = _line(hunter, suspects)
    found = faces([finding for _, finding in line])
    for face in found:
        if not _is_known(hunter, face.failure):
            hunter.faces.append(face.failure)
            hunter.notice(_told(line, face))
    return bool(found)


def _line(hunter: Hunter, suspects: Sequence[str]) -> list[tuple[str, Finding | None]]:
    """From the good side to the first hunted failure; below the suspects everything works."""
    tested = {judged.trial.commit: judged.trial.outcome for judged in hunter.told}
    line: list[tuple[str, Finding | None]] = [("", Works("below the suspects"))]
    for sha in reversed(suspects):
        outcome = tested.get(sha)
        line.append((sha, _finding(hunter, outcome) if isinstance(outcome, Ran) else None))
    return line


def _finding(hunter: Hunter, outcome: Ran) -> Finding:
    """The last run's, with what counts as the regression already told so."""
    found = hunter.findings(outcome, hunter.standard)[-1]
    if isinstance(found, FailsOtherwise) and _is_known(hunter, found.failure):
        return Fails(found.reason, found.failure)
    return found


def _is_known(hunter: Hunter, failure: Signature) -> bool:
    return any(difference(failure, one) is None for one in hunter.faces)


def _told(line: Sequence[tuple[str, Finding | None]], face: Face) -> str:
    first, after = line[face.first][0], line[min(face.last + 1, len(line) - 1)][0]
    return (
        f"the failure changed its face: from {first[:12]} on it is {words(face.failure)!r}, which counts as "
        f"the same regression; {after[:12]} changed it"
    )
