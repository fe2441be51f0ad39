"""Test runners' own words: which tests failed, and with what error. pytest and unittest.

Knows their output formats; what a project is and what counts as the same failure, others know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bisector.oracles.signatures import FailedTest
from bisector.oracles.tracebacks import bounded_lines, escaped

SUMMARY = re.compile(r"^=+ short test summary info =+$")
BRIEF = re.compile(r"^(?:FAILED|ERROR) (?P<test>[^\s\[]+(?:\[.*?\])?)(?: - (?P<error>.*))?$")
VERBOSE = re.compile(r"^(?P<test>[^\s\[]+::[^\s\[]+(?:\[.*?\])?) (?:FAILED|ERROR)\b")
SECTION = re.compile(r"^_+ (?:ERROR (?:collecting|at \w+ of) )?(?P<title>\S.*?) _+$")
EXPLAINED = re.compile(r"^E   +(?P<error>\S.*)$")
UNITTEST = re.compile(
    r"^={70}\n(?:FAIL|ERROR): (?P<name>\S+)(?: \((?P<where>[\w.]+)\))?(?P<sub>.*)\n"
    r"(?:.*\n){0,3}?-{70}\n"
    r"(?P<body>Traceback \(most recent call last\):\n(?:.+\n|\n(?=  |The above|During|Traceback))*)",
    re.MULTILINE,
)
NO_SUCH_TEST = re.compile(
    r"^(?:ERROR: (?:file or directory not found|not found|unrecognized arguments): .*"
    r"|[\w.-]{1,80}: error: unrecognized arguments: .*"
    r"|(?:=+ )?(?:no tests ran|\d+ deselected) in \S+)",
    re.MULTILINE,
)
PYTEST_SAW_NOTHING = (4, 5)
"""pytest's statuses for a command line that it cannot serve and for no test found."""


def failed_tests(output: str) -> tuple[FailedTest, ...]:
    """As the runner tells them, in its order; empty when no runner spoke."""
    return tuple(_pytest(output)) or tuple(_unittest(output))


def nothing_to_test(status: int | None, output: str) -> str | None:
    """pytest's reason for having run no test: the commit has no such test, or lacks a plug-in."""
    if status not in PYTEST_SAW_NOTHING:
        return None
    found = NO_SUCH_TEST.search(output)
    return found.group().strip("= ") if found else None


def _pytest(output: str) -> Iterator[FailedTest]:
    lines = bounded_lines(output)
    explained = _explained(lines)
    summaries = [number for number, line in enumerate(lines) if SUMMARY.match(line)]
    told = lines[summaries[-1] + 1 :] if summaries else lines
    for line in told:
        found = (BRIEF if summaries else VERBOSE).match(line)
        if found:
            error = found.groupdict().get("error") or ""
            yield FailedTest(found["test"], _in_full(error, explained.get(_title(found["test"]), "")))


def _explained(lines: list[str]) -> dict[str, str]:
    """Each section's error: of the last group of E lines (the exception that escaped) the first."""
    errors: dict[str, str] = {}
    title, grouped = "", False
    for line in lines:
        section, error = SECTION.match(line), EXPLAINED.match(line)
        if section:
            title = section["title"]
        elif error and not grouped:
            errors[title] = error["error"]
        grouped = bool(error)
    return errors


def _title(test: str) -> str:
    """What the test's section is called: the file's path when it could not be collected."""
    file, _, name = test.partition("::")
    return name.replace("::", ".") or file


def _in_full(brief: str, explained: str) -> str:
    """The summary is cut to the terminal's width, or silent; the failure's own section has the whole line."""
    begin = brief.removesuffix("...")
    cut = begin != brief or not brief
    return explained if cut and explained.startswith(begin) else brief


def _unittest(output: str) -> Iterator[FailedTest]:
    for found in UNITTEST.finditer(output):
        thrown = escaped(found["body"])
        error = (
            f"{thrown.kind}: {thrown.message}" if thrown and thrown.message else thrown.kind if thrown else ""
        )
        yield FailedTest(_full_name(found["name"], found["where"]) + found["sub"].rstrip(), error)


def _full_name(name: str, where: str | None) -> str:
    """3.11 began to repeat the method in the parentheses."""
    if not where:
        return name
    return where if where.endswith(f".{name}") else f"{where}.{name}"
