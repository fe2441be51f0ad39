"""Names for things that must be equal: the same words, the same name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

FORMAT = "2"
"""To be counted up when a layer's inner shape changes: old ones are then not found, and evicted in time."""


def fingerprint(kind: str, *groups: Iterable[str]) -> str:
    """Groups and words are kept apart: ("a", "bc") is not ("ab", "c")."""
    digest = hashlib.sha256()
    for group in ([FORMAT, kind], *groups):
        for word in group:
            encoded = word.encode("utf-8", "surrogateescape")
            digest.update(b"%d:%s," % (len(encoded), encoded))
        digest.update(b";")
    return f"{kind}-{digest.hexdigest()[:24]}"
