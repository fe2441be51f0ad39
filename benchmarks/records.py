"""What a hunt left in its state directory, read for its figures."""

from __future__ import annotations

from pathlib import Path

from bisector.model import Account, Ran, Trial
from bisector.store import open_store


def accounts(state: Path) -> list[Account]:
    """Of every hunt in it, newest first."""
    store = open_store(state)
    try:
        found = [store.account(row.id) for row in store.hunts()]
    finally:
        store.close()
    if None in found or not found:
        raise SystemExit("benchmark: a hunt left no account")
    return [account for account in found if account is not None]


def running(trial: Trial) -> float:
    """Seconds of the runs themselves."""
    return sum(run.seconds for run in trial.outcome.runs) if isinstance(trial.outcome, Ran) else 0.0
