"""One hunt from where it stands to its end: phase after phase, each written before the next begins."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from bisector.beside import beside
from bisector.engine import begin, confirm, endings, ends, faces, lending, narrow, retrying
from bisector.engine.account import Conclusion, account
from bisector.engine.hunter import Hunter
from bisector.engine.inquiry import Inquiries, open_inquiries
from bisector.engine.progress import Began, Ended, PhaseBegan
from bisector.errors import BisectorError, EndpointFault, Interrupted, MachineFault
from bisector.git.ledger import OnlySkipped
from bisector.history import build, expected_trials
from bisector.hunt import Event, Phase
from bisector.model import Account, Ending, Purpose
from bisector.recipe.schema import History as Way
from bisector.report.figures import counted
from bisector.search.answers import Contradiction
from bisector.search.question import in_question


@dataclass(frozen=True, slots=True)
class Result:
    """The account, and the fault that ended the hunt early, if one did."""

    account: Account
    fault: BisectorError | None


def hunt(hunter: Hunter, machine: Mapping[str, str]) -> Result:
    """Hunt to an ending. A fault of the machine or an interruption is one too, and can be gone on from."""
    with closing(open_inquiries(hunter, machine)) as inquiries:
        return _hunt(hunter, machine, inquiries)


def _hunt(hunter: Hunter, machine: Mapping[str, str], inquiries: Inquiries) -> Result:
    began = time.monotonic()
    fault: BisectorError | None = None
    try:
        conclusion = _phases(hunter, inquiries)
    except EndpointFault as wrong:
        hunter.happened(Event.WRONG_ENDS, wrong.message)
        conclusion, fault = Conclusion(Ending.ENDPOINTS, wrong.message), wrong
    except Interrupted as stopped:
        hunter.happened(Event.STOPPED, stopped.message)
        conclusion, fault = Conclusion(Ending.INTERRUPTED, _standing(hunter, stopped)), stopped
    except (MachineFault, OSError) as error:
        trouble = error if isinstance(error, MachineFault) else _trouble(error)
        hunter.happened(Event.FAILED, trouble.message)
        conclusion, fault = Conclusion(Ending.FAILED, trouble.message), trouble
    # What the account still asks git must be answered, also when the hunt was told to stop.
    hunter.mirror = replace(hunter.mirror, stop=None)
    seconds = time.monotonic() - began
    hunter.store.add_seconds(hunter.id, seconds)
    made = account(hunter, conclusion, hunter.row.seconds + seconds, machine, inquiries.dossier)
    hunter.store.keep_account(hunter.id, made)
    hunter.listener.hear(Ended(made))
    return Result(made, fault)


def _standing(hunter: Hunter, stopped: Interrupted) -> str:
    """How far it was; where the failure comes and goes, verdicts rule nothing out."""
    if hunter.history is None or any(one.trial.purpose is Purpose.SAMPLE for one in hunter.told):
        return stopped.message
    own = (one for one in hunter.told if one.trial.purpose in (Purpose.END, Purpose.SEARCH))
    left = in_question(hunter.history, {one.trial.commit: one.verdict.judgement for one in own})
    if isinstance(left, Contradiction):
        return stopped.message
    return f"{stopped.message} with {counted(len(left), 'commit')} in question"


def _trouble(error: OSError) -> MachineFault:
    """What the system refuses in the middle of a hunt is no defect: a full disk, a folder that was taken away."""
    return MachineFault(
        f"{error.filename or 'the system'}: {error.strerror}", "the same command goes on from here"
    )


def _phases(hunter: Hunter, inquiries: Inquiries) -> Conclusion:
    """A resumed hunt walks the same way again; what is on record answers at once."""
    hunter.disbelieved = retrying.stops_hunts(hunter)
    hunter.listener.hear(PhaseBegan(Phase.PREPARE))
    old, new, bases = begin.prepare(hunter)
    if hunter.ahead is not None:
        # There the culprit is reverted.
        hunter.ahead.stay(new)
    return _search(hunter, inquiries, old, new, bases)


def _search(hunter: Hunter, inquiries: Inquiries, old: str, new: str, bases: tuple[str, ...]) -> Conclusion:
    """Where the builds of other commits may have misled it, once more without them."""
    _announce(hunter, old, new, bases)
    hunter.listener.hear(PhaseBegan(Phase.ENDS))
    try:
        with beside(partial(narrow.begin, hunter, old, new, bases)) as begun:
            wavers = ends.prove(hunter, old, new, bases)
    except EndpointFault as wrong:
        if not lending.may_be_why(hunter, (old, new, *bases)):
            raise
        lending.lend_nothing(hunter, wrong.message)
        return _search(hunter, inquiries, old, new, bases)
    hunter.passed(Phase.ENDS, Event.PROVEN)
    hunter.listener.hear(PhaseBegan(Phase.NARROW))
    if wavers is not None:
        return endings.by_probability(hunter, old, new, bases, wavers.reason)
    found = narrow.narrow(hunter, begun())
    while faces.changed(hunter, found.standing):
        found = narrow.narrow(hunter, narrow.begin(hunter, old, new, bases))
    if isinstance(found.standing, OnlySkipped):
        count = len(found.standing.shas)
        message = f"narrowed to {count} commits: all but the newest of them cannot be tested"
        if found.untried:
            hunter.notice(
                f"{found.untried} of the suspects were not tried: "
                "the stretch they lie in was untestable wherever it was tried"
            )
        hunter.happened(Event.ONLY_SKIPPED, message)
        return Conclusion(Ending.SUSPECTS, message, suspects=found.standing.shas, log=found.log)
    culprit = found.standing.sha
    hunter.passed(Phase.NARROW, Event.ONE_LEFT)
    hunter.listener.hear(PhaseBegan(Phase.CONFIRM))
    if hunter.ahead is not None and hunter.shares_builds:
        inquiries.begin(culprit)
    proof = confirm.confirm(hunter, culprit, new, inquiries.looks)
    if lending.contradicts(hunter, proof, culprit):
        lending.lend_nothing(hunter, proof.doubt or proof.sentence)
        return _search(hunter, inquiries, old, new, bases)
    if proof.wavers and proof.doubt is not None:
        return endings.by_probability(hunter, old, new, bases, proof.doubt)
    return endings.proven(hunter, proof, culprit, old, new, found.log, inquiries.looks)


def _announce(hunter: Hunter, old: str, new: str, bases: tuple[str, ...]) -> None:
    """How much there is to do, before anything is run."""
    recipe = hunter.recipe
    first_parent = recipe.history is not Way.FULL
    hunter.history = build(
        narrow.candidates(
            hunter.mirror.git, new, [old, *bases], first_parent=first_parent, paths=recipe.paths
        )
    )
    count = len(hunter.history)
    hunter.listener.hear(Began(hunter.id, recipe.name, recipe.terms, count, expected_trials(count)))
