"""Requirement lines: merged by package, with what a project's own metadata asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.parser import HeaderParser

from packaging.markers import UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from bisector.installers.settings import HIDDEN, redact
from bisector.model import package_of


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a project says of itself, read from a file or made by its build."""

    name: str | None
    version: str | None
    requires: tuple[str, ...]
    requires_python: SpecifierSet | None


def parse(text: str) -> Metadata:
    """A METADATA or PKG-INFO."""
    said = HeaderParser().parsestr(text)
    return Metadata(
        name=said.get("Name"),
        version=said.get("Version"),
        requires=tuple(str(line) for line in said.get_all("Requires-Dist", [])),
        requires_python=specifiers(said.get("Requires-Python")),
    )


def with_requires(text: str, listed: str) -> str:
    """A PKG-INFO of before setuptools wrote there what is required, with that from the `requires.txt` beside it."""
    if "\nRequires-Dist:" in text:
        return text
    first, _, rest = text.partition("\n")
    return "\n".join((first, *_headers(listed), rest))


def _headers(listed: str) -> Iterator[str]:
    """Its sections are `[extra]`, `[:marker]` and `[extra:marker]`; what stands before them always holds."""
    extra = marker = ""
    for line in map(str.strip, listed.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            extra, _, marker = line[1:-1].partition(":")
            if extra:
                yield f"Provides-Extra: {extra}"
        elif line and not line.startswith("#"):
            conditions = (f"({marker})" if marker else "", f'extra == "{extra}"' if extra else "")
            condition = " and ".join(filter(None, conditions))
            yield f"Requires-Dist: {line}" + (f" ; {condition}" if condition else "")


def specifiers(text: str | None) -> SpecifierSet | None:
    """None where nothing is said, or nothing that can be understood: old files hold all kinds of things."""
    try:
        # Prereleases of Python itself are on people's machines.
        return SpecifierSet(text, prereleases=True) if text else None
    except InvalidSpecifier:
        return None


def name_of(line: str) -> str | None:
    """The package a line is about, in its one spelling; None for a bare path or URL."""
    requirement = _understood(line)
    return None if requirement is None else canonicalize_name(requirement.name)


def merge(weaker: Iterable[str], stronger: Iterable[str]) -> tuple[str, ...]:
    """Both, but a stronger line replaces all weaker ones for the same package."""
    kept = tuple(dict.fromkeys(stronger))
    named = {name for line in kept if (name := name_of(line)) is not None}
    return (*(line for line in dict.fromkeys(weaker) if name_of(line) not in named), *kept)


def declared(metadata: Metadata, extras: tuple[str, ...], python: str) -> tuple[str, ...]:
    """The requirement lines that hold with `extras` on that version of Python, freed of their markers."""
    own = canonicalize_name(metadata.name) if metadata.name else None
    lines: dict[str, None] = {}
    waiting, seen = [""], {""}
    waiting += [canonicalize_name(extra) for extra in extras]
    # Invariant: every extra in `seen` is in `waiting` or its lines were already taken.
    seen.update(waiting)
    while waiting:
        extra = waiting.pop()
        for requirement in _holding(metadata.requires, extra, python):
            if canonicalize_name(requirement.name) != own:
                requirement.marker = None
                lines[str(requirement)] = None
                continue
            # "project[all]" among its own extras: those of that extra as well.
            further = {canonicalize_name(name) for name in requirement.extras} - seen
            seen |= further
            waiting += sorted(further)
    return tuple(lines)


def _holding(lines: Iterable[str], extra: str, python: str) -> Iterator[Requirement]:
    about = {"extra": extra, "python_full_version": python, "python_version": ".".join(python.split(".")[:2])}
    for line in lines:
        requirement = _understood(line)
        if requirement is not None and _applies(requirement, about):
            yield requirement


def _understood(line: str) -> Requirement | None:
    try:
        return Requirement(line)
    except InvalidRequirement:
        return None


def _applies(requirement: Requirement, about: dict[str, str]) -> bool:
    try:
        return requirement.marker is None or requirement.marker.evaluate(about)
    except UndefinedEnvironmentName:
        return False


def with_passwords(lines: tuple[str, ...] | None, requirements: Iterable[str]) -> tuple[str, ...] | None:
    """What is on record, which has none, as the recipe has it. None: nothing is, or its password is not known."""
    if lines is None:
        return None
    own = {package_of(line): line for line in requirements if redact(line) != line}
    found = tuple(own.get(package_of(line), line) if HIDDEN in line else line for line in lines)
    return None if any(HIDDEN in line for line in found) else found
