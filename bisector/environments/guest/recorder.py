"""Writes down what a build reads of its tree: files opened, folders listed, programs started. One line each.

Imported by every Python of the build's virtualenv as it starts; needs the audit hooks of Python 3.8.
"""

# ruff: noqa: PTH100

import json
import os
import sys
from types import FrameType  # noqa: F401 (named in a type comment)

INVENTORY = ("setuptools.command.egg_info", "find_sources")
STARTS = {"subprocess.Popen": 0, "os.posix_spawn": 0, "os.exec": 0, "os.spawn": 1, "os.system": 0}
HEARD = frozenset(["open", "os.listdir", "os.scandir"]).union(STARTS)


class Recorder:
    """Holds the descriptor and what was already said."""

    def __init__(self, path: str, tree: str, copies: bool) -> None:
        self.descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self.tree = tree
        self.copies = copies
        self.said = set()  # type: "set[tuple[str, str]]"

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
            self.place("open", args[0])
        elif event in ("os.listdir", "os.scandir"):
            if not self.is_inventory():
                self.place("list", "." if args[0] is None else args[0])
        else:
            program = args[STARTS[event]]
            self.say("start", os.fsdecode(program) if isinstance(program, (str, bytes)) else str(program))

    def is_inventory(self) -> bool:
        """Whether setuptools walks all folders for SOURCES.txt: an editable install has no other use for that.

        Asked ten thousand times a build: to ask a frame for its code is itself an event, for its globals is not.
        """
        module = sys.modules.get(INVENTORY[0])
        if self.copies or module is None:
            return False
        known = vars(module)
        frame = sys._getframe(1)  # type: "FrameType | None"
        while frame is not None:
            if frame.f_globals is known and frame.f_code.co_name == INVENTORY[1]:
                return True
            frame = frame.f_back
        return False


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
