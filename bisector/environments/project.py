"""What a tree says of its project without running anything: pyproject.toml, setup.cfg, setup.py, names."""

from __future__ import annotations

import ast
import configparser
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from bisector.environments.requirements import Metadata, specifiers

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEEP = (RecursionError, MemoryError)
"""What parsers raise for text that is nested beyond all sense."""
LEGACY_BACKEND = "setuptools.build_meta:__legacy__"
LEGACY_REQUIRES = ("setuptools>=40.8.0",)
CLASSIFIER = re.compile(r"Programming Language :: Python :: (\d+)\.(\d+)")
NOT_THE_PROJECT = {
    "benchmarks",
    "build",
    "conftest",
    "dist",
    "doc",
    "docs",
    "examples",
    "setup",
    "test",
    "tests",
    "tools",
}


@dataclass(frozen=True, slots=True)
class BuildSystem:
    """Who builds it, and what that needs."""

    backend: str
    backend_path: tuple[str, ...]
    requires: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """One folder with a pyproject.toml, setup.cfg or setup.py, or with none of them."""

    folder: Path
    name: str | None
    requires_python: SpecifierSet | None
    newest_python: tuple[int, int] | None
    """The highest version that its classifiers name."""
    build_system: BuildSystem
    metadata: Metadata | None
    """Where it is written down and no build decides it."""

    @property
    def can_build(self) -> bool:
        return is_project(self.folder)

    @property
    def has_setup(self) -> bool:
        return (self.folder / "setup.py").is_file()


def is_project(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("pyproject.toml", "setup.py"))


def folders(paths: tuple[str, ...], tree: Path) -> tuple[Path, ...]:
    """Those that this commit has, links out of it left out: a package may move into src within the range."""
    found = (folder for path in paths if (folder := (tree / path).resolve()).is_dir())
    return tuple(folder for folder in found if folder.is_relative_to(tree.resolve()))


def read(folder: Path) -> Project:
    """Whatever cannot be understood counts as not said: the build will complain in its own words."""
    said = _toml(folder / "pyproject.toml")
    table = _table(said, "project")
    setup = _setup_says(folder)
    constraint = _text(table.get("requires-python")) or setup.get("python_requires")
    classifiers = _texts(table.get("classifiers")) or tuple(setup.get("classifiers", "").splitlines())
    return Project(
        folder=folder,
        name=_text(table.get("name")) or setup.get("name"),
        requires_python=specifiers(constraint),
        newest_python=_newest(classifiers),
        build_system=_build_system(_table(said, "build-system")),
        metadata=_static(table),
    )


def _build_system(table: Mapping[str, object]) -> BuildSystem:
    backend = _text(table.get("build-backend"))
    requires = _texts(table.get("requires"))
    if backend is None:
        return BuildSystem(LEGACY_BACKEND, (), requires or LEGACY_REQUIRES)
    return BuildSystem(backend, _texts(table.get("backend-path")), requires)


def _static(table: Mapping[str, object]) -> Metadata | None:
    """PEP 621, unless it leaves what we need to the build."""
    dynamic = set(_texts(table.get("dynamic")))
    if not table or dynamic & {"dependencies", "optional-dependencies", "requires-python"}:
        return None
    lines = list(_texts(table.get("dependencies")))
    for extra, requirements in _table(table, "optional-dependencies").items():
        lines += [_with_extra(line, extra) for line in _texts(requirements)]
    return Metadata(
        name=_text(table.get("name")),
        version=_text(table.get("version")),
        requires=tuple(lines),
        requires_python=specifiers(_text(table.get("requires-python"))),
    )


def _with_extra(line: str, extra: str) -> str:
    requirement, _, marker = line.partition(";")
    condition = f'extra == "{canonicalize_name(extra)}"'
    return f"{requirement.strip()} ; {f'({marker.strip()}) and ' if marker.strip() else ''}{condition}"


def _setup_says(folder: Path) -> dict[str, str]:
    """name, python_requires and classifiers, from setup.cfg or as literals in setup.py."""
    said: dict[str, str] = {}
    script = folder / "setup.py"
    if script.is_file():
        said |= _literals(script)
    parser = configparser.RawConfigParser()
    try:
        parser.read(folder / "setup.cfg", encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return said
    for section, key in (("metadata", "name"), ("metadata", "classifiers"), ("options", "python_requires")):
        if parser.has_option(section, key):
            said[key] = parser.get(section, key)
    return said


def _literals(script: Path) -> dict[str, str]:
    try:
        tree = ast.parse(script.read_bytes())
    except (SyntaxError, ValueError, *DEEP):
        return {}
    names = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    said: dict[str, str] = {}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        for keyword in call.keywords:
            if keyword.arg in {"name", "python_requires", "classifiers"}:
                value = keyword.value
                value = names.get(value.id, value) if isinstance(value, ast.Name) else value
                text = _literal(value)
                if text is not None:
                    said.setdefault(keyword.arg, text)
    return said


def _literal(node: ast.expr) -> str | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, *DEEP):
        return None
    if isinstance(value, list | tuple):
        return "\n".join(str(item) for item in value)
    return value if isinstance(value, str) else None


def _newest(classifiers: tuple[str, ...]) -> tuple[int, int] | None:
    named = [(int(found[1]), int(found[2])) for line in classifiers if (found := CLASSIFIER.search(line))]
    return max(named, default=None)


def modules(roots: tuple[Path, ...], name: str | None) -> tuple[str, ...]:
    """The top-level modules that a project most likely is: the one of its name, else packages, else files."""
    packages = list(dict.fromkeys(found for root in roots for found in _packages(root)))
    files = list(dict.fromkeys(found for root in roots for found in _files(root)))
    if name is not None:
        spelled = canonicalize_name(name)
        named = [found for found in [*packages, *files] if canonicalize_name(found) == spelled]
        if named:
            return tuple(named[:1])
    return tuple(packages or files)


def _packages(root: Path) -> Iterator[str]:
    for path in sorted(root.glob("*/__init__.py")):
        if _may_be_the_project(path.parent.name):
            yield path.parent.name


def _files(root: Path) -> Iterator[str]:
    for path in sorted(root.glob("*.py")):
        if _may_be_the_project(path.stem):
            yield path.stem


def _may_be_the_project(name: str) -> bool:
    return name.isidentifier() and name not in NOT_THE_PROJECT and not name.startswith(("_", "test_"))


def _toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, *DEEP):
        return {}


def _table(said: Mapping[str, object], key: str) -> dict[str, object]:
    value = said.get(key)
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
