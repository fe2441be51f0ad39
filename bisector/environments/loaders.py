"""Editable installs that build whenever they are imported, as meson-python makes them: told not to.

The tools that they would call went with the build's virtualenv, and there is nothing to do for them: a layer is only
ever laid under a tree of which the build reads the same.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

LOADERS = "_*_editable_loader.py"
COMMAND = re.compile(r"""(?<=\[)(['"])[^'"\n]*\b(?:ninja|ninja-build|samu)\1""")
"""The first word of a command, in a list of Python's."""


def disarm(site: Path) -> None:
    """Before anything of it is imported or compiled. `site`: the folder of packages that the build made."""
    nothing = repr(shutil.which("true") or "/bin/true")
    for loader in filter(Path.is_file, site.glob(LOADERS)):
        text = loader.read_text(encoding="utf-8", errors="surrogateescape")
        loader.write_text(COMMAND.sub(nothing, text), encoding="utf-8", errors="surrogateescape")
