"""What was observed at a commit + the recipe's policy -> Verdict with its reason. Pure.

Facts go in, an opinion comes out: asked again with another policy it may say something else; nothing reruns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import zip_longest

from bisector.model import Judgement, Ran, Stage, Trial, Trouble, Untestable, Verdict
from bisector.oracles import arrays, exit_status, limits, metric, output
from bisector.oracles.finding import (
    CannotTell,
    Comparison,
    Fails,
    FailsOtherwise,
    Finding,
    Oracle,
    Seen,
    Standard,
    Stops,
    Works,
    by_reaction,
)
from bisector.oracles.paired import Unchanged, Undecided, Worsened, voted
from bisector.oracles.patterns import Search, search
from bisector.oracles.signatures import Signature, in_common
from bisector.recipe.schema import Reaction, Runs, Times, Until

ORACLES: dict[str, Oracle] = {
    "cancelled": limits.read_cancelled,
    "output": output.read,
    "limits": limits.read,
    "metric": metric.read,
    "compare": arrays.read,
    "exit status": exit_status.read,
}
"""In the order asked: the first that has something to say decides."""


@dataclass(frozen=True, slots=True)
class Tally:
    """One trial's runs by what they came to, for a search that weighs them."""

    failing: int = 0
    working: int = 0
    unclear: int = 0


def judge(
    trial: Trial,
    standard: Standard,
    look: Search = search,
    comparisons: Sequence[Comparison] = (),
) -> Verdict:
    """The verdict on one trial.

    | the trial                                           | verdict                                          |
    |-----------------------------------------------------|--------------------------------------------------|
    | our own or the machine's trouble                    | error                                            |
    | not installed, not importable                       | on_install_failure: skip, a state, error (abort) |
    | otherwise untestable                                | skip                                             |
    | ran: as many failing runs as it takes               | the failing state                                |
    | ran: a run that stops everything (abort, cancelled) | error                                            |
    | ran: all runs asked for, too few of them failing    | the working state                                |
    | ran: anything else                                  | skip                                             |
    | ran in turns with the working end                   | the state that the pairs' votes decide, see      |
    |                                                     | `paired`; skip where they do not                 |

    An error on a trial that ran means: stop, the recipe wants it so or the run was cut short.
    `comparisons` belong to the runs, in their order, where the recipe compares arrays.
    """
    match trial.outcome:
        case Trouble(reason):
            return Verdict(Judgement.ERROR, reason)
        case Untestable() as untestable:
            return _untestable(untestable, standard)
        case Ran(beside=beside):
            found = findings(trial.outcome, standard, look, comparisons)
            settled = [_settled(one, standard) for one in found]
            return _in_turns(settled, trial.outcome, standard) if beside else _combined(settled, standard)


def findings(
    ran: Ran, standard: Standard, look: Search = search, comparisons: Sequence[Comparison] = ()
) -> tuple[Finding, ...]:
    """What each run came to."""
    seen = zip_longest(ran.runs, comparisons, ran.beside)
    return tuple(
        _finding(Seen(run, ran.places, comparison, beside), standard, look)
        for run, comparison, beside in seen
    )


def tally(found: Sequence[Finding], standard: Standard) -> Tally:
    kinds = Counter(type(_settled(one, standard)) for one in found)
    return Tally(kinds[Fails], kinds[Works], len(found) - kinds[Fails] - kinds[Works])


def failure_at_end(
    rans: Sequence[Ran],
    standard: Standard,
    look: Search = search,
    comparisons: Sequence[Sequence[Comparison]] = (),
) -> Signature | None:
    """The signature that the failing end's trials give; None where nothing failed, or not alike."""
    held = replace(limits_counting(standard), signature=None)
    each = zip(rans, comparisons or [()] * len(rans), strict=True)
    return shared_failure([one for ran, known in each for one in findings(ran, held, look, known)])


def limits_counting(standard: Standard) -> Standard:
    """For the failing end: a limit that is skipped elsewhere counts there, for where it hangs, a hang is hunted."""
    policy, failing = standard.policy, Reaction(standard.failing.value)
    counting = replace(
        policy,
        on_timeout=failing if policy.on_timeout is Reaction.SKIP else policy.on_timeout,
        on_memory=failing if policy.on_memory is Reaction.SKIP else policy.on_memory,
    )
    return replace(standard, policy=counting)


def shared_failure(found: Sequence[Finding]) -> Signature | None:
    """What the failing runs have in common; None where none failed or no two failed alike."""
    failures: list[Signature | None] = [one.failure for one in found if isinstance(one, Fails)]
    return reduce(lambda one, other: in_common(one, other) if one and other else None, failures or [None])


def _finding(seen: Seen, standard: Standard, look: Search) -> Finding:
    answers = (oracle(seen, standard, look) for oracle in ORACLES.values())
    return next((answer for answer in answers if answer is not None), CannotTell("no oracle had an answer"))


def _untestable(untestable: Untestable, standard: Standard) -> Verdict:
    reaction, reason = standard.policy.on_install_failure, untestable.headline
    if untestable.stage not in (Stage.INSTALL, Stage.IMPORT) or reaction is Reaction.SKIP:
        return Verdict(Judgement.SKIP, reason)
    if reaction is Reaction.ABORT:
        return Verdict(Judgement.ERROR, f"{reason}; the recipe says to abort then")
    return Verdict(Judgement(reaction.value), reason)


def _settled(finding: Finding, standard: Standard) -> Finding:
    """With `other_failure` applied."""
    if not isinstance(finding, FailsOtherwise):
        return finding
    return by_reaction(standard.policy.other_failure, finding.reason, finding.failure, standard)


def _in_turns(settled: Sequence[Finding], ran: Ran, standard: Standard) -> Verdict:
    """Each pair votes; a pair that has no vote leaves the whole open. A failure that counts needs no vote."""
    for one, run in zip(settled, ran.runs, strict=True):
        if isinstance(one, Fails) and run.exit_status != 0:
            return Verdict(standard.failing, one.reason)
    stops = [one for one in settled if isinstance(one, Stops)]
    if stops:
        return Verdict(Judgement.ERROR, stops[0].reason)
    unclear = [one for one in settled if isinstance(one, CannotTell)]
    if unclear:
        return Verdict(Judgement.SKIP, _unclear(unclear, len(settled), standard))
    fails = [one for one in settled if isinstance(one, Fails)]
    works = [one for one in settled if isinstance(one, Works)]
    match voted([isinstance(one, Fails) for one in settled]):
        case Worsened(pairs, beyond):
            return Verdict(standard.failing, f"worse in {beyond} of {pairs} pairs: {fails[0].reason}")
        case Unchanged(pairs, beyond):
            return Verdict(standard.working, f"worse in {beyond} of {pairs} pairs: {works[0].reason}")
        case Undecided(pairs, beyond):
            return Verdict(Judgement.SKIP, f"worse in {beyond} of {pairs} pairs, which tells neither")


def _combined(settled: Sequence[Finding], standard: Standard) -> Verdict:
    asked, enough = _asked_for(standard.policy.runs, len(settled))
    fails = [one for one in settled if isinstance(one, Fails)]
    works = [one for one in settled if isinstance(one, Works)]
    stops = [one for one in settled if isinstance(one, Stops)]
    unclear = [one for one in settled if isinstance(one, CannotTell)]
    if len(fails) >= enough:
        return Verdict(standard.failing, _counted("fails", len(fails), len(settled), fails[0].reason))
    if stops:
        return Verdict(Judgement.ERROR, stops[0].reason)
    if unclear:
        return Verdict(Judgement.SKIP, _unclear(unclear, len(settled), standard))
    if len(settled) < asked or not settled:
        return Verdict(Judgement.SKIP, f"only {len(settled)} of {asked} runs were made")
    if fails:
        return Verdict(standard.working, f"fails {len(fails)} of {len(settled)}, fewer than {enough}")
    return Verdict(standard.working, _counted("works", len(works), len(settled), works[0].reason))


def _asked_for(runs: Runs | None, made: int) -> tuple[int, int]:
    """How many runs a working verdict needs, and how many failing ones decide."""
    match runs:
        case Times(count):
            return count, 1
        case Until(most, bad_after):
            return most, bad_after
        case _:
            return max(made, 1), 1


def _unclear(unclear: Sequence[CannotTell], runs: int, standard: Standard) -> str:
    """Figures that have no limit yet are not unclear: they are what the limit is made of."""
    if standard.policy.metric is not None and standard.limit is None:
        return unclear[0].reason
    return _counted("unclear", len(unclear), runs, unclear[0].reason)


def _counted(verb: str, count: int, runs: int, reason: str) -> str:
    return reason if runs == 1 else f"{verb} {count} of {runs}: {reason}"
