"""The screenful for standard output."""

from __future__ import annotations

from dataclasses import replace

from bisector.model import Account
from bisector.report import as_text


def test_it_says_where_the_reports_are(samples: dict[str, Account]) -> None:
    told = as_text(samples["found"], ("out/report.html", "out/report.json"))
    assert "  report        out/report.html\n  report        out/report.json\n" in told


def test_an_unexpected_proof_is_called_that(samples: dict[str, Account]) -> None:
    told = as_text(samples["unconfirmed"])
    assert "the commit itself: bad; its parent: bad (not as expected)" in told


def test_notices_are_told(samples: dict[str, Account]) -> None:
    assert "the forge did not answer" in as_text(samples["unconfirmed"])


def test_a_root_commit_has_no_parent_to_prove(samples: dict[str, Account]) -> None:
    account = samples["found"]
    assert account.confirmation is not None
    alone = replace(
        account, confirmation=replace(account.confirmation, parents=(), reverted=None, confidence=None)
    )
    assert "  proof         the commit itself: bad\n" in as_text(alone)
