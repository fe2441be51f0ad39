"""Writes down what a build reads of its tree: files opened or asked after, folders listed, programs started.

A line each. Imported by every Python of the build's virtualenv as it starts; needs the audit hooks of Python 3.8.
"""

# ruff: noqa: PTH100, PTH103

import json
import os
import sys
from _thread import get_ident
from types import FunctionType, MethodType, ModuleType

TYPE_CHECKING = False
"""Without `typing`, which is slow to import."""
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

INVENTORY = ("setuptools.command.egg_info", "egg_info", "find_sources")
STARTS = {"subprocess.Popen": 0, "os.posix_spawn": 0, "os.exec": 0, "os.spawn": 1, "os.system": 0}
HEARD = frozenset(["open", "os.listdir", "os.scandir"]).union(STARTS)
LOOKS = ("exists", "lexists", "isdir", "isfile", "islink")
"""Of os.path: who asks one of them learns whether there is something, and nothing of what is in it."""
FACTS = ("stat", "lstat", "access", "readlink")
"""Of os, which raises no event for them: who asks may learn how large a file is."""
WALKERS = frozenset(
    [
        *("setuptools", "distutils", "hatchling", "flit_core", "poetry", "pdm"),
        *("mesonpy", "mesonbuild", "scikit_build_core", "maturin"),
        *("importlib", "_frozen_importlib_external"),
    ]
)
"""They walk the tree for packages, for what an archive of it would hold, for a module to import."""
LIBRARY = frozenset(["os", "glob", "fnmatch", "genericpath", "pathlib", "posixpath", "pkgutil", "shutil"])
"""Who lists a folder for somebody else."""
PATHLIB = ("exists", "is_dir", "is_file")
"""They ask os.stat, by way of a method, up to Python 3.12."""
HACK = "_distutils_hack"
"""Of setuptools, as it is imported: asks wherever it is whether this is CPython's own tree, which nobody installs."""


class Recorder:
    """Holds the descriptor and what was already said."""

    def __init__(self, path: str, tree: str, copies: bool) -> None:
        self.descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self.tree = tree
        self.copies = copies
        self.said = set()  # type: "set[tuple[str, str]]"
        self.counting = set()  # type: "set[int]"
        """Threads in which setuptools takes its inventory."""
        self.looking = set()  # type: "set[int]"
        """Threads in a question that was written down."""
        self.placed = set()  # type: "set[tuple[str, str]]"

    def say(self, kind: str, what: str) -> None:
        if (kind, what) not in self.said:
            self.said.add((kind, what))
            os.write(self.descriptor, (json.dumps([kind, what]) + "\n").encode())

    def place(self, kind: str, path: object) -> None:
        if not isinstance(path, (str, bytes)):
            return
        path = os.path.abspath(os.fsdecode(path))
        if (kind, path) in self.placed:
            return
        self.placed.add((kind, path))
        for one in {path, self.unwatched(os.path.realpath, path)}:
            if one == self.tree or one.startswith(self.tree + os.sep):
                self.say(kind, os.path.relpath(one, self.tree))

    def watch(self, module: ModuleType, names: "tuple[str, ...]", kind: str) -> None:
        for name in names:
            asked = getattr(module, name)
            watching = self.watching(asked, kind)
            setattr(module, name, watching)
            for can in (
                os.supports_dir_fd,
                os.supports_effective_ids,
                os.supports_fd,
                os.supports_follow_symlinks,
            ):
                if asked in can:
                    can.add(watching)

    def watching(self, asked: "Callable[..., object]", kind: str) -> "Callable[..., object]":
        """The same function, whose questions are written down; those that it asks itself are not.

        A class that holds it, as pathlib's did up to Python 3.10, must not make a method of it, nor does it of C's.
        """

        looking, counting = self.looking, self.counting

        def watching(asked: "Callable[..., object]", path: object, *args: object, **words: object) -> object:
            thread = get_ident()
            if thread in looking:
                return asked(path, *args, **words)
            looking.add(thread)
            try:
                if thread not in counting:
                    self.look(kind, path, sys._getframe(1))
                return asked(path, *args, **words)
            finally:
                looking.discard(thread)

        watching.__name__ = watching.__qualname__ = asked.__name__
        watching.__doc__ = asked.__doc__
        return MethodType(watching, asked)

    def is_nothing(self, path: object, frame: "FrameType") -> bool:
        """An editable install does not depend on which modules there are: who walks for packages asks of each."""
        if package_of(frame) == HACK:
            return True
        is_module = isinstance(path, str) and path.endswith(".py") and not path.endswith("__init__.py")
        return is_module and not self.copies and by_walker(frame)

    def unwatched(self, asked: "Callable[..., Any]", *args: object, **words: object) -> "Any":
        thread = get_ident()
        if thread in self.looking:
            return asked(*args, **words)
        self.looking.add(thread)
        try:
            return asked(*args, **words)
        finally:
            self.looking.discard(thread)

    def look(self, kind: str, path: object, frame: "FrameType") -> None:
        if self.is_nothing(path, frame):
            return
        try:
            self.place("look" if by_pathlib(frame) else kind, os.fspath(path))  # type: ignore[call-overload]
        except (OSError, TypeError, ValueError):
            # Nothing can lie there: from a folder that is gone, say.
            pass

    def hear(self, event: str, args: "tuple[object, ...]") -> None:
        # There are a hundred thousand others.
        if event not in HEARD:
            return
        if event == "open":
            self.attend()
            self.place("open", args[0])
        elif event in ("os.listdir", "os.scandir"):
            if get_ident() not in self.counting:
                kind = "walk" if by_walker(sys._getframe(1)) else "list"
                self.place(kind, "." if args[0] is None else args[0])
        else:
            program = args[STARTS[event]]
            self.say("start", os.fsdecode(program) if isinstance(program, (str, bytes)) else str(program))

    def attend(self) -> None:
        """Once setuptools is there: it walks all folders for SOURCES.txt, ten thousand listings for a large tree.

        An editable install has no other use for them, so they are not what it depends on.
        """
        module = sys.modules.get(INVENTORY[0])
        if self.copies or module is None:
            return
        owner = vars(module).get(INVENTORY[1])
        if not isinstance(owner, type):
            return
        walk = vars(owner).get(INVENTORY[2])
        if isinstance(walk, FunctionType):
            setattr(owner, INVENTORY[2], Counting(self, owner, walk))


def package_of(frame: "FrameType") -> str:
    return str(frame.f_globals.get("__name__")).split(".")[0]


def by_walker(frame: "FrameType | None") -> bool:
    """Whether it is no code of the project's that lists."""
    while frame is not None and package_of(frame) in LIBRARY:
        frame = frame.f_back
    return frame is not None and package_of(frame) in WALKERS


def by_pathlib(frame: "FrameType") -> bool:
    """Whether pathlib asks, and only wants to know whether there is something."""
    above = frame.f_back
    if frame.f_code.co_name != "stat" or above is None or above.f_code.co_name not in PATHLIB:
        return False
    return package_of(above) == "pathlib"


class Counting:
    """A method of which it is known which threads are in it."""

    may_wait = False
    """Whether an inventory that is thrown away as soon as it is written is taken only for who asks for it."""

    def __init__(self, recorder: Recorder, owner: type, method: "Callable[..., object]") -> None:
        self.recorder = recorder
        self.owner = owner
        self.method = method

    def __get__(self, owner: object, kind: object = None) -> "Callable[..., object]":
        return self if owner is None else MethodType(self, owner)

    def __call__(self, *args: object, **words: object) -> object:
        if self.may_wait and self.is_thrown_away(args[0]):
            vars(args[0])["filelist"] = Uncounted(self, args[0])
            return None
        return self.count(*args, **words)

    def count(self, *args: object, **words: object) -> object:
        thread, threads = get_ident(), self.recorder.counting
        if thread in threads:
            return self.method(*args, **words)
        threads.add(thread)
        try:
            return self.method(*args, **words)
        finally:
            threads.discard(thread)

    def is_thrown_away(self, command: "Any") -> bool:
        """What is made outside of the tree goes into a wheel without it, unless packages find their data there."""
        is_setuptools_own = type(command) is self.owner
        if not is_setuptools_own or getattr(command.distribution, "include_package_data", True):
            return False
        tree, place = (
            self.recorder.unwatched(os.path.realpath, path) for path in (self.recorder.tree, command.egg_info)
        )
        return not place.startswith(tree + os.sep)


class Uncounted:
    """Stands for what an inventory would hold: it is taken when something is asked of it."""

    def __init__(self, counting: Counting, command: "Any") -> None:
        self.counting = counting
        self.command = command

    def __getattr__(self, name: str) -> "Any":
        os.makedirs(self.command.egg_info, exist_ok=True)
        self.counting.count(self.command)
        return getattr(self.command.filelist, name)


def begin() -> None:
    path, tree = os.environ.get("BISECTOR_RECORD"), os.environ.get("BISECTOR_RECORD_TREE")
    if not path or not tree:
        return
    recorder = Recorder(path, tree, os.environ.get("BISECTOR_RECORD_INVENTORY") == "yes")
    if hasattr(sys, "addaudithook"):
        recorder.watch(os.path, LOOKS, "look")
        recorder.watch(os, FACTS, "stat")
        sys.addaudithook(recorder.hear)
    else:
        recorder.say("blind", sys.version)


begin()
