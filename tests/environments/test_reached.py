"""Which modules are imported with a folder's packages, as their text has it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bisector.environments.reached import reached

CASES = {
    "what lies at the top": ({"one.py": "", "two/__init__.py": ""}, {"one.py", "two/__init__.py"}),
    "what nobody names stays": ({"a/__init__.py": "", "a/b.py": ""}, {"a/__init__.py"}),
    "by its full name": (
        {"a/__init__.py": "import os, a.b.c as short\n", "a/b/__init__.py": "", "a/b/c.py": ""},
        {"a/__init__.py", "a/b/__init__.py", "a/b/c.py"},
    ),
    "a module or a name, nobody knows": (
        {"a/__init__.py": "from a import b, other\n", "a/b.py": ""},
        {"a/__init__.py", "a/b.py"},
    ),
    "from where it stands": (
        {
            "a/__init__.py": "from . import b\n",
            "a/b.py": "from .c import d\n",
            "a/c/__init__.py": "",
            "a/c/d.py": "",
        },
        {"a/__init__.py", "a/b.py", "a/c/__init__.py", "a/c/d.py"},
    ),
    "from further up": (
        {
            "a/__init__.py": "import a.b.c\n",
            "a/b/__init__.py": "",
            "a/b/c.py": "from ..d import e\n",
            "a/d.py": "",
        },
        {"a/__init__.py", "a/b/__init__.py", "a/b/c.py", "a/d.py"},
    ),
    "over several lines": (
        {
            "a/__init__.py": "from a.b import (  # noqa\n    c,\n    d as e,\n)\n",
            "a/b/__init__.py": "",
            "a/b/c.py": "",
            "a/b/d.py": "",
        },
        {"a/__init__.py", "a/b/__init__.py", "a/b/c.py", "a/b/d.py"},
    ),
    "what a function imports may never be": (
        {"a/__init__.py": "def f():\n    import a.b\n", "a/b.py": ""},
        {"a/__init__.py"},
    ),
    "in a circle": (
        {"a/__init__.py": "import a.b\n", "a/b.py": "import a, a.b\n"},
        {"a/__init__.py", "a/b.py"},
    ),
    "above the top there is nothing": ({"a.py": "from ...b import c\nfrom . import d\n"}, {"a.py"}),
    "no text at all": ({"a.py": "import \xff\xfe\x00 (\nfrom import import\n"}, {"a.py"}),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_what_importing_brings_along(tmp_path: Path, files: Mapping[str, str], expected: set[str]) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1"))
    assert reached(tmp_path, files) == expected
    assert reached(tmp_path, [f"./{name}" for name in files]) == {f"./{name}" for name in expected}
