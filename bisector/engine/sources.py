"""Python sources of the hunted project as syntax trees; nothing of them is run."""

from __future__ import annotations

import ast
import warnings


def parsed(text: str) -> ast.Module | None:
    """None for what the Python that runs bisector cannot read."""
    with warnings.catch_warnings():
        # What is odd in their strings is theirs to hear of.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return None
