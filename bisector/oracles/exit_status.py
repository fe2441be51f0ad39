"""The last oracle: the exit status or signal, and whether a failure is the one that is hunted."""

from __future__ import annotations

from bisector.oracles.failure import signature, unheard, untestable
from bisector.oracles.finding import CannotTell, Fails, FailsOtherwise, Finding, Seen, Standard, Works
from bisector.oracles.patterns import Search
from bisector.oracles.signatures import Exited, Raised, Signature, difference, words
from bisector.oracles.tracebacks import escaped

SKIPS = 125
LONGEST = 160
"""Characters of a line that are told."""


def read(seen: Seen, standard: Standard, search: Search) -> Finding | None:
    """Always has an answer.

    | the run                                                        | comes to            |
    |----------------------------------------------------------------|---------------------|
    | exit 0                                                         | works               |
    | exit 125; could not be started; found no test                  | cannot tell         |
    | the failing end's failure, and no pattern was to tell it       | fails               |
    | could not import the module under test, or a foreign package   | cannot tell         |
    | failed otherwise                                               | fails otherwise     |

    While the failing end's failure is not known yet, every failure counts as it; unless a pattern, a number
    or an array was to tell and did not.
    """
    run = seen.run
    if run.exit_status == 0:
        return Works("exit 0")
    if run.exit_status == SKIPS:
        return CannotTell("exit 125")
    if reason := unheard(run):
        return CannotTell(reason)
    failure = signature(run, seen.places, standard.module)
    expected = standard.signature
    differs = difference(failure, expected) if expected else None
    if expected and differs is None and not standard.failing_if:
        return Fails(f"same failure: {_told(failure, seen)}", failure)
    told_otherwise = standard.failing_if or standard.policy.metric or standard.policy.compare
    if expected is None and not told_otherwise:
        return Fails(_told(failure, seen), failure)
    if reason := untestable(failure, standard.module):
        return CannotTell(reason)
    return FailsOtherwise(f"another failure: {differs or _told(failure, seen)}", failure)


def _told(failure: Signature, seen: Seen) -> str:
    """As the run said it, not as it is compared. A bare status says little: its last line says more."""
    if isinstance(failure, Raised) and (thrown := escaped(seen.run.output)):
        message = _cut(thrown.message.strip().split("\n", 1)[0], seen)
        return f"{thrown.kind.rpartition('.')[2]}: {message}".removesuffix(": ")
    if not isinstance(failure, Exited):
        return words(failure)
    last = next((line.strip() for line in reversed(seen.run.output.splitlines()) if line.strip()), "")
    return f"{words(failure)}: {_cut(last, seen)}" if last else words(failure)


def _cut(line: str, seen: Seen) -> str:
    """Where the tree lies is our affair, and its path is long."""
    tree = seen.places.tree
    return (line.replace(f"{tree}/", "") if tree else line)[:LONGEST]
