"""JUnit XML as a CI server reads it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from bisector.model import Account
from bisector.report import RENDERERS, Format


@pytest.mark.parametrize(
    ("ending", "result", "failures", "errors"),
    [
        ("found", "failure", "1", "0"),
        ("dependency", "failure", "1", "0"),
        ("suspects", "failure", "1", "0"),
        ("unconfirmed", "failure", "1", "0"),
        ("endpoints", "error", "0", "1"),
        ("failed", "error", "0", "1"),
        ("interrupted", "error", "0", "1"),
        ("fix", "system-out", "0", "0"),
    ],
)
def test_one_case_with_the_result_of_the_ending(
    samples: dict[str, Account], ending: str, result: str, failures: str, errors: str
) -> None:
    suites = ElementTree.fromstring(RENDERERS[Format.JUNIT](samples[ending]))
    (suite,) = suites
    (case,) = suite
    (told,) = case
    assert (suite.get("failures"), suite.get("errors"), told.tag) == (failures, errors, result)
    assert samples[ending].message in (told.text or "")
    assert result == "system-out" or told.get("message") == samples[ending].message


def test_the_failure_names_the_culprit_and_its_pull_request(samples: dict[str, Account]) -> None:
    told = RENDERERS[Format.JUNIT](samples["found"])
    assert "0049004900490049004900490049004900490049" in told
    assert "https://forge.example/graphs/graphs/pull/512" in told
