"""Signatures of real failures: real interpreters, real test runners, real signals."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bisector.model import Places, Run, Stopped
from bisector.oracles.failure import signature, unheard, untestable
from bisector.oracles.patterns import Found, search
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
    as_pattern,
    difference,
)

RunPython = Callable[[str], Run]
Project = Callable[[str, str], None]

PACKAGE = """
import os
def pick(items, at):
    return items[at]

def deeper(items):
    return pick(items, len(items))

def chained():
    try:
        {}["a"]
    except KeyError as e:
        raise ValueError("no such thing: %r" % os.getcwd()) from e

def in_passing():
    try:
        {}["a"]
    except KeyError:
        raise ValueError("second")

def bare():
    assert False
"""


@pytest.fixture(autouse=True)
def package(project: Project) -> None:
    project("shop/__init__.py", "")
    project("shop/core.py", PACKAGE)
    project("shop/broken.py", "def f(:\n    pass\n")
    project("shop/needs.py", "def later():\n    import nowhere_at_all\n")


PICK = Frame("shop/core.py", "pick")
FROM_A_WORKER = """
from concurrent.futures import ProcessPoolExecutor
from shop.core import deeper
if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        print(pool.submit(deeper, [1]).result())
"""
A_THREAD_AND_THEN_MORE = """
import sys, threading
from shop.core import deeper
t = threading.Thread(target=deeper, args=([1],)); t.start(); t.join()
raise RuntimeError("main")
"""
A_THREAD_ONLY = """
import sys, threading
from shop.core import deeper
t = threading.Thread(target=deeper, args=([1],)); t.start(); t.join()
sys.exit(1)
"""
SHRUGGED_OFF_AT_THE_END = """
from shop.core import deeper
class Untidy:
    def __del__(self):
        raise OSError("while being deleted")
kept = Untidy()
deeper([1])
"""
LOGGED_BEFORE = """
import logging
from shop.core import deeper
try:
    1 / 0
except ZeroDivisionError:
    logging.exception("went on")
deeper([1])
"""
FLUSHED_AFTERWARDS = """
from shop.core import deeper
print("drift", 0.55)
print("KeyError: not raised at all, only printed")
deeper([1])
"""
OVER_SEVERAL_LINES = """
raise AssertionError("\\nNot equal to tolerance rtol=1e-07, atol=0\\n\\nMismatched elements: 1 / 3 (33.3%)")
"""
IN_A_GROUP = """
from shop.core import deeper
def inner():
    try:
        deeper([1])
    except IndexError as e:
        raise ExceptionGroup("unhandled errors in a TaskGroup", [e])
inner()
"""

RAISED: dict[str, tuple[str, Raised]] = {
    "an exception inside the project": (
        "from shop.core import deeper; deeper([1, 2])",
        Raised("IndexError", "list index out of range", PICK),
    ),
    "the repro's own assertion": (
        "drift = 0.5534\nassert drift < 1e-5, f'drift {drift}'",
        Raised("AssertionError", "drift <float>"),
    ),
    "raised from another": (
        "from shop.core import chained; chained()",
        Raised("ValueError", "no such thing: '<scratch>'", Frame("shop/core.py", "chained")),
    ),
    "raised while handling another": (
        "from shop.core import in_passing; in_passing()",
        Raised("ValueError", "second", Frame("shop/core.py", "in_passing")),
    ),
    "by the repro while it handles one of the project's": (
        "from shop.core import deeper\ntry:\n    deeper([])\nexcept IndexError:\n    raise OSError('mine')",
        Raised("OSError", "mine"),
    ),
    "in a thread, raised from another": (
        "import threading; from shop.core import chained; import sys\n"
        "t = threading.Thread(target=chained); t.start(); t.join(); raise RuntimeError('main')",
        Raised("RuntimeError", "main"),
    ),
    "without a message": (
        "from shop.core import bare; bare()",
        Raised("AssertionError", "", Frame("shop/core.py", "bare")),
    ),
    "raised in a worker process": (FROM_A_WORKER, Raised("IndexError", "list index out of range", PICK)),
    "in the main thread after one in another": (A_THREAD_AND_THEN_MORE, Raised("RuntimeError", "main")),
    "in another thread only": (A_THREAD_ONLY, Raised("IndexError", "list index out of range", PICK)),
    "followed by one that the interpreter ignores": (
        SHRUGGED_OFF_AT_THE_END,
        Raised("IndexError", "list index out of range", PICK),
    ),
    "after one that was only logged": (LOGGED_BEFORE, Raised("IndexError", "list index out of range", PICK)),
    "with the program's own words flushed afterwards": (
        FLUSHED_AFTERWARDS,
        Raised("IndexError", "list index out of range", PICK),
    ),
    "whose message begins with a line break": (
        OVER_SEVERAL_LINES,
        Raised("AssertionError", "Not equal to tolerance rtol=<float>, atol=0"),
    ),
    "a syntax error in the project": (
        "import shop.broken",
        Raised("SyntaxError", "invalid syntax", Frame("shop/broken.py", "<module>")),
    ),
    "a syntax error in the repro": ("def f(:\n    pass", Raised("SyntaxError", "invalid syntax")),
    "a recursion without end": (
        "def f(n):\n    return f(n + 1)\nf(0)",
        Raised("RecursionError", "maximum recursion depth exceeded"),
    ),
    "a name that the interpreter guesses at": (
        "import os; os.getcdw()",
        Raised("AttributeError", "module 'os' has no attribute 'getcdw'"),
    ),
}
if sys.version_info >= (3, 11):
    RAISED["in an exception group"] = (IN_A_GROUP, Raised("IndexError", "list index out of range", PICK))


@pytest.mark.parametrize("script, expected", RAISED.values(), ids=RAISED.keys())
def test_an_exception_is_known_by_class_message_and_frame(
    script: str, expected: Raised, run_python: RunPython, places: Places
) -> None:
    assert signature(run_python(script), places, "shop") == expected


@pytest.mark.parametrize("script", [row[0] for row in RAISED.values()], ids=RAISED.keys())
def test_its_pattern_for_the_recipe_finds_it_again(
    script: str, run_python: RunPython, places: Places
) -> None:
    run = run_python(script)
    pattern = as_pattern(signature(run, places, "shop"))
    assert pattern is not None
    assert isinstance(search(pattern, run.output), Found)


SHELL: dict[str, tuple[str, Signature]] = {
    "a plain status": ("echo oh; exit 3", Exited(3)),
    "a status above the signals": ("exit 255", Exited(255)),
    "a signal to the shell": ("kill -KILL $$", Died(signal.SIGKILL)),
    "a signal told through the shell": ("sh -c 'kill -SEGV $$'; exit $?", Died(signal.SIGSEGV)),
    "a segmentation fault that faulthandler tells": (
        "python -X faulthandler -c 'import crash; crash.deep()'; exit $?",
        Died(signal.SIGSEGV, Frame("crash.py", "inner")),
    ),
    "unittest": (
        "python -m unittest -q test_shop",
        TestsFailed(
            (
                FailedTest("test_shop.Shop.test_error", "IndexError: list index out of range"),
                FailedTest("test_shop.Shop.test_sum", "AssertionError: 1 != 2"),
                FailedTest("test_shop.Shop.test_sum_documented", "AssertionError: 3 != 4 : sums"),
            )
        ),
    ),
    "pytest": (
        "python -m pytest -q -p no:cacheprovider test_pytest_style.py",
        TestsFailed(
            (
                FailedTest("test_pytest_style.py::test_plain", "assert 1 == 2"),
                FailedTest(
                    "test_pytest_style.py::test_with_parameters[a - b]",
                    "ValueError: this message is long enough to be cut in the summary by "
                    "eighty columns, and then the whole of it is found above",
                ),
                FailedTest("test_pytest_style.py::test_fixture", "KeyError: 'nothing'"),
            )
        ),
    ),
    "a test file that cannot be imported": (
        "python -m pytest -q -p no:cacheprovider test_unloadable.py",
        TestsFailed((FailedTest("test_unloadable.py", "ModuleNotFoundError: No module named 'shop.gone'"),)),
    ),
}
TEST_FILES = {
    "crash.py": "import ctypes\ndef inner():\n    ctypes.string_at(0)\ndef deep():\n    inner()\n",
    "test_unloadable.py": "import shop.gone\n",
    "test_shop.py": '''
import unittest
from shop.core import deeper
class Shop(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(1, 2)
    def test_sum_documented(self):
        """With a line of its own."""
        self.assertEqual(3, 4, "sums")
    def test_error(self):
        deeper([])
    def test_fine(self):
        pass
''',
    "test_pytest_style.py": """
import pytest
@pytest.fixture
def broken():
    raise KeyError("nothing")
def test_plain():
    assert 1 == 2
@pytest.mark.parametrize("x", ["a - b"])
def test_with_parameters(x):
    raise ValueError("this message is long enough to be cut in the summary by "
                     "eighty columns, and then the whole of it is found above")
def test_fixture(broken):
    pass
""",
}


@pytest.fixture
def test_files(project: Project) -> None:
    for name, text in TEST_FILES.items():
        project(name, text)


@pytest.mark.usefixtures("test_files")
@pytest.mark.parametrize("command, expected", SHELL.values(), ids=SHELL.keys())
def test_another_failure_is_known_by_tests_signal_or_status(
    command: str, expected: Signature, run_shell: RunPython, places: Places
) -> None:
    run = run_shell(command)
    assert signature(run, places, "shop") == expected, run.output


@pytest.mark.usefixtures("test_files")
def test_the_pattern_of_failed_tests_finds_them_again(run_shell: RunPython, places: Places) -> None:
    for command, _ in (SHELL["unittest"], SHELL["pytest"]):
        run = run_shell(command)
        pattern = as_pattern(signature(run, places))
        assert pattern is not None
        assert isinstance(search(pattern, run.output), Found)


def test_a_run_ended_by_a_limit_is_known_by_the_limit_whatever_it_wrote(
    run_python: RunPython, places: Places
) -> None:
    run = run_python("raise KeyError('a')")
    assert signature(replace(run, stopped=Stopped.TIMEOUT), places) == TimedOut()
    assert signature(replace(run, stopped=Stopped.MEMORY, exit_status=0), places) == OutOfMemory()


UNHEARD = {
    "a command that does not exist": ("no-such-command-here --now", "the repro was not found: "),
    "a file that may not be executed": ("./data.txt", "the repro cannot be executed: "),
    "a script that does not exist": ("/nowhere/at/all.sh", "the repro was not found: "),
    "an interpreter that does not exist": ("./script", "the repro was not found: "),
    "a test that this commit does not have": (
        "python -m pytest -q -p no:cacheprovider test_pytest_style.py::test_new",
        "ERROR: not found: ",
    ),
    "a test file that this commit does not have": (
        "python -m pytest -q -p no:cacheprovider test_new.py",
        "ERROR: file or directory not found: test_new.py",
    ),
    "a selection without a test": (
        "python -m pytest -q -p no:cacheprovider test_pytest_style.py -k nothing_like_it",
        "3 deselected in",
    ),
}


@pytest.mark.usefixtures("test_files")
@pytest.mark.parametrize("command, reason", UNHEARD.values(), ids=UNHEARD.keys())
def test_what_never_ran_is_not_the_repros_word(
    command: str, reason: str, run_shell: RunPython, places: Places
) -> None:
    Path(places.tree, "data.txt").write_text("no program\n")
    script = Path(places.tree, "script")
    script.write_text("#!/nowhere/python\n")
    script.chmod(0o755)
    run = run_shell(command)
    assert (unheard(run) or f"heard: {run}").startswith(reason)


HEARD = {
    "an honest status 127": "echo all went well; exit 127",
    "an honest status 126": "echo permission was given; exit 126",
    "an honest status 5": "echo five; exit 5",
    "a file missing to the program itself": "ls /nowhere/at/all",
}


@pytest.mark.parametrize("command", HEARD.values(), ids=HEARD.keys())
def test_a_program_may_use_the_shells_statuses_itself(command: str, run_shell: RunPython) -> None:
    assert unheard(run_shell(command)) is None


UNTESTABLE = {
    "the package cannot be imported": (
        {
            "shop/__init__.py": "import shop.backends",
            "shop/backends.py": "def find():\n    {}['loop']\nfind()\n",
        },
        "import shop",
        "cannot import shop: KeyError: 'loop'",
    ),
    "the package is a syntax error": (
        {"shop/__init__.py": "import shop.broken"},
        "import shop",
        "cannot import shop: SyntaxError: invalid syntax",
    ),
    "the package imports another that is missing": (
        {"shop/__init__.py": "import decorator_of_old"},
        "import shop",
        "cannot import shop: ModuleNotFoundError: No module named 'decorator_of_old'",
    ),
    "a foreign package is missing later on": (
        {},
        "from shop.needs import later; later()",
        "ModuleNotFoundError: No module named 'nowhere_at_all'",
    ),
}


@pytest.mark.parametrize("files, script, reason", UNTESTABLE.values(), ids=UNTESTABLE.keys())
def test_a_failed_import_says_nothing_about_the_commit(
    files: dict[str, str], script: str, reason: str, project: Project, run_python: RunPython, places: Places
) -> None:
    for name, text in files.items():
        project(name, text)
    assert untestable(signature(run_python(script), places, "shop"), "shop") == reason


TESTABLE = {
    "a part of the project that is not there": "import shop.feature_to_come",
    "a name that is not there": "from shop.core import feature_to_come",
    "a part that cannot be compiled": "import shop.broken",
    "a failure after the import": "from shop.core import deeper; deeper([])",
}


@pytest.mark.parametrize("script", TESTABLE.values(), ids=TESTABLE.keys())
def test_other_failures_are_the_projects_word(script: str, run_python: RunPython, places: Places) -> None:
    failure = signature(run_python(script), places, "shop")
    assert isinstance(failure, Raised)
    assert untestable(failure, "shop") is None


def test_the_same_exception_from_another_place_is_another_failure(
    project: Project, run_python: RunPython, places: Places
) -> None:
    project("shop/other.py", "def unrelated():\n    return [][1]\n")
    one = signature(run_python("from shop.core import deeper; deeper([1])"), places)
    other = signature(run_python("from shop.other import unrelated; unrelated()"), places)
    assert difference(other, one) == (
        "IndexError: list index out of range in shop/other.py:unrelated instead of shop/core.py:pick"
    )


def test_an_installed_package_is_the_project_too() -> None:
    output = (
        "Traceback (most recent call last):\n"
        '  File "/scratch/repro.py", line 1, in <module>\n    x\n'
        '  File "/env/lib/python3.11/site-packages/shop/core.py", line 3, in pick\n    x\n'
        '  File "/env/lib/python3.11/site-packages/numpy/core.py", line 3, in asarray\n    x\n'
        "numpy.exceptions.AxisError: axis 3 is out of bounds for array of dimension 2\n"
    )
    run = Run(1, None, None, 0.1, 0.1, None, output, len(output))
    assert signature(run, Places(tree="/slot", scratch="/scratch"), "shop") == Raised(
        "numpy.exceptions.AxisError", "axis 3 is out of bounds for array of dimension 2", PICK
    )


def test_a_traceback_whose_beginning_was_cut_off_is_still_one() -> None:
    output = (
        "h 12, in outer\n    inner()\n"
        '  File "/slot/shop/core.py", line 3, in pick\n    return items[at]\n           ~~~~~^^^^\n'
        "IndexError: list index out of range\n"
    )
    run = Run(1, None, None, 0.1, 0.1, None, output.split("\n", 1)[1], len(output))
    assert signature(run, Places(tree="/slot")) == Raised("IndexError", "list index out of range", PICK)


FLOODS = {
    "a line without an end": "=" * 10**6,
    "colons": "a" + ":" * 10**6,
    "the beginning of a section": "_ " * 10**5 + "\n" + "_" * 10**6,
    "headers of tracebacks": "Traceback (most recent call last):\n" * 10**4,
    "frames": "Traceback (most recent call last):\n" + '  File "a", line 1, in f\n' * 10**4,
    "quotes": '  File "' * 10**5,
    "test reports": ("=" * 70 + "\nFAIL: a\n" + "-" * 70 + "\nTraceback (most recent call last):\n") * 2000,
    "summaries": "FAILED a[" * 10**5,
    "escapes": "\x1b[" * 10**5,
    "what a shell says": ": not found" * 10**5,
}


@pytest.mark.parametrize("output", FLOODS.values(), ids=FLOODS.keys())
@pytest.mark.parametrize("status", [1, 4, 127, 139])
def test_a_flood_of_output_costs_no_more_than_it_is_long(output: str, status: int) -> None:
    run = Run(status, None, None, 0.1, 0.1, None, output, len(output))
    failure = signature(run, Places(tree="/slot"))
    assert as_pattern(failure) is None or len(str(as_pattern(failure))) < 5000
    assert untestable(failure) is None
    assert unheard(run) is None or status == 127
