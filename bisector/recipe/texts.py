"""Texts that must be more than text: refs, paths, patterns, requirements, names of things."""

from __future__ import annotations

import re
import warnings
from pathlib import PurePosixPath

from packaging.requirements import InvalidRequirement, Requirement

from bisector.recipe.faults import Unfit, nearest, quoted

VERSION = r"\d+(\.\d+){0,2}((a|b|rc)\d+)?t?"
_NUMBER = re.compile(r"\d+(\.\d+)?")
_LONGEST = 4096
_SCHEMES = ("https", "http", "ssh", "git", "file")
"""Others may be the user's own: git has helpers and `insteadOf`."""
_LONGEST_REQUIREMENT = 1000
_LONGEST_PATTERN = 1000
"""Compiling 4000 characters of character sets can take seconds."""
_MOST_GROUPS = 100
"""Python's compiler calls itself for each that lies in another, and gives up at some depth."""


def anything(text: str) -> str:
    return text


def words(text: str) -> str:
    if not text.strip():
        raise Unfit("is empty")
    return text


def command(text: str) -> str:
    """For a shell."""
    if _NUMBER.fullmatch(text.strip()):
        raise Unfit(f"expected a command, found the number {text.strip()}")
    return words(text)


def one_line(text: str) -> str:
    """Stripped: what goes to git or an installer as one argument."""
    stripped = words(text).strip()
    if len(stripped) > _LONGEST:
        raise Unfit(f"is {len(stripped)} characters long, at most {_LONGEST} make sense here")
    if not stripped.isprintable():
        raise Unfit("holds a line break or a control character")
    if stripped.startswith("-"):
        raise Unfit(f"{quoted(stripped)} begins with a dash and would be taken for an option")
    return stripped


def repository(text: str) -> str:
    """git's `<transport>::<address>` runs a program of the recipe's choice: never."""
    address = one_line(text)
    if _NUMBER.fullmatch(address):
        raise Unfit(f"expected a URL or a path, found the number {address}")
    if re.match(r"[A-Za-z0-9+.-]*::", address):
        raise Unfit(f"the transport of {quoted(address)} is not allowed; give an https or ssh URL, or a path")
    scheme, separator, _ = address.partition("://")
    if separator and scheme.lower() not in _SCHEMES and (meant := nearest(scheme, _SCHEMES)):
        raise Unfit(f"{quoted(scheme)} is no way to fetch from; did you mean {meant}://?")
    if address.startswith("~"):
        raise Unfit("`~` is another folder for each reader of a recipe; write the path out")
    return address


def new_end(text: str) -> str:
    if (ref := one_line(text)) == "auto":
        raise Unfit("`auto` can only stand for the other end")
    return ref


def inside(text: str) -> str:
    """A path that stays within the directory it is counted from."""
    path = one_line(text)
    parts = PurePosixPath(path).parts
    if path.startswith(("/", "~")) or ".." in parts or "\\" in path:
        raise Unfit(f"{quoted(path)} leads out of the directory it is counted from")
    if any(part.lower() == ".git" for part in parts):
        raise Unfit(f"{quoted(path)} leads into git's own directory")
    return path


def file_inside(text: str) -> str:
    if (path := inside(text)).endswith("/") or path in (".", "./"):
        raise Unfit(f"{quoted(path)} is a directory's name, not a file's")
    return path


def array_file(text: str) -> str:
    path = file_inside(text)
    if PurePosixPath(path).suffix not in (known := (".pt", ".safetensors", ".npy", ".npz", ".json")):
        raise Unfit(f"cannot compare {quoted(path)}; known are {', '.join(known)}")
    return path


def interpreter(text: str) -> str:
    python = one_line(text)
    if re.fullmatch(VERSION, python) is None and "/" not in python:
        raise Unfit(f'expected a version such as "3.11" or a path to an interpreter, found {quoted(python)}')
    return python


def pattern(text: str) -> str:
    _compiled(text)
    return text


def pattern_with_number(text: str) -> str:
    if _compiled(text).groups < 1:
        raise Unfit("needs a group around the number, such as `took ([0-9.]+)`")
    return text


def _compiled(text: str) -> re.Pattern[str]:
    if len(words(text)) > _LONGEST_PATTERN:
        raise Unfit(f"is {len(text)} characters long, a pattern may have {_LONGEST_PATTERN}")
    if text.count("(") > _MOST_GROUPS:
        raise Unfit(f"has more than {_MOST_GROUPS} groups")
    try:
        with warnings.catch_warnings():
            # What Python only warns of means something else in a later Python.
            warnings.simplefilter("error")
            return re.compile(text)
    except (re.error, Warning) as error:
        raise Unfit(f"not a regular expression: {error}") from error
    except OverflowError as error:
        raise Unfit("not a regular expression: a repetition beyond measure") from error


def requirement(text: str) -> str:
    line = one_line(text)
    if len(line) > _LONGEST_REQUIREMENT:
        raise Unfit(f"is {len(line)} characters long, a requirement may have {_LONGEST_REQUIREMENT}")
    try:
        Requirement(line)
    except (InvalidRequirement, RecursionError) as error:
        reason = str(error).splitlines()[0]
        raise Unfit(f"{quoted(line)} is not a requirement: {reason}") from error
    return line


def extra(text: str) -> str:
    return _named(text, r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", "the name of an extra")


def module(text: str) -> str:
    return _named(text, r"[^\W\d]\w*(\.[^\W\d]\w*)*", "the name of a module")


def variable(text: str) -> str:
    return _named(text, r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable")


def axis(text: str) -> str:
    return _named(text, r"python|env\.[A-Za-z_][A-Za-z0-9_]*", "`python` or `env.NAME`")


def _named(text: str, allowed: str, what: str) -> str:
    if re.fullmatch(allowed, text) is None:
        raise Unfit(f"expected {what}, found {quoted(text)}")
    return text
