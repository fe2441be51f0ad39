"""`bisector try`: one trial, its output live on standard output; then what it means, on stderr.

| exit status | the trial                                                     |
|-------------|---------------------------------------------------------------|
| 0           | works                                                         |
| 1           | fails                                                         |
| 2           | was not made: usage or recipe fault                           |
| 3           | tells nothing: not installable, skipped, cut short by a limit |
| 5           | was not made: the machine failed                              |
| 130         | interrupted                                                   |
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from enum import IntEnum

import click

from bisector.cli.commands.consent import agree
from bisector.cli.commands.following import Following
from bisector.cli.commands.opening import open_mirror, tools
from bisector.cli.commands.reading import Opened, interruptible, open_state, read_recipe
from bisector.cli.commands.workshop import beforehand
from bisector.cli.options import Options
from bisector.console import Silent
from bisector.engine import single
from bisector.engine.patience import patient_search
from bisector.engine.revisions import check_revisions
from bisector.errors import UsageFault
from bisector.git.mirror import Mirror
from bisector.git.refs import resolve
from bisector.harmless import line, tail
from bisector.model import EnvironmentFacts, Judgement, Ran, Trial, Verdict
from bisector.oracles.finding import Fails, FailsOtherwise
from bisector.oracles.signatures import Raised, Signature, words
from bisector.recipe.schema import AUTO, Recipe
from bisector.report.figures import duration, size
from bisector.state import State
from bisector.store import Store
from bisector.trial import Step
from bisector.verdict import findings, judge
from bisector.wrapping import columns, wrapped

Say = Callable[[str], None]
LOG_LINES, LOG_CHARACTERS = 40, 8_000


class TryStatus(IntEnum):
    WORKS = 0
    FAILS = 1
    TELLS_NOTHING = 3
    MACHINE = 5


def main(argument: str, rev: str | None, options: Options) -> int:
    if options.report:
        raise UsageFault("--report: a single trial makes no report", "`bisector run` does")
    opened = read_recipe(argument, options)
    state, store = open_state(options)
    if opened.recipe.foreign:
        agree(opened, options)

    def say(text: str) -> None:
        if not options.quiet:
            click.echo(text, err=True)

    with interruptible() as stop:
        mirror = open_mirror(state, opened.recipe, stop)
        sha = _commit(opened, mirror, rev, say)
        return _try(opened.recipe, state, store, mirror, sha, options, stop, say)


def _commit(opened: Opened, mirror: Mirror, rev: str | None, say: Say) -> str:
    recipe = opened.recipe
    check_revisions(opened.written, recipe, mirror, say, [rev] if rev else [])
    asked = rev or (recipe.new if recipe.failing is Judgement.NEW else recipe.old)
    if asked == AUTO:
        raise UsageFault(f"the {recipe.terms.old} end is yet to be found", "name a REV to try")
    return resolve(mirror, asked, say, tip=resolve(mirror, recipe.new, say))


def _try(
    recipe: Recipe,
    state: State,
    store: Store,
    mirror: Mirror,
    sha: str,
    options: Options,
    stop: threading.Event,
    say: Say,
) -> int:
    with (
        beforehand(state, recipe, options, None) as workshop,
        tools(workshop(), state, store, options, Silent(), stop) as kit,
        single.place(state) as folder,
    ):
        log = single.log_of(folder)
        following = Following(log)

        def step(began: Step) -> None:
            say(f"{began.value} {sha[:10]}" if began is Step.CHECKOUT else began.value)
            if began is Step.REPRO:
                following.start()

        with nullcontext() if options.json else following:
            trial = single.make_trial(kit, recipe, mirror, sha, folder, step)
        if not isinstance(trial.outcome, Ran) and log.exists():
            click.echo(tail(log.read_text(errors="replace"), LOG_LINES, LOG_CHARACTERS), err=True)
    return _tell(recipe, trial, single.hunted_failure(store, recipe), options, say)


def _tell(recipe: Recipe, trial: Trial, hunted: Signature | None, options: Options, say: Say) -> int:
    standard = single.standard(recipe, hunted)
    verdict = judge(trial, standard, patient_search)
    found = findings(trial.outcome, standard, patient_search) if isinstance(trial.outcome, Ran) else ()
    failures = [one.failure for one in found if isinstance(one, Fails | FailsOtherwise)]
    failure = words(failures[0]) if failures else None
    if options.json:
        click.echo(json.dumps(_as_json(recipe, trial, verdict, failure), indent=2))
    for label, text in _facts(recipe, trial, verdict, failure):
        say(wrapped(f"  {label:<12}{line(text, 1000)}", columns(sys.stderr)))
    if hunted is None and any(isinstance(one, Raised) and one.importing for one in failures):
        say(
            f"  {'in a hunt':<12}it is skipped, unless the {recipe.terms.name(recipe.failing)} end fails so too"
        )
    return _status(recipe, verdict)


def _status(recipe: Recipe, verdict: Verdict) -> TryStatus:
    return {
        recipe.working: TryStatus.WORKS,
        recipe.failing: TryStatus.FAILS,
        Judgement.ERROR: TryStatus.MACHINE,
    }.get(verdict.judgement, TryStatus.TELLS_NOTHING)


def _facts(recipe: Recipe, trial: Trial, verdict: Verdict, failure: str | None) -> list[tuple[str, str]]:
    facts = [("verdict", f"{recipe.terms.name(verdict.judgement)}: {verdict.reason}")]
    if failure is not None and failure not in verdict.reason:
        facts.append(("failure", failure))
    if isinstance(trial.outcome, Ran):
        run = trial.outcome.runs[-1]
        facts += [("hit", f"{hit.cap.value}: {hit.seen:g} of {hit.limit:g}") for hit in run.hits]
        memory = f", {size(run.peak_memory)} at most" if run.peak_memory is not None else ""
        facts.append(("ended", f"{_ended(run.exit_status, run.signal)}{memory}"))
    facts.append(
        (
            "time",
            f"{duration(trial.seconds)} (checkout {duration(trial.checkout_seconds)}, "
            f"install {duration(trial.install_seconds)}, repro {duration(trial.repro_seconds)})",
        )
    )
    if trial.environment is not None:
        made = trial.environment
        packages = ", ".join(made.packages) or "nothing installed beside the project"
        facts.append(("environment", f"python {made.python}, {packages}"))
        facts += [("built with", ", ".join(made.building))] if made.building else []
        facts += [("tried", rung) for rung in (*made.rungs, *made.in_vain)]
        facts += [("may need", made.needs)] if made.needs else []
    return facts


def _ended(status: int | None, signal: int | None) -> str:
    return f"exit {status}" if signal is None else f"signal {signal}"


def _as_json(recipe: Recipe, trial: Trial, verdict: Verdict, failure: str | None) -> dict[str, object]:
    run = trial.outcome.runs[-1] if isinstance(trial.outcome, Ran) else None
    made = trial.environment
    return {
        "bisector": 1,
        "commit": trial.commit,
        "verdict": recipe.terms.name(verdict.judgement),
        "reason": verdict.reason,
        "failure": failure,
        "exit_status": run.exit_status if run else None,
        "signal": run.signal if run else None,
        "stopped": run.stopped.value if run and run.stopped else None,
        "output": run.output if run else None,
        "peak_memory": run.peak_memory if run else None,
        "seconds": {
            "total": trial.seconds,
            "checkout": trial.checkout_seconds,
            "install": trial.install_seconds,
            "repro": trial.repro_seconds,
        },
        "environment": _environment(made) if made else None,
    }


def _environment(made: EnvironmentFacts) -> dict[str, object]:
    return {"python": made.python, "packages": list(made.packages), "build": list(made.building)}
