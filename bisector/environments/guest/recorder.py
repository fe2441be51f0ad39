"""Writes down what a build reads of its tree: files opened, folders listed, programs started. One line each.

Imported by every Python of the build's virtualenv as it starts; needs the audit hooks of Python 3.8.
"""

# ruff: noqa: PTH100

import json
import os
import sys
from _thread import get_ident
from types import FunctionType, MethodType

TYPE_CHECKING = False
"""Without `typing`, which is slow to import."""
if TYPE_CHECKING:
    from collections.abc import Callable

INVENTORY = ("setuptools.command.egg_info", "egg_info", "find_sources")
STARTS = {"subprocess.Popen": 0, "os.posix_spawn": 0, "os.exec": 0, "os.spawn": 1, "os.system": 0}
HEARD = frozenset(["open", "os.listdir", "os.scandir"]).union(STARTS)


class Recorder:
    """Holds the descriptor and what was already said."""

    def __init__(self, path: str, tree: str, copies: bool) -> None:
        self.descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self.tree = tree
        self.copies = copies
        self.said = set()  # type: "set[tuple[str, str]]"
        self.counting = set()  # type: "set[int]"
        """Threads in which setuptools takes its inventory."""

    def say(self, kind: str, what: str) -> None:
        if (kind, what) not in self.said:
            self.said.add((kind, what))
            os.write(self.descriptor, (json.dumps([kind, what]) + "\n").encode())

    def place(self, kind: str, path: object) -> None:
        if not isinstance(path, (str, bytes)):
            return
        path = os.path.abspath(os.fsdecode(path))
        for one in {path, os.path.realpath(path)}:
            if one == self.tree or one.startswith(self.tree + os.sep):
                self.say(kind, os.path.relpath(one, self.tree))

    def hear(self, event: str, args: "tuple[object, ...]") -> None:
        # There are a hundred thousand others.
        if event not in HEARD:
            return
        if event == "open":
            self.attend()
            self.place("open", args[0])
        elif event in ("os.listdir", "os.scandir"):
            if get_ident() not in self.counting:
                self.place("list", "." if args[0] is None else args[0])
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
        walk = vars(owner).get(INVENTORY[2]) if isinstance(owner, type) else None
        if isinstance(walk, FunctionType):
            setattr(owner, INVENTORY[2], Counting(walk, self.counting))


class Counting:
    """A method of which it is known which threads are in it."""

    def __init__(self, method: "Callable[..., object]", threads: "set[int]") -> None:
        self.method = method
        self.threads = threads

    def __get__(self, owner: object, kind: object = None) -> "Callable[..., object]":
        return self if owner is None else MethodType(self, owner)

    def __call__(self, *args: object, **words: object) -> object:
        thread = get_ident()
        if thread in self.threads:
            return self.method(*args, **words)
        self.threads.add(thread)
        try:
            return self.method(*args, **words)
        finally:
            self.threads.discard(thread)


def begin() -> None:
    path, tree = os.environ.get("BISECTOR_RECORD"), os.environ.get("BISECTOR_RECORD_TREE")
    if not path or not tree:
        return
    recorder = Recorder(path, tree, os.environ.get("BISECTOR_RECORD_INVENTORY") == "yes")
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(recorder.hear)
    else:
        recorder.say("blind", sys.version)


begin()
