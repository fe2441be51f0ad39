"""In which way the trials were not of the commits as they lie in git: said in the report, lest it mislead."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bisector.engine.hunter import Hunter
from bisector.model import Judgement
from bisector.recipe.alterations import Before, CherryPick, Patch, Range, Since, Stretch
from bisector.report.figures import counted

MOST_NAMED = 3


def altered(hunter: Hunter) -> Iterator[str]:
    recipe = hunter.recipe
    for number, fixup in enumerate(recipe.fixups):
        yield f"fixups.{number}: {_change(fixup.change)} was laid over the commits {_where(fixup.where)}"
    for overlay in recipe.overlay:
        source = overlay.source
        named = recipe.terms.name(source) + " end" if isinstance(source, Judgement) else source
        yield f"overlay: {_some(list(overlay.paths))} of the {named} lay over every commit"
    stepped = {
        judged.trial.commit: judged.trial.environment.rungs
        for judged in hunter.told
        if judged.trial.environment is not None and judged.trial.environment.rungs
    }
    if stepped:
        sha, rungs = next(iter(stepped.items()))
        yield (
            f"{counted(len(stepped), 'commit')} could not be installed or imported as the recipe has it and ran "
            f"with other releases, the first of them {sha[:12]} ({'; '.join(rungs)})"
        )
    lacking = {
        judged.trial.commit: judged.trial.environment.needs
        for judged in hunter.told
        if judged.verdict.judgement is Judgement.SKIP
        and judged.trial.environment is not None
        and judged.trial.environment.needs
    }
    if lacking:
        sha, needs = next(iter(lacking.items()))
        yield (
            f"{counted(len(lacking), 'commit')} could not be imported, the first of them {sha[:12]}: {needs}"
        )


def _change(change: Patch | CherryPick) -> str:
    if isinstance(change, CherryPick):
        return f"commit {change.rev[:12]}"
    files = re.findall(r"^\+\+\+ (?:b/)?(\S+)", change.text, re.MULTILINE)
    return f"a patch of {_some(files)}"


def _where(where: Stretch) -> str:
    match where:
        case Since(rev):
            return f"since {rev}"
        case Before(rev):
            return f"before {rev}"
        case Range(revs):
            return f"in {revs}"


def _some(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
