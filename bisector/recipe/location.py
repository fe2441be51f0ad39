"""Which texts of a recipe are URLs and which are paths, and where a path leads from the recipe's folder."""

from __future__ import annotations

import os.path
import re
from pathlib import Path


def is_url(text: str) -> bool:
    """A scheme, or scp's `host:path`; a path that holds a colon begins with a dot or a slash, as for git."""
    return "://" in text or re.match(r"[^/.:][^/:]*:", text) is not None


def from_folder(text: str, folder: Path | None) -> str:
    """Words only: no link is followed, nothing is looked up."""
    return text if is_url(text) or folder is None else os.path.normpath(folder / text)
