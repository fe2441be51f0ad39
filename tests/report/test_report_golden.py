"""What each ending looks like in each format, to the last character.

After a change that is meant: write the new text over the golden file, and read the difference.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bisector.model import Account, Ran
from bisector.report import RENDERERS, Format

_GOLDEN = Path(__file__).parent / "golden"
_ENDINGS = ("found", "fix", "suspects", "unconfirmed", "endpoints", "failed", "interrupted", "dependency")


@pytest.mark.parametrize("format", [Format.TEXT, Format.MARKDOWN, Format.JSON, Format.JUNIT])
@pytest.mark.parametrize("ending", _ENDINGS)
def test_golden(samples: dict[str, Account], ending: str, format: Format) -> None:
    expected = (_GOLDEN / f"{ending}.{format.value}").read_text(encoding="utf-8")
    assert RENDERERS[format](samples[ending]) == expected


@pytest.mark.parametrize("format", list(Format))
def test_every_ending_can_be_told(samples: dict[str, Account], format: Format) -> None:
    for name, account in samples.items():
        told = RENDERERS[format](account)
        assert told.endswith("\n"), name
        assert told == RENDERERS[format](account), name


@pytest.mark.parametrize("ending", _ENDINGS)
def test_the_text_fits_one_screen(samples: dict[str, Account], ending: str) -> None:
    assert len(RENDERERS[Format.TEXT](samples[ending]).splitlines()) <= 30


@pytest.mark.parametrize("format", [Format.TEXT, Format.MARKDOWN, Format.HTML])
def test_a_run_that_was_stopped_shows_where_it_stood(samples: dict[str, Account], format: Format) -> None:
    """Beside its output, the innermost call first: where a stack is long, its end says the least."""
    hangs = samples["fix"]
    first = hangs.trials[0]
    assert isinstance(first.trial.outcome, Ran)
    called = "".join(f"\n    level{number} (graphs/solve.py:{number})" for number in range(1000))
    stack = (
        f"Process 7: python repro.py\nPython v3.11.7\n\nThread 1 (idle)\n    solve (graphs/deep.py:1){called}"
    )
    run = replace(first.trial.outcome.runs[0], stack=stack)
    stopped = replace(first, trial=replace(first.trial, outcome=Ran((run,))))
    told = RENDERERS[format](replace(hangs, culprit=None, trials=(stopped, *hangs.trials[1:])))
    shown = told[: told.index('<h2 id="trials"')] if format is Format.HTML else told
    assert "solve (graphs/deep.py:1)" in shown
    assert "level999" not in shown


def test_a_thousand_suspects_are_cut_with_a_count(samples: dict[str, Account]) -> None:
    account = samples["thousand"]
    assert "and 990 more" in RENDERERS[Format.TEXT](account)
    assert "and 980 more" in RENDERERS[Format.MARKDOWN](account)
    assert "and 900 more" in RENDERERS[Format.HTML](account)
    assert RENDERERS[Format.HTML](account).count("Change number") < 150
