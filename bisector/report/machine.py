"""Report -> report.json and the recipe alone: what programs read."""

from __future__ import annotations

import json
from dataclasses import asdict

from bisector.model import Account
from bisector.report.build import build
from bisector.report.clean import washed


def as_json(account: Account) -> str:
    """ASCII only: what a commit message smuggles in cannot act on the terminal it is printed to."""
    return json.dumps(asdict(build(account)), indent=2, ensure_ascii=True) + "\n"


def as_recipe(account: Account) -> str:
    text = washed(account).recipe
    return text if text.endswith("\n") else text + "\n"
