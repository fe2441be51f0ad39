"""What others than Python read during a build, as far as they say so: the recorder hears Python alone.

Where a compiler ran, every file counts that is not Python (`Breadth.SOURCES`). Who reads Python's sources as data is
found in the notes that compilers and ninja leave, and who asks the repository by a `git` that writes it down.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bisector.process import leftovers

NOTES = re.compile(r"(^|/)(build\.ninja|[^/]+\.d)$")
PYTHON = re.compile(r"""[^\s:|$'"=]+\.py(?![\w.])""")
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
LISTENING_GIT = """\
#!/bin/sh
echo '["start", "git"]' >> "$BISECTOR_RECORD"
exec {git} "$@"
"""


def python_read(
    tree: Path, left: Iterable[str], files: Mapping[str, str], folders: Iterable[Path]
) -> Iterator[str]:
    """Files of the commit that the notes name, whether from where they lie or from one of the folders."""
    bases = [*map(str, folders)]
    for note in left:
        if NOTES.search(note) is None:
            continue
        for word in set(PYTHON.findall(leftovers.read(tree / note, tree) or "")):
            for base in (str((tree / note).parent), *bases):
                path = os.path.relpath(os.path.normpath(os.path.join(base, word)), tree)  # noqa: PTH118
                if path in files:
                    yield path


def listen_to_git(folder: Path) -> None:
    """`folder` comes first on the path of the build."""
    git, place = shutil.which("git", path=SYSTEM_PATH), folder / "git"
    if git is not None and not place.exists():
        place.write_text(LISTENING_GIT.format(git=git))
        place.chmod(0o755)
