"""What `check` found out, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bisector.engine.forecast import roughly
from bisector.engine.preview import Preview, Stretch
from bisector.engine.pythons import Found
from bisector.harmless import line, without_credentials
from bisector.model import AsOf, Cap, EnvironmentRequest, InstallMode
from bisector.recipe.schema import AUTO, Confidence, Recipe
from bisector.recipe.schema import History as Way
from bisector.report.figures import counted, duration, size

_LABEL = 14
_SIZES = (Cap.MEMORY, Cap.DISK, Cap.OUTPUT, Cap.GPU_MEMORY)


@dataclass(frozen=True, slots=True)
class Planned:
    recipe: Recipe
    repo: str
    preview: Preview
    pythons: tuple[Found, ...]
    newest: str | None
    """The newest Python here: what a recipe that names none gets at most."""
    means: Mapping[Cap, str]
    sandbox: bool
    trial_seconds: float | None
    """The middle of earlier trials in this repository; None: there are none."""
    measured: int
    jobs: int

    @property
    def seconds(self) -> float | None:
        return None if self.trial_seconds is None else self.trial_seconds * self.preview.trials


def as_lines(plan: Planned) -> Iterator[str]:
    yield line(plan.recipe.name)
    yield ""
    yield from _range(plan)
    yield from _environment(plan)
    yield from _held(plan)
    yield from (_fact("note", line(remark)) for remark in plan.preview.remarks)


def _fact(label: str, text: str) -> str:
    return f"  {label:<{_LABEL}}{text}"


def _range(plan: Planned) -> Iterator[str]:
    recipe, preview = plan.recipe, plan.preview
    yield _fact("repository", line(plan.repo))
    yield from (_fact(term, text) for term, text in _ends(plan))
    for base in preview.bases:
        yield _fact("merge base", f"{base[:10]}, tested as well: {recipe.terms.old} lies on a side branch")
    most = "at most " if preview.old is None else ""
    skipped = f", {preview.skipped} of them skipped" if preview.skipped else ""
    yield _fact("commits", f"{most}{preview.commits:,} in question{skipped}{_way(recipe)}")
    searching = counted(preview.expected, "trial")
    yield _fact(
        "trials",
        f"{_least(recipe)}about {preview.trials}: {searching} to search, the rest for the ends and the proof",
    )
    yield _fact("time", _time(plan))


def _least(recipe: Recipe) -> str:
    """How many more a failure that comes and goes takes, only its runs can tell."""
    return "at least " if isinstance(recipe.verdict.runs, Confidence) else ""


def _ends(plan: Planned) -> Iterator[tuple[str, str]]:
    recipe, preview = plan.recipe, plan.preview
    shown = {commit.sha: commit for commit in preview.named}
    if preview.old is None:
        yield recipe.terms.old, f"{AUTO}: looked for in older releases, then further and further back in time"
    for term, end in ((recipe.terms.old, preview.old), (recipe.terms.new, preview.new)):
        if end is not None:
            commit = shown[end.commit]
            date = commit.commit_date.date().isoformat()
            name = "" if end.commit.startswith(end.ref) else f"{line(end.ref)} = "
            yield term, f"{name}{end.commit[:10]} ({date}) {line(commit.subject, 70)}"


def _way(recipe: Recipe) -> str:
    words = []
    if recipe.history is not Way.FULL:
        words.append(recipe.history.value)
    if recipe.paths:
        words.append(f"touching {', '.join(recipe.paths)}")
    return f" ({', '.join(words)})" if words else ""


def _time(plan: Planned) -> str:
    if plan.seconds is None or plan.trial_seconds is None:
        limit = duration(plan.recipe.limits.timeout)
        return f"unknown before the first trial; one run of the repro is ended after {limit}"
    each = duration(plan.trial_seconds)
    more = ", or more" if _least(plan.recipe) else ""
    return f"{roughly(plan.seconds)}{more}: {each} a trial, as {plan.measured} earlier ones here took"


def _environment(plan: Planned) -> Iterator[str]:
    yield _fact("install", _install(plan.recipe))
    if not plan.recipe.pins:
        [stretch] = plan.preview.stretches
        yield _fact("environment", _request(stretch.request, plan.newest))
    for number, stretch in enumerate(plan.preview.stretches if plan.recipe.pins else ()):
        yield _fact("" if number else "environments", _stretch(stretch))
        yield _fact("", f"    {_request(stretch.request, plan.newest)}")
    for found in plan.pythons:
        one = found.interpreter
        same = "" if found.asked == one.version else f"{found.asked} is "
        yield _fact("python", f"{same}{one.version} at {one.path}, served by {found.installer}")


def _install(recipe: Recipe) -> str:
    install = recipe.install
    where = "" if install.path == (".",) else f" {', '.join(install.path)}"
    extras = f" with the extras {', '.join(install.extras)}" if install.extras else ""
    words = "none: only the requirements" if install.mode is InstallMode.NONE else install.mode.value
    return f"{words}{where}{extras}"


def _stretch(stretch: Stretch) -> str:
    held = f"pins {', '.join(map(str, stretch.pins))}" if stretch.pins else "no pins"
    besides = f", and {' and '.join(stretch.ends)}" if stretch.ends else ""
    return (
        f"{held}: {counted(stretch.commits, 'commit')}{besides}, {stretch.first[:10]} to {stretch.last[:10]}"
    )


def _request(request: EnvironmentRequest, newest: str | None) -> str:
    most = f" (of those here at most {newest})" if newest else ""
    python = f"python {request.python}" if request.python else f"the newest python the commit allows{most}"
    words = [python]
    words += map(without_credentials, request.requirements)
    if request.declared:
        words.append("what the commit declares")
    if request.build_requirements:
        words.append(f"to build: {' '.join(request.build_requirements)}")
    if not request.build_isolation:
        words.append("builds see the environment")
    return ", ".join([*words, *_as_of(request)])


def _as_of(request: EnvironmentRequest) -> Iterator[str]:
    if request.as_of is AsOf.COMMIT:
        yield "releases of the commit's date"
    elif not isinstance(request.as_of, AsOf):
        yield f"releases until {request.as_of.date().isoformat()}"


def _held(plan: Planned) -> Iterator[str]:
    for number, (cap, means) in enumerate(plan.means.items()):
        yield _fact("" if number else "limits", f"{cap.value} {_amount(plan.recipe, cap)}: {means}")
    origin = f"the recipe comes from {plan.recipe.origin.value}"
    if not plan.recipe.foreign:
        origin = "the recipe is a file of yours"
    yield _fact("sandbox", f"{'on' if plan.sandbox else 'off'}; {origin}")


def _amount(recipe: Recipe, cap: Cap) -> str:
    value = getattr(recipe.limits, cap.value)
    if cap is Cap.TIMEOUT:
        return duration(value)
    if cap is Cap.NETWORK:
        return "none"
    return size(value) if cap in _SIZES else f"{value:g}"


def as_json(plan: Planned) -> dict[str, object]:
    recipe, preview = plan.recipe, plan.preview
    return {
        "bisector": 1,
        "name": recipe.name,
        "repo": plan.repo,
        "terms": {"old": recipe.terms.old, "new": recipe.terms.new},
        "good": None if preview.old is None else {"ref": preview.old.ref, "commit": preview.old.commit},
        "bad": {"ref": preview.new.ref, "commit": preview.new.commit},
        "merge_bases": list(preview.bases),
        "counts": {
            "commits": preview.commits,
            "skipped": preview.skipped,
            "search": preview.expected,
            "trials": preview.trials,
        },
        "seconds": {"expected": plan.seconds, "trial": plan.trial_seconds, "measured": plan.measured},
        "environments": [_stretch_json(stretch) for stretch in preview.stretches],
        "pythons": [_python_json(found) for found in plan.pythons],
        "limits": {
            cap.value: {"value": getattr(recipe.limits, cap.value), "by": by}
            for cap, by in plan.means.items()
        },
        "sandbox": plan.sandbox,
        "origin": recipe.origin.value,
        "notes": list(preview.remarks),
    }


def _stretch_json(stretch: Stretch) -> dict[str, object]:
    request = stretch.request
    return {
        "commits": stretch.commits,
        "first": stretch.first,
        "last": stretch.last,
        "pins": list(stretch.pins),
        "ends": list(stretch.ends),
        "mode": request.mode.value,
        "python": request.python,
        "requirements": [without_credentials(text) for text in request.requirements],
        "declared": request.declared,
        "build_requirements": list(request.build_requirements),
        "build_isolation": request.build_isolation,
    }


def _python_json(found: Found) -> dict[str, object]:
    one = found.interpreter
    return {"asked": found.asked, "version": one.version, "path": str(one.path), "installer": found.installer}
