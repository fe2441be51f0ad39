"""A trial's runs by what they came to, where a regression may have had several faces. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from bisector.oracles.finding import Finding, Standard
from bisector.oracles.signatures import Signature
from bisector.verdict import Tally, tally


def with_faces(
    read: Callable[[Standard], Sequence[Finding]], standard: Standard, faces: Iterable[Signature]
) -> Tally:
    """`read`: what the runs come to by a standard. A run that shows an earlier face counts as failing."""
    counts = tally(read(standard), standard)
    for face in faces:
        held = dataclasses.replace(standard, signature=face)
        more = tally(read(held), held).failing
        counts = dataclasses.replace(
            counts, failing=counts.failing + more, unclear=max(0, counts.unclear - more)
        )
    return counts
