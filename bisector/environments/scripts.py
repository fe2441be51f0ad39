"""Console scripts that run with the python beside them, wherever they are linked to."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from pathlib import Path

PYTHON_LINE = re.compile(rb"#!.*\bpython[^\n]*\n|#!/bin/sh\n'''exec'[^\n]*\n' '''\n")
HEAD = b"""#!/bin/sh
'''exec' "$(dirname "$0")/python" "$0" "$@"
' '''
"""
"""Read by sh and by Python; "$0" is the path it was called by, so a link runs the python beside the link."""

ENTRY_POINT = """\
import sys
from {module} import {first}
if __name__ == "__main__":
    sys.exit({call}())
"""


def rewrite(folder: Path) -> None:
    """Free every script in a layer's bin of the path it was built at; drop what is a virtualenv's own."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if re.match(r"python[\d.]*$|[Aa]ctivate|deactivate|pydoc\.bat$", path.name):
            path.unlink()
        elif path.is_file() and not path.is_symlink():
            replace_head(path)


def replace_head(path: Path) -> None:
    content = path.read_bytes()
    if not content.startswith(b"#!"):
        return
    body, count = PYTHON_LINE.subn(HEAD, content, count=1)
    if count and body != content:
        # Another file, not another content: this one may be a link into the installer's cache.
        path.unlink()
        path.write_bytes(body)
        path.chmod(0o755)


def write_entry_points(text: str, folder: Path) -> None:
    """The console and gui scripts that an entry_points.txt declares."""
    for name, target in _declared(text):
        if "/" in name or name.startswith("."):
            continue
        module, _, call = target.partition(":")
        call = call.strip() or "main"
        body = ENTRY_POINT.format(module=module.strip(), first=call.split(".")[0], call=call)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.unlink(missing_ok=True)
        path.write_bytes(HEAD + body.encode())
        path.chmod(0o755)


def _declared(text: str) -> Iterator[tuple[str, str]]:
    parser = configparser.RawConfigParser(delimiters=("=",), strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for section in ("console_scripts", "gui_scripts"):
        if parser.has_section(section):
            for name, target in parser.items(section):
                yield name, target.partition("[")[0].strip()
