"""The shape of the house: imports run one way, modules and functions stay small, nothing happens late."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "bisector"
MODULES = sorted(PACKAGE.rglob("*.py"))
ORDER = (
    *(
        "errors",
        "harmless",
        "wrapping",
        "model",
        "recipe",
        "history",
        "search",
        "oracles",
        "verdict",
        "plan",
        "hunt",
        "report",
    ),
    *("beside", "apart", "boot", "process", "folders", "locks", "git", "state", "store"),
    *("installers", "caps", "forges", "executors"),
    *("environments", "trial", "engine", "nightly", "housekeeping", "console", "demo", "cli", "__main__"),
)
"""A room may use only those before it."""
PURE = ("model", "history", "search", "oracles", "verdict", "plan", "hunt", "report")
HANDS = {"subprocess", "sqlite3", "socket", "httpx", "threading", "asyncio", "multiprocessing"}
"""What a room that only thinks has no use for."""
LATE = {
    ("cli/commands/run.py", "bisector.cli.commands"),
    ("cli/guard.py", "traceback"),
    ("cli/guard.py", "bisector.cli.version"),
    ("forges/lookup.py", "bisector.forges.online"),
    ("oracles/torch_itself.py", "torch"),
    ("recipe/web.py", "httpx"),
    ("report/html.py", "jinja2"),
    ("store/rows.py", "pydantic"),
}
"""Imports inside functions: each keeps something heavy off the way of `--help`, or of what a hunt begins with."""
MOST_LINES = 300
MOST_OF_A_FUNCTION = 60


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def _room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imported(tree: ast.AST) -> Iterator[str]:
    """Module names as written; `from bisector.git import refs` counts as bisector.git.refs too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written out in full"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _inside_functions(path: Path) -> Iterator[str]:
    for function in _functions(path):
        for node in ast.walk(function):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or ""


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def _dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_every_room_has_its_place_in_the_order() -> None:
    assert {_room(path) for path in MODULES} - {"__init__"} <= set(ORDER)


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_imports_run_one_way(path: Path) -> None:
    room = _room(path)
    earlier = {*ORDER[: ORDER.index(room) + 1]} if room in ORDER else set()
    used = {
        name.split(".")[1]
        for name in _imported(ast.parse(path.read_text()))
        if name.count(".") > 0 and name.split(".")[0] == "bisector"
    }
    assert used & set(ORDER) <= earlier, f"{room} comes before {sorted(used & set(ORDER) - earlier)}"


def test_no_module_needs_itself() -> None:
    names = {_dotted(path) for path in MODULES}
    graph = {
        _dotted(path): {name for name in _imported(ast.parse(path.read_text())) if name in names}
        for path in MODULES
        if path.name != "__init__.py"
    }
    assert list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("path", [path for path in MODULES if _room(path) in PURE], ids=_name)
def test_rooms_that_only_think_have_no_hands(path: Path) -> None:
    used = {name.split(".")[0] for name in _imported(ast.parse(path.read_text()))}
    assert not used & HANDS


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_module_holds_one_idea(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MOST_LINES
    assert ast.get_docstring(ast.parse(text)) or path.name == "__init__.py", "says what it knows"


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_functions_are_short(path: Path) -> None:
    lengths = {one.name: (one.end_lineno or one.lineno) - one.lineno + 1 for one in _functions(path)}
    assert not {name: length for name, length in lengths.items() if length > MOST_OF_A_FUNCTION}


def test_nothing_is_imported_late_without_a_reason() -> None:
    found = {(_name(path), name) for path in MODULES for name in _inside_functions(path)}
    assert found == LATE


def test_no_room_is_called_after_nothing() -> None:
    assert not {path.stem for path in MODULES} & {"util", "utils", "helper", "helpers", "common", "misc"}


def test_a_broad_except_stands_in_two_places_only() -> None:
    broad = {
        _name(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and not _raises_again(node)
    }
    assert broad == {"cli/guard.py", "engine/workers.py"}


def _is_broad(kind: ast.expr | None) -> bool:
    return kind is None or (isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"})


def _raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


@pytest.mark.parametrize("path", [path for path in MODULES if path.parent.name != "guest"], ids=_name)
def test_the_process_is_left_as_it_is(path: Path) -> None:
    """Two trials run side by side: neither may change the other's directory, environment or umask.

    A guest has a process of its own.
    """
    called = {
        ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
    }
    assert not called & {"os.chdir", "os.putenv", "os.unsetenv", "os.umask", "os.environ.update"}
