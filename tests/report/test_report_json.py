"""report.json against the contract, written down here a second time as a schema."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from bisector.model import Account, Ending, JudgedTrial, Judgement, Ran, Verdict
from bisector.report import RENDERERS, Format, build

_TEXT = {"type": "string"}
_MAYBE_TEXT = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_AMOUNT = {"type": "number", "minimum": 0}
_TEXTS = {"type": "array", "items": _TEXT}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"oneOf": [{"type": "null"}, schema]}


_PULL_REQUEST = _object(
    {
        "number": {"type": ["integer", "string"]},
        "url": _MAYBE_TEXT,
        "title": _MAYBE_TEXT,
        "found_by": {"enum": ["subject", "merge", "refs", "api"]},
    }
)
_CULPRIT = _object(
    {
        "commit": _TEXT,
        "parents": _TEXTS,
        "subject": _TEXT,
        "author": {"type": "string", "pattern": "^.* <.*>$"},
        "date": {"type": "string", "format": "date-time"},
        "url": _MAYBE_TEXT,
        "files": _TEXTS,
        "insertions": _COUNT,
        "deletions": _COUNT,
        "pull_request": _or_null(_PULL_REQUEST),
    }
)
_TRIAL = _object(
    {
        "commit": _TEXT,
        "verdict": _TEXT,
        "reason": _TEXT,
        "seconds": _AMOUNT,
        "install_seconds": _AMOUNT,
        "peak_memory": {"type": ["integer", "null"]},
        "cached": {"type": "boolean"},
        "log": _MAYBE_TEXT,
        "stack": _MAYBE_TEXT,
    }
)
_CONFIRMATION = _object(
    {
        "culprit": _TEXT,
        "parents": {"type": "object", "additionalProperties": _TEXT},
        "reverted": _MAYBE_TEXT,
        "confidence": {"type": ["number", "null"]},
    }
)
_END = _object({"ref": _TEXT, "commit": _TEXT})
_SCHEMA = _object(
    {
        "bisector": {"const": 1},
        "version": _TEXT,
        "hunt": _TEXT,
        "name": _TEXT,
        "outcome": {"enum": [ending.value for ending in Ending]},
        "message": _TEXT,
        "repo": _TEXT,
        "terms": _object({"old": _TEXT, "new": _TEXT}),
        "good": _END,
        "bad": _END,
        "culprit": _or_null(_CULPRIT),
        "suspects": _TEXTS,
        "dependency": _or_null(_object({"name": _TEXT, "good": _TEXT, "bad": _TEXT})),
        "confirmation": _or_null(_CONFIRMATION),
        "counts": _object(dict.fromkeys(("commits", "trials", "reused", "skipped", "expected"), _COUNT)),
        "seconds": _object(dict.fromkeys(("total", "prepare", "install", "repro"), _AMOUNT)),
        "trials": {"type": "array", "items": _TRIAL},
        "environment": _or_null(
            _object(
                {
                    "python": _MAYBE_TEXT,
                    **dict.fromkeys(("good", "bad", "changed", "good_build", "bad_build"), _TEXTS),
                }
            )
        ),
        "compare_url": _MAYBE_TEXT,
        "notices": _TEXTS,
        "bisect_log": _TEXT,
        "recipe": _TEXT,
        "reproduce": _TEXT,
    }
)


def test_every_ending_has_the_contracts_shape(samples: dict[str, Account]) -> None:
    for account in samples.values():
        jsonschema.validate(json.loads(RENDERERS[Format.JSON](account)), _SCHEMA)


@pytest.mark.parametrize("ending", ["endpoints", "failed", "interrupted", "dependency", "suspects"])
def test_what_does_not_apply_is_null(samples: dict[str, Account], ending: str) -> None:
    told = json.loads(RENDERERS[Format.JSON](samples[ending]))
    assert told["culprit"] is None
    assert told["confirmation"] is None


def test_the_terms_stand_in_every_verdict(samples: dict[str, Account]) -> None:
    report = build(samples["fix"])
    assert [trial.verdict for trial in report.trials] == ["broken", "fixed", "fixed"]
    assert report.confirmation is not None
    assert report.confirmation.culprit == "fixed"
    assert set(report.confirmation.parents.values()) == {"broken"}
    assert report.confirmation.reverted == "broken"


def test_reused_trials_are_counted_apart_and_cost_nothing(samples: dict[str, Account]) -> None:
    account = samples["found"]
    report = build(account)
    assert (report.counts.trials, report.counts.reused, report.counts.skipped) == (11, 1, 1)
    assert report.seconds.install == pytest.approx(11 * 0.75)
    assert report.seconds.repro == pytest.approx(11 * 0.5)
    assert report.seconds.prepare == pytest.approx(11 * 0.25)


def test_skip_and_error_keep_their_names(samples: dict[str, Account]) -> None:
    assert [trial.verdict for trial in build(samples["failed"]).trials] == ["good", "bad", "error"]
    assert build(samples["suspects"]).trials[-1].verdict == "skip"


def test_the_highest_memory_of_several_runs_counts(samples: dict[str, Account]) -> None:
    judged = samples["found"].trials[0]
    assert isinstance(judged.trial.outcome, Ran)
    run = judged.trial.outcome.runs[0]
    runs = (replace(run, peak_memory=7), replace(run, peak_memory=None), replace(run, peak_memory=9))
    trial = replace(judged.trial, outcome=Ran(runs))
    account = replace(samples["found"], trials=(replace(judged, trial=trial),))
    assert build(account).trials[0].peak_memory == 9


def test_a_trial_without_a_run_has_no_memory_and_no_stack(samples: dict[str, Account]) -> None:
    trial = replace(samples["found"].trials[0].trial, outcome=Ran(()), log="")
    judged = JudgedTrial(trial, Verdict(Judgement.ERROR, "cancelled"), False, None)
    told = build(replace(samples["found"], trials=(judged,))).trials[0]
    assert (told.peak_memory, told.stack, told.log) == (None, None, None)
