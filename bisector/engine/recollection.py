"""Whether a trial on record answers a request: the hunt's own, else one of another hunt."""

from __future__ import annotations

from collections.abc import Iterable

from bisector.engine.sampling import answers
from bisector.model import Purpose, Ran, Trial
from bisector.oracles.patterns import Search
from bisector.plan import TrialRequest
from bisector.store import Store

SERVING = {Purpose.END: (Purpose.END, Purpose.SEARCH), Purpose.SEARCH: (Purpose.END, Purpose.SEARCH)}
"""A trial made for one purpose serves another; a confirmation is never served by anything but itself."""


def on_record(
    asked: TrialRequest, purpose: Purpose, own: Iterable[Trial], others: Store | None, look: Search
) -> tuple[Trial, bool] | None:
    """The trial, and whether it is another hunt's. `others`: None where those do not count."""
    serving = SERVING.get(purpose, (purpose,))
    for earlier in own:
        if earlier.key == asked.key and earlier.purpose in serving and answers(earlier, asked, look):
            return earlier, False
    if purpose is Purpose.CONFIRM or others is None:
        return None
    other = others.trial_by_key(asked.key)
    if other is not None and isinstance(other.outcome, Ran) and answers(other, asked, look):
        return other, True
    return None
