"""What a build read of its tree, and whether another commit's tree would have given it the same.

Contents are compared by git's ids, over the whole jump between two commits: which commits lie between is
no matter.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path, PurePosixPath

from bisector.environments.fingerprint import fingerprint
from bisector.process import leftovers

REPOSITORY_READERS = {"git", "hg", "svn", "bzr", "fossil"}
COMPILERS = {
    "ar", "as", "c++", "c99", "cargo", "cc", "ccache", "clang", "clang++", "cmake", "cython", "f77", "f95",
    "g++", "gcc", "gcc-ar", "gcc-nm", "gcc-ranlib", "gfortran", "ld", "llvm-ar", "make", "maturin", "meson",
    "nasm", "ninja", "nm", "nvcc", "pkg-config", "ranlib", "rustc", "sccache", "strip", "swig",
}  # fmt: skip
"""They read sources that no audit hook sees: everything but Python files counts."""
OTHERS = re.compile(r"\.(github|circleci)/|\.(gitlab-ci|pre-commit-config|readthedocs)\.ya?ml$|\.mailmap$")
"""At the top, what is a forge's or another service's own: no build knows it."""
HARMLESS = {"dpkg-architecture", "getconf", "ldconfig", "ldd", "lsb_release", "uname"}
EXCLUDE = ".git/info/exclude"
"""Asked for by those who list files as git would; it says nothing of the history."""
PROBES = "meson-private"
"""Where meson keeps the programs that it compiles to learn what the compiler can do."""


class Breadth(Enum):
    """How much of the tree counts besides what was named."""

    NAMED = "named"
    SOURCES = "sources"
    """All that is not Python, nor OTHERS'."""
    ALL = "all"

    def joined(self, other: Breadth) -> Breadth:
        order = list(Breadth)
        return max(self, other, key=order.index)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Paths are relative to the tree; a file that was looked for and not there is one of them."""

    opened: frozenset[str]
    walked: frozenset[str] = frozenset()
    """Folders that the backend went through to find packages."""
    listed: frozenset[str] = frozenset()
    """Folders of which code of the project's own saw every name."""
    looked: frozenset[str] = frozenset()
    """It asked whether they are there, and not what is in them."""
    breadth: Breadth = Breadth.NAMED
    history: bool = False
    """It asked the repository: every commit may give it something else."""
    top: str = ""
    """The project's folder."""

    def with_files(self, paths: Iterable[str]) -> Inputs:
        return replace(self, opened=self.opened | frozenset(paths))

    def at_least(self, breadth: Breadth) -> Inputs:
        return replace(self, breadth=self.breadth.joined(breadth))

    def settled(self, files: Mapping[str, str]) -> Inputs:
        """Without what the build read of its own making, whose names may be random.

        That the commit has no such folder is an input: it counts as one look into the folder above.
        """
        folders = {""} | {str(parent) for path in files for parent in PurePosixPath(path).parents}
        walked = {folder for folder in self.walked if folder in folders}
        listed = {folder for folder in self.listed if folder in folders}
        opened: set[str] = set()
        looked: set[str] = set()
        gone = (self.walked | self.listed) - walked - listed
        for asked, kept in ((self.opened | gone, opened), (self.looked, looked)):
            for path in asked:
                parent = PurePosixPath(path).parent
                if path in files or str(parent) in folders:
                    kept.add(path)
                    continue
                while str(parent) not in folders:
                    parent = parent.parent
                walked.add("" if parent == PurePosixPath() else str(parent))
        return replace(
            self,
            opened=frozenset(opened),
            walked=frozenset(walked),
            listed=frozenset(listed),
            looked=frozenset(looked),
        )

    def digest(self, files: Mapping[str, str], commit: str) -> str:
        """Equal for two trees that look the same to the build."""
        if self.breadth is Breadth.ALL:
            contents = sorted(f"{path} {name}" for path, name in files.items())
            return fingerprint("inputs", contents, [commit if self.history else ""])
        named = set(self.opened)
        if self.breadth is Breadth.SOURCES:
            named |= {path for path in files if not path.endswith(".py") and not OTHERS.match(path)}
        folders = _folders(files)
        contents = [f"{path} {files.get(path) or _kind_of(path, files, folders)}" for path in sorted(named)]
        kinds = [f"{path} {_kind_of(path, files, folders)}" for path in sorted(self.looked)]
        return fingerprint("inputs", contents, kinds, self._names(files), [commit if self.history else ""])

    def _names(self, files: Mapping[str, str]) -> list[str]:
        """What the folders hold that were listed, and of those that were walked what can matter.

        Folders always count, and so does which kinds of files there are. File names count at the top, and
        for the kinds of which the build opened one in that folder: a build that walks all folders for the
        sake of an inventory is not made anew for each test module that comes or goes.
        """
        opened = {_kind(path) for path in self.opened}
        listed = self.listed | {self.top}
        folders = self.walked | listed
        inside: dict[str, set[str]] = defaultdict(set)
        for path in files:
            _note(path, folders, listed, opened, inside)
        return [f"{folder}: {' '.join(sorted(inside[folder]))}" for folder in sorted(folders)]

    def to_json(self) -> str:
        return json.dumps(
            {
                "opened": sorted(self.opened),
                "walked": sorted(self.walked),
                "listed": sorted(self.listed),
                "looked": sorted(self.looked),
                "breadth": self.breadth.value,
                "history": self.history,
                "top": self.top,
            }
        )


def from_json(text: str) -> Inputs | None:
    try:
        said = json.loads(text)
        return Inputs(
            frozenset(map(str, said["opened"])),
            frozenset(map(str, said["walked"])),
            frozenset(map(str, said["listed"])),
            frozenset(map(str, said["looked"])),
            Breadth(said["breadth"]),
            bool(said["history"]),
            str(said["top"]),
        )
    except (ValueError, KeyError, TypeError):
        return None


def from_record(record: Path, own_bin: Path, top: str) -> Inputs:
    """What the recorder wrote; a build that could not be listened to has read everything."""
    opened: set[str] = set()
    walked: set[str] = set()
    listed: set[str] = set()
    looked: set[str] = set()
    breadth, history = Breadth.NAMED, False
    text = leftovers.read(record, record.parent)
    if text is None:
        return Inputs(frozenset(), breadth=Breadth.ALL, top=top)
    for line in text.splitlines():
        kind, what = _event(line)
        if kind == "open":
            opened.add(what)
            history = history or what == ".git" or (what.startswith(".git/") and what != EXCLUDE)
        elif kind == "stat":
            opened.add(what)
        elif kind == "look":
            looked.add(what)
        elif kind in ("walk", "list"):
            (walked if kind == "walk" else listed).add("" if what == "." else what)
        elif kind == "start":
            program = PurePosixPath(what)
            history = history or program.name in REPOSITORY_READERS
            breadth = breadth.joined(_breadth_of(program, own_bin))
        else:
            breadth = Breadth.ALL
    return Inputs(
        frozenset(opened),
        frozenset(walked - listed),
        frozenset(listed),
        frozenset(looked - opened),
        breadth,
        history,
        top,
    )


def _event(line: str) -> tuple[str, str]:
    """A line that cannot be understood hides something."""
    try:
        kind, what = json.loads(line)
    except (ValueError, TypeError):
        return "unknown", line
    return str(kind), str(what)


def _breadth_of(program: PurePosixPath, own_bin: Path) -> Breadth:
    plain = program.name.rpartition("-linux-gnu-")[2]
    if PROBES in program.parts:
        return Breadth.SOURCES
    if plain.rstrip("0123456789.-") in COMPILERS or plain in COMPILERS:
        return Breadth.SOURCES
    # The virtualenv's own python records for itself.
    own_python = program.name.startswith("python") and str(program.parent) in {str(own_bin), "."}
    if own_python or program.name in HARMLESS | REPOSITORY_READERS:
        return Breadth.NAMED
    return Breadth.ALL


def _folders(files: Mapping[str, str]) -> set[str]:
    found: set[str] = set()
    for path in files:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _kind_of(path: str, files: Mapping[str, str], folders: set[str]) -> str:
    return "a file" if path in files else "a folder" if path in folders else "-"


def _kind(path: str) -> tuple[str, str]:
    pure = PurePosixPath(path)
    return str(pure.parent), _suffix(pure.name)


def _suffix(name: str) -> str:
    """As pathlib has it, which takes ten times as long: each file of a tree is looked at in each trial."""
    place = name.rfind(".")
    return name[place:] if 0 < place < len(name) - 1 else ""


def _note(
    path: str,
    folders: frozenset[str],
    listed: frozenset[str],
    opened: set[tuple[str, str]],
    inside: dict[str, set[str]],
) -> None:
    """Enter one file into every one of the folders that lies above it."""
    folder, _, name = path.rpartition("/")
    if folder in folders:
        suffix = _suffix(name)
        counts = folder in listed or name == "__init__.py" or (folder or ".", suffix) in opened
        inside[folder] |= {name, f"*{suffix}"} if counts else {f"*{suffix}"}
    while folder:
        above, _, name = folder.rpartition("/")
        if above in folders:
            inside[above].add(f"{name}/")
        folder = above
