"""From a failing run to its signature, and the failures that say nothing about the commit.

Knows which frames are the project's. Whether a run failed at all is not decided here.
"""

from __future__ import annotations

import re
from signal import Signals

from bisector.model import Places, Run, Stopped
from bisector.oracles.signatures import (
    Died,
    Exited,
    FailedTest,
    Frame,
    OutOfMemory,
    Raised,
    Signature,
    TestsFailed,
    TimedOut,
)
from bisector.oracles.suites import failed_tests, nothing_to_test
from bisector.oracles.tracebacks import Step, Thrown, escaped, fatal_steps
from bisector.oracles.wording import reworded

NOT_RUNNABLE = {126: "cannot be executed", 127: "was not found"}
"""The shell's own statuses. An honest program may use them too: the shell also says so in words."""
SHELL_SAYS = re.compile(
    r"^.*(?:: (?:command )?not found|: No such file or directory|: Permission denied|: cannot execute\b.*"
    r"|: Exec format error|: bad interpreter: .*|: required file not found|: Is a directory)\s*$",
    re.MULTILINE,
)
IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")
MISSING = re.compile(r"No module named '?(?P<name>[\w.]+)'?")
SIGNALS_BY_STATUS = {128 + one.value: one.value for one in Signals if one.value <= Signals.SIGSYS}


def signature(run: Run, places: Places, module: str | None = None) -> Signature:
    """What this failing run is known by. `module`: the package under test, where its name is known.

    A limit first, then a signal (also one told through the shell, as 128 + its number), then a test runner's
    words, then the exception that escaped; last, the bare exit status.
    """
    if run.stopped is Stopped.TIMEOUT:
        return TimedOut()
    if run.stopped is Stopped.MEMORY:
        return OutOfMemory()
    status = run.exit_status or 0
    number = run.signal or SIGNALS_BY_STATUS.get(status)
    if number:
        return Died(number, _project_frame(fatal_steps(run.output), places, module))
    tests = failed_tests(run.output)
    if tests:
        return TestsFailed(tuple(FailedTest(one.test, reworded(one.error, places)) for one in tests))
    thrown = escaped(run.output)
    if thrown:
        return _raised(thrown, places, module)
    return Exited(status)


def unheard(run: Run) -> str | None:
    """Why this run is not the repro's word at all, or None: it could not be started, or it found no test."""
    if run.exit_status in NOT_RUNNABLE and (said := SHELL_SAYS.search(run.output)):
        return f"the repro {NOT_RUNNABLE[run.exit_status]}: {said.group().strip()}"
    return nothing_to_test(run.exit_status, run.output)


def untestable(failure: Signature, module: str | None = None) -> str | None:
    """Why this failure says nothing about the commit, or None.

    Something went wrong while the module under test was imported, or a package of somebody else's is missing.
    To be asked only of a failure unlike the one hunted: that one may be an import error itself.
    """
    match failure:
        case Raised(kind, message, importing=True):
            return f"cannot import {module or 'the project'}: {_last_name(kind)}: {message}"
        case Raised(kind, message) if _foreign_module(message, module) and _last_name(kind) in IMPORT_ERRORS:
            return f"{_last_name(kind)}: {message}"
        case TestsFailed(tests) if all(_foreign_module(one.error, module) for one in tests):
            return f"{tests[0].test}: {tests[0].error}"
        case _:
            return None


def _raised(thrown: Thrown, places: Places, module: str | None) -> Raised:
    links = [thrown]
    while (cause := links[-1].cause) is not None:
        links.append(cause)
    # What a worker process raised escapes through the library: its own frames are a link further back.
    frames = (_project_frame(link.steps, places, module) for link in links)
    return Raised(
        kind=thrown.kind,
        message=reworded(thrown.message, places),
        frame=next((frame for frame in frames if frame), None),
        importing=_importing(thrown.steps, places, module),
    )


def _project_frame(steps: tuple[Step, ...], places: Places, module: str | None) -> Frame | None:
    for step in reversed(steps):
        file = _inside(step.file, places, module)
        if file:
            return Frame(file, step.function or "<module>")
    return None


def _inside(file: str, places: Places, module: str | None) -> str | None:
    """The file as the project calls it: relative to the tree, or, installed, from its package on."""
    tree = places.tree.rstrip("/")
    installed = re.search(r"/(?:site|dist)-packages/(?P<rest>.+)$", file)
    if installed:
        package = installed["rest"].partition("/")[0].removesuffix(".py")
        return installed["rest"] if module and package == module.partition(".")[0] else None
    scratch = places.scratch.rstrip("/")
    if scratch and file.startswith(f"{scratch}/"):
        return None
    return file.removeprefix(f"{tree}/") if tree and file.startswith(f"{tree}/") else None


def _importing(steps: tuple[Step, ...], places: Places, module: str | None) -> bool:
    """Was the package itself being imported: is a frame the body of its `__init__` (or of its only file)?"""
    bodies = (_inside(step.file, places, module) for step in steps if step.function in ("<module>", None))
    top = module.partition(".")[0] if module else r"\w+"
    body = re.compile(rf"(?:^|/){top}(?:/__init__)?\.py$" if module else rf"(?:^|/){top}/__init__\.py$")
    return any(file is not None and body.search(file) for file in bodies)


def _foreign_module(message: str, module: str | None) -> bool:
    """Is a package missing that is not the one under test? Without knowing that one: none can be told."""
    missing = MISSING.search(message)
    return bool(missing and module and missing["name"].partition(".")[0] != module.partition(".")[0])


def _last_name(kind: str) -> str:
    return kind.rpartition(".")[2]
