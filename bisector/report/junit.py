"""Story -> JUnit XML with one test case, for machines that show test results.

A culprit or suspects fail the case; a hunt that could not answer is an error; a fix that was looked for and
found passes, for it is no fault.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from bisector.model import Account, Ending, Find
from bisector.report.story import Story, tell
from bisector.report.text import screenful

_FAILURES = (Ending.FOUND, Ending.DEPENDENCY, Ending.SUSPECTS, Ending.UNCONFIRMED)


def as_junit(account: Account) -> str:
    story = tell(account)
    result = _result(account)
    counts = {
        "tests": "1",
        "failures": str(int(result == "failure")),
        "errors": str(int(result == "error")),
        "skipped": "0",
        "time": f"{account.total_seconds:.3f}",
    }
    suites = ElementTree.Element("testsuites", {"name": "bisector", **counts})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "bisector", **counts})
    case = ElementTree.SubElement(
        suite, "testcase", {"classname": story.repo, "name": story.name, "time": counts["time"]}
    )
    _tell_result(case, result, story)
    ElementTree.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(suites, encoding="unicode")}\n'


def _result(account: Account) -> str:
    if account.ending is Ending.FOUND and account.find is Find.FIX:
        return "system-out"
    return "failure" if account.ending in _FAILURES else "error"


def _tell_result(case: ElementTree.Element, result: str, story: Story) -> None:
    told = {} if result == "system-out" else {"message": story.sentence, "type": story.label}
    element = ElementTree.SubElement(case, result, told)
    element.text = f"\n{screenful(story)}"
