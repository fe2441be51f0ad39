"""The decision table of the verdict, row by row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timezone

import pytest

from bisector.model import (
    Judgement,
    Outcome,
    Places,
    Purpose,
    Ran,
    Run,
    Stage,
    Stopped,
    Trial,
    Trouble,
    Untestable,
    Verdict,
)
from bisector.oracles.finding import (
    Alike,
    Apart,
    Comparison,
    Incomparable,
    IsTheReference,
    Limit,
    Standard,
)
from bisector.oracles.patterns import SearchResult, TookTooLong
from bisector.oracles.signatures import Exited, Frame, OutOfMemory, Raised, Signature, TimedOut
from bisector.recipe.schema import (
    Absolute,
    Compare,
    Confidence,
    Measure,
    Metric,
    Policy,
    Reaction,
    Times,
    Until,
    Worse,
)
from bisector.verdict import Tally, failure_at_end, findings, judge, shared_failure, tally

OLD, NEW, SKIP, ERROR = Judgement.OLD, Judgement.NEW, Judgement.SKIP, Judgement.ERROR


def run(
    status: int | None = 0,
    output: str = "",
    signal: int | None = None,
    stopped: Stopped | None = None,
    seconds: float = 1.0,
    memory: int | None = None,
) -> Run:
    if signal is not None:
        status = None
    return Run(status, signal, stopped, seconds, seconds, memory, output, len(output))


def ran(*runs: Run) -> Ran:
    return Ran(runs, Places(tree="/slot", scratch="/scratch"))


def raising(error: str, *frames: str) -> Run:
    """A run that ended in a traceback; a frame is `file:function`."""
    steps = [tuple(frame.split(":")) for frame in ("/scratch/repro.py:<module>", *frames)]
    lines = [f'  File "{file}", line 7, in {function}\n    code\n' for file, function in steps]
    return run(1, "Traceback (most recent call last):\n" + "".join(lines) + error + "\n")


def trial(outcome: Outcome) -> Trial:
    return Trial(
        commit="a" * 40,
        key="k",
        purpose=Purpose.SEARCH,
        started=datetime(2026, 1, 1, tzinfo=timezone.utc),
        outcome=outcome,
        environment=None,
        seconds=1.0,
        checkout_seconds=0.1,
        install_seconds=0.1,
        repro_seconds=0.8,
        log="",
    )


AXIS = raising("IndexError: axis 3 out of bounds", "/slot/shop/core.py:pick")
AXIS_SIGNATURE = Raised("IndexError", "axis 3 out of bounds", Frame("shop/core.py", "pick"))
NAME = raising("ImportError: cannot import name 'pick' from 'shop' (/slot/shop/__init__.py)")
LOOP = raising("KeyError: 'nx-loopback'", "/slot/shop/__init__.py:<module>", "/slot/shop/backends.py:find")
TYPE = raising("TypeError: unfinished", "/slot/shop/core.py:pick")
HANG = run(None, stopped=Stopped.TIMEOUT, signal=9, seconds=12.04)
HOG = run(0, stopped=Stopped.MEMORY, memory=512 << 20)
PLAIN = Standard(Policy(), module="shop")
KNOWN = replace(PLAIN, signature=AXIS_SIGNATURE)
FIX = replace(KNOWN, working=NEW)


def policy(standard: Standard = PLAIN, **changes: object) -> Standard:
    return replace(standard, policy=replace(standard.policy, **changes))  # type: ignore[arg-type]


ABOVE = Limit(2.0, Worse.HIGHER, "2")
SLOW = replace(policy(metric=Metric(Measure.WALL_TIME, threshold=Absolute(2.0))), limit=ABOVE)
TOOK = replace(policy(metric=Metric(r"took ([\d.]+)", threshold=Absolute(2.0))), limit=ABOVE)


@dataclass(frozen=True)
class Row:
    outcome: Outcome
    standard: Standard
    judgement: Judgement
    reason: str


ROWS = {
    "it works": Row(ran(run()), PLAIN, OLD, "exit 0"),
    "it works, in a hunt for a fix": Row(ran(run()), FIX, NEW, "exit 0"),
    "it asks to be skipped": Row(ran(run(125)), KNOWN, SKIP, "exit 125"),
    "it fails before the failure is known": Row(ran(AXIS), PLAIN, NEW, "IndexError: axis 3 out of bounds"),
    "an import error at the failing end is a failure": Row(ran(LOOP), PLAIN, NEW, "KeyError: 'nx-loopback'"),
    "where the tree lies is not told": Row(
        ran(NAME), PLAIN, NEW, "ImportError: cannot import name 'pick' from 'shop' (shop/__init__.py)"
    ),
    "it fails in the same way": Row(ran(AXIS), KNOWN, NEW, "same failure: IndexError: axis 3 out of bounds"),
    "it fails in the same way, in a hunt for a fix": Row(
        ran(AXIS), FIX, OLD, "same failure: IndexError: axis 3 out of bounds"
    ),
    "it fails in another way": Row(
        ran(TYPE),
        KNOWN,
        SKIP,
        "another failure: TypeError: unfinished instead of IndexError: axis 3 out of bounds",
    ),
    "it fails in another way, which counts": Row(
        ran(TYPE),
        policy(KNOWN, other_failure=Reaction.NEW),
        NEW,
        "another failure: TypeError: unfinished instead of IndexError: axis 3 out of bounds",
    ),
    "the package cannot be imported": Row(
        ran(LOOP), KNOWN, SKIP, "cannot import shop: KeyError: 'nx-loopback'"
    ),
    "the package cannot be imported, though other failures count": Row(
        ran(LOOP),
        policy(KNOWN, other_failure=Reaction.NEW),
        SKIP,
        "cannot import shop: KeyError: 'nx-loopback'",
    ),
    "the package cannot be imported, which is what is hunted": Row(
        ran(LOOP),
        replace(KNOWN, signature=Raised("KeyError", "'nx-loopback'", importing=True)),
        NEW,
        "same failure: KeyError: 'nx-loopback'",
    ),
    "a foreign package is missing": Row(
        ran(raising("ModuleNotFoundError: No module named 'scipy'", "/slot/shop/core.py:pick")),
        KNOWN,
        SKIP,
        "ModuleNotFoundError: No module named 'scipy'",
    ),
    "the same status": Row(
        ran(run(3, "a\nlast words of /slot/make.sh\n\n")),
        replace(PLAIN, signature=Exited(3)),
        NEW,
        "same failure: exit 3: last words of make.sh",
    ),
    "a signal": Row(
        ran(run(signal=11)),
        KNOWN,
        SKIP,
        "another failure: killed by SIGSEGV instead of IndexError: axis 3 out of bounds",
    ),
    "the repro's command does not exist": Row(
        ran(run(127, "sh: 1: pythno: not found\n")),
        PLAIN,
        SKIP,
        "the repro was not found: sh: 1: pythno: not found",
    ),
    "an interrupted run": Row(
        ran(run(signal=9, output="IndexError", stopped=Stopped.CANCELLED)),
        policy(new_if="IndexError"),
        ERROR,
        "cancelled",
    ),
    # limits
    "a timeout": Row(ran(HANG), KNOWN, SKIP, "timed out after 12s"),
    "a timeout that is bad": Row(
        ran(HANG), policy(KNOWN, on_timeout=Reaction.NEW), NEW, "timed out after 12s"
    ),
    "a timeout that is good": Row(
        ran(HANG), policy(KNOWN, on_timeout=Reaction.OLD), OLD, "timed out after 12s"
    ),
    "a timeout that ends the hunt": Row(
        ran(HANG),
        policy(KNOWN, on_timeout=Reaction.ABORT),
        ERROR,
        "timed out after 12s; the recipe says to abort then",
    ),
    "a timeout in a hunt for a hang": Row(
        ran(HANG), replace(PLAIN, signature=TimedOut()), NEW, "same failure: timed out after 12s"
    ),
    "a failure in a hunt for a hang": Row(
        ran(TYPE),
        replace(policy(on_timeout=Reaction.NEW), signature=TimedOut()),
        SKIP,
        "another failure: TypeError: unfinished instead of timed out",
    ),
    "memory, though the parent exits 0": Row(ran(HOG), PLAIN, SKIP, "out of memory at 512 MiB"),
    "memory that is bad": Row(ran(HOG), policy(on_memory=Reaction.NEW), NEW, "out of memory at 512 MiB"),
    "memory in a hunt for a leak": Row(
        ran(HOG), replace(PLAIN, signature=OutOfMemory()), NEW, "same failure: out of memory at 512 MiB"
    ),
    # the recipe's patterns
    "skip_if before all others": Row(
        ran(run(1, "no GPU here\nIndexError: axis")),
        policy(skip_if="no GPU", new_if="IndexError"),
        SKIP,
        "skip_if found: no GPU here",
    ),
    "bad_if, though it exits 0": Row(
        ran(run(0, "warning: IndexError: axis 3")),
        policy(new_if="IndexError: .*axis"),
        NEW,
        "found: warning: IndexError: axis 3",
    ),
    "bad_if before a timeout": Row(
        ran(replace(HANG, output="deadlock!")), policy(new_if="deadlock"), NEW, "found: deadlock!"
    ),
    "bad_if not found, exit 0": Row(ran(run(0, "fine")), policy(new_if="IndexError"), OLD, "exit 0"),
    "bad_if not found, it fails": Row(
        ran(TYPE), policy(new_if="IndexError"), SKIP, "another failure: TypeError: unfinished"
    ),
    "bad_if not found in what fails with the same status": Row(
        ran(run(1, "another boom")),
        replace(policy(new_if="IndexError"), signature=Exited(1)),
        SKIP,
        "another failure: exit 1: another boom",
    ),
    "bad_if not found in what hangs likewise": Row(
        ran(HANG), replace(policy(new_if="deadlock"), signature=TimedOut()), SKIP, "timed out after 12s"
    ),
    "good_if, though it fails": Row(
        ran(run(1, "42 found")), policy(KNOWN, old_if=r"\d+ found"), OLD, "found: 42 found"
    ),
    "good_if not found, exit 0": Row(
        ran(run(0, "41 lost")), policy(old_if=r"\d+ found"), NEW, r"exit 0, but nothing matches \d+ found"
    ),
    "neither of two found, exit 0": Row(
        ran(run(0, "hm")),
        policy(old_if="a+", new_if="b+"),
        SKIP,
        "exit 0, and neither side's pattern was found",
    ),
    "both found": Row(
        ran(run(0, "aa\nbb")), policy(old_if="a+", new_if="b+"), SKIP, "both sides' patterns found: bb / aa"
    ),
    "the broken side's pattern, in a hunt for a fix": Row(
        ran(run(0, "broken")), policy(FIX, old_if="broken"), OLD, "found: broken"
    ),
    "the fixed side's pattern, in a hunt for a fix": Row(
        ran(run(1, "repaired")), policy(FIX, new_if="repaired"), NEW, "found: repaired"
    ),
    # numbers
    "slow": Row(ran(run(seconds=3.25)), SLOW, NEW, "3.25, higher than 2"),
    "fast": Row(ran(run(seconds=1.5)), SLOW, OLD, "1.5, not higher than 2"),
    "slow by its own account": Row(ran(run(0, "took 1\ntook 5.5 s")), TOOK, NEW, "5.5, higher than 2"),
    "silent about it": Row(
        ran(run(0, "done")), TOOK, SKIP, r"the output holds no number after took ([\d.]+)"
    ),
    "no number after all": Row(ran(run(0, "took ..")), TOOK, SKIP, "not a number: '..' in 'took ..'"),
    "a crash in a hunt for slowness": Row(ran(TYPE), SLOW, SKIP, "another failure: TypeError: unfinished"),
    "a number before the limit is known": Row(
        ran(run(seconds=3.0)),
        policy(metric=Metric(Measure.WALL_TIME)),
        SKIP,
        "measured 3; the ends have given no limit yet",
    ),
    "memory that cannot be measured": Row(
        ran(run()),
        replace(policy(metric=Metric(Measure.PEAK_MEMORY)), limit=ABOVE),
        SKIP,
        "this machine could not measure the memory",
    ),
    # several runs
    "one failure among several": Row(
        ran(run(), AXIS, run()),
        policy(KNOWN, runs=Times(3)),
        NEW,
        "fails 1 of 3: same failure: IndexError: axis 3 out of bounds",
    ),
    "all of several work": Row(ran(run(), run(), run()), policy(runs=Times(3)), OLD, "works 3 of 3: exit 0"),
    "a run is missing": Row(ran(run(), run()), policy(runs=Times(3)), SKIP, "only 2 of 3 runs were made"),
    "one of several cannot tell": Row(
        ran(run(), run(125), run()), policy(runs=Times(3)), SKIP, "unclear 1 of 3: exit 125"
    ),
    "stopped early by enough failures": Row(
        ran(run(), AXIS, AXIS),
        policy(KNOWN, runs=Until(10, 2)),
        NEW,
        "fails 2 of 3: same failure: IndexError: axis 3 out of bounds",
    ),
    "fewer failures than it takes": Row(
        ran(run(), AXIS, run()), policy(KNOWN, runs=Until(3, 2)), OLD, "fails 1 of 3, fewer than 2"
    ),
    "an abort among several": Row(
        ran(run(), HANG),
        policy(runs=Times(2), on_timeout=Reaction.ABORT),
        ERROR,
        "timed out after 12s; the recipe says to abort then",
    ),
    "no run at all": Row(ran(), PLAIN, SKIP, "only 0 of 1 runs were made"),
    # before the repro
    "our own trouble": Row(Trouble("the disk is full"), KNOWN, ERROR, "the disk is full"),
    "not installed": Row(Untestable(Stage.INSTALL, "no wheel"), KNOWN, SKIP, "no wheel"),
    "not installed, with detail": Row(Untestable(Stage.INSTALL, "no wheel\n$ gcc"), KNOWN, SKIP, "no wheel"),
    "not installed, which is hunted": Row(
        Untestable(Stage.INSTALL, "no wheel"), policy(on_install_failure=Reaction.NEW), NEW, "no wheel"
    ),
    "not installed, which ends the hunt": Row(
        Untestable(Stage.INSTALL, "no wheel"),
        policy(on_install_failure=Reaction.ABORT),
        ERROR,
        "no wheel; the recipe says to abort then",
    ),
    "no interpreter, though failing installs are hunted": Row(
        Untestable(Stage.INTERPRETER, "no python 3.5"),
        policy(on_install_failure=Reaction.NEW),
        SKIP,
        "no python 3.5",
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_the_verdict_on(row: Row) -> None:
    assert judge(trial(row.outcome), row.standard) == Verdict(row.judgement, row.reason)


COMPARE = policy(compare=Compare("out.pt"))
COMPARED: dict[str, tuple[Run, tuple[Comparison, ...], Judgement, str]] = {
    "it agrees": (run(), (Alike(1e-7),), OLD, "out.pt agrees (largest error 1e-07)"),
    "it does not": (run(), (Apart("weight: 0.5 at [3]"),), NEW, "weight: 0.5 at [3]"),
    "it saved nothing": (run(), (Incomparable("no out.pt"),), SKIP, "no out.pt"),
    "the working end itself": (run(), (IsTheReference(),), OLD, "out.pt is what others are compared with"),
    "nobody compared it": (run(), (), SKIP, "out.pt was not compared"),
    "it failed before": (TYPE, (Alike(0.0),), SKIP, "another failure: TypeError: unfinished"),
}


@pytest.mark.parametrize("one, comparisons, judgement, reason", COMPARED.values(), ids=COMPARED.keys())
def test_the_verdict_by_a_saved_file_when(
    one: Run, comparisons: tuple[Comparison, ...], judgement: Judgement, reason: str
) -> None:
    assert judge(trial(ran(one)), COMPARE, comparisons=comparisons) == Verdict(judgement, reason)


def test_a_pattern_that_explodes_ends_the_hunt_and_judges_nothing() -> None:
    def exploding(pattern: str, text: str) -> SearchResult:
        return TookTooLong(2.0)

    verdict = judge(trial(ran(run())), policy(new_if="(a+)+b"), exploding)
    assert verdict == Verdict(ERROR, "a pattern of the recipe searched for 2s without an end: simplify it")


def test_another_policy_judges_the_same_facts_anew() -> None:
    observed = trial(ran(TYPE))
    assert judge(observed, KNOWN).judgement is SKIP
    assert judge(observed, policy(KNOWN, other_failure=Reaction.NEW)).judgement is NEW
    assert judge(observed, policy(KNOWN, old_if="unfinished")).judgement is OLD


def test_a_tally_counts_what_a_search_weighs() -> None:
    flaky = policy(KNOWN, runs=Confidence(0.95))
    found = findings(ran(AXIS, run(), run(125), TYPE, AXIS), flaky)
    assert tally(found, flaky) == Tally(failing=2, working=1, unclear=2)


def test_the_failing_end_gives_the_signature_from_what_its_failures_share() -> None:
    two = ran(
        raising("IndexError: edge 3 is out", "/slot/shop/core.py:pick"),
        run(),
        raising("IndexError: edge 4 is out", "/slot/shop/core.py:pick"),
    )
    expected = Raised("IndexError", "edge <*> is out", Frame("shop/core.py", "pick"))
    assert shared_failure(findings(two, PLAIN)) == expected


ENDS: dict[str, tuple[tuple[Ran, ...], Standard, Signature | None]] = {
    "the same twice": ((ran(AXIS), ran(AXIS)), PLAIN, AXIS_SIGNATURE),
    "once of twice": ((ran(AXIS), ran(run())), PLAIN, AXIS_SIGNATURE),
    "two unlike failures": ((ran(AXIS), ran(TYPE), ran(AXIS)), PLAIN, None),
    "no failure": ((ran(run()),), PLAIN, None),
    "a hang": ((ran(HANG), ran(HANG)), PLAIN, TimedOut()),
    "a hang, in a hunt for a fix": ((ran(HANG), ran(HANG)), replace(FIX, signature=None), TimedOut()),
    "a lack of memory": ((ran(HOG),), PLAIN, OutOfMemory()),
    "a hang or a failure": ((ran(HANG), ran(AXIS)), PLAIN, None),
    "a hang that the recipe calls good": ((ran(HANG),), policy(on_timeout=Reaction.OLD), None),
}


@pytest.mark.parametrize("rans, standard, expected", ENDS.values(), ids=ENDS.keys())
def test_the_signature_of_a_failing_end_that_shows(
    rans: tuple[Ran, ...], standard: Standard, expected: Signature | None
) -> None:
    assert failure_at_end(rans, standard) == expected
