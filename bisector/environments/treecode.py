"""Bytecode of the commit's own modules: made once for a file's content, and shown to a run beside its tree.

A clean tree has none, and a run that imports a large package would compile it anew at every commit. Python believes
what it is shown only where it fits its source (PEP 552, checked hashes), and a program that looks at its own folder
meets none of it: so it can change no answer.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

from bisector.environments.budget import BYTECODE
from bisector.environments.bytecode import shares
from bisector.environments.fingerprint import fingerprint
from bisector.environments.interpreters import GUEST, Interpreter
from bisector.environments.layers import Shelf
from bisector.environments.ready import Place, Ready
from bisector.process import leftovers

OLDEST = (3, 7)
"""The first Python that checks bytecode by the hash of its source."""
FEW = 8
"""So few modules compile in the run itself faster than a process for them starts."""
MOST_REMEMBERED = 1500
"""Names of modules kept for a project."""
LARGEST = 16 << 20
DIGEST = hashlib.sha256().digest_size
SHA1 = 40
"""Digits of a content's id, where git does not count by SHA-256."""
IMPORTED = "imported"
"""The file in a project's folder that names its modules."""

READER = """\
import _imp, sys
from _frozen_importlib_external import SourceFileLoader
def beside(get_data, trees={trees!r}, store={store!r}, suffix={suffix!r}, made={made!r}):
    made = dict(line.split("\\t") for line in made.splitlines())
    importing, compiling = SourceFileLoader.get_code.__code__, SourceFileLoader.source_to_code
    def read(self, path):
        try:
            return get_data(self, path)
        except OSError:
            # Who writes bytecode finds what it wrote, and must find nothing else.
            if not (sys.dont_write_bytecode and isinstance(path, str) and path.endswith(suffix)):
                raise
            # Who compiles otherwise than Python does not get what it made, nor who looks for a file.
            if type(self) is not SourceFileLoader or SourceFileLoader.source_to_code is not compiling:
                raise
            if sys._getframe(1).f_code is not importing:
                raise
            for tree in trees:
                kept = made.get(path[len(tree):]) if path.startswith(tree) else None
                try:
                    if kept is not None:
                        return get_data(self, store + kept)
                except OSError:
                    pass
            raise
    return read
if _imp.check_hash_based_pycs != "never":
    SourceFileLoader.get_data = beside(SourceFileLoader.get_data)
"""

WITNESS = """\
import atexit, sys
def tell(places={places!r}, told={told!r}):
    files = []
    for module in list(sys.modules.values()):
        try:
            # A lazy module would load itself if it were asked.
            files.append(str(object.__getattribute__(module, "__dict__").get("__file__")))
        except Exception:
            pass
    try:
        with open(told, "a", encoding="utf-8", errors="surrogateescape") as out:
            out.writelines(file + "\\n" for file in files if file.startswith(places))
    except OSError:
        pass
atexit.register(tell)
"""


class Treecode:
    """Shared by the workers of a hunt. Which modules matter is learnt from what earlier runs left behind."""

    def __init__(self, shelf: Shelf, folder: Path, imported: frozenset[str] = frozenset()) -> None:
        self._shelf = shelf
        self.folder = folder
        """The project's, where the next hunt in it finds what this one made. What runs may read it, never write."""
        self._imported = imported
        self._barren: frozenset[str] = frozenset()
        """Where the bytecode of what gave none would lie: what warns is met at each commit."""
        self._whole: set[str] = set()
        """Where bytecode lies that was read once and found whole."""
        self._compiling = threading.Lock()
        self._interpreter: Interpreter | None = None
        """That of the last trial, which the next one's most likely is."""

    @property
    def knows_nothing(self) -> bool:
        return not self._imported

    @staticmethod
    def serves(interpreter: Interpreter) -> bool:
        return bool(interpreter.bytecode_suffix) and interpreter.minor >= OLDEST

    def reader(self, ready: Ready, place: Place) -> str | None:
        """What an interpreter runs at its start to find what earlier runs imported, compiled where it is new."""
        if self.knows_nothing:
            return None
        self._interpreter = ready.interpreter
        wanted, suffix = self._compiled(ready.interpreter, place), ready.interpreter.bytecode_suffix
        store = f"{self._store(ready.interpreter)}/"
        whole = {path: kept.removeprefix(store) for path, kept in wanted.items() if kept in self._whole}
        return READER.format(
            trees=tuple(dict.fromkeys((f"{place.tree}/", f"{place.tree.resolve()}/"))),
            store=store,
            suffix=suffix,
            made="".join(f"{_cached(path, suffix)}\t{kept}\n" for path, kept in whole.items()),
        )

    def expect(self, place: Place) -> None:
        """What a run is to be shown is compiled, as far as can be told before there is an environment."""
        if self._interpreter is not None and not self.knows_nothing:
            self._compiled(self._interpreter, place)

    def _compiled(self, interpreter: Interpreter, place: Place) -> Mapping[str, str]:
        """Of each module that earlier runs imported, where its bytecode lies, if it gave any."""
        contents = place.facts.files()
        store = self._store(interpreter)
        wanted = {path: _kept(store, contents[path]) for path in self._imported if path in contents}
        with self._compiling:
            missing = {path: contents[path] for path, kept in wanted.items() if not self._is_there(kept)}
            if len(missing) > FEW:
                self._compile(missing, store, interpreter, place)
                nothing = {kept for path in missing if not self._is_whole(kept := wanted[path])}
                self._barren |= set() if place.cancelled.is_set() else nothing
        return wanted

    def _is_there(self, kept: str) -> bool:
        return kept in self._barren or self._is_whole(kept)

    def _is_whole(self, kept: str) -> bool:
        """What a crash cut short must not be shown."""
        if kept not in self._whole and _is_signed(kept):
            self._whole.add(kept)
        return kept in self._whole

    def witness(self, place: Place, told: Path) -> str:
        """What an interpreter runs at its start, so that it tells at its end what it imported of tree and layers."""
        return WITNESS.format(places=(f"{place.tree}/", f"{self._shelf.layers}/"), told=str(told))

    def learn(self, place: Place, said: Iterable[str]) -> None:
        """Names alone are taken from a run, and only those that git knows."""
        paths = {path.removeprefix(f"{place.tree}/") for path in said}
        found = paths & {path for path in place.facts.files() if path.endswith(".py") and path.isprintable()}
        if not found <= self._imported:
            self._imported |= found
            self._remember(found)

    def _remember(self, found: frozenset[str] | set[str]) -> None:
        """What other repros import makes each trial of this one lay out more: too much of it is forgotten."""
        kept = self._imported if len(self._imported) <= MOST_REMEMBERED else found
        self._shelf.hold(BYTECODE)
        self.folder.mkdir(parents=True, exist_ok=True)
        half = self.folder / f"{IMPORTED}.{os.getpid()}.{threading.get_ident()}"
        half.write_text("".join(f"{path}\n" for path in sorted(kept)), encoding="utf-8")
        half.replace(self.folder / IMPORTED)

    def _store(self, interpreter: Interpreter) -> Path:
        self._shelf.hold(BYTECODE)
        return self.folder / f"{interpreter.implementation}-{interpreter.version}"

    def _compile(
        self, missing: Mapping[str, str], store: Path, interpreter: Interpreter, place: Place
    ) -> None:
        """In the cage, though nothing is executed: a compiler may be brought to eat memory."""
        if not (place.scratch.is_dir() and leftovers.is_below(place.scratch, place.scratch.parent)):
            return
        aside = Path(tempfile.mkdtemp(prefix=BYTECODE, dir=place.scratch))
        lines = (
            f"{place.tree / path}\t{aside / content}\n"
            for path, content in missing.items()
            if not {"\t", "\n", "\r"}.intersection(path) and _holds(f"{place.tree}/{path}", content)
        )
        listed = aside / "modules"
        listed.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(aside), "LANG": "C.UTF-8"}
        argv: list[str | Path] = [interpreter.path, "-I", "-S", GUEST / "compile.py", listed]
        argv += [str(shares(len(missing))), "apart"]
        readable = (*interpreter.readable, GUEST, place.tree)
        # Code of packages may run in this place at the same time: what it can write to is never this folder.
        place.runner(argv, aside, env, None, (aside,), readable)
        for folder in {content[:2] for content in missing.values()}:
            (store / folder).mkdir(parents=True, exist_ok=True)
        for path, content in missing.items():
            made = leftovers.content_of(f"{aside}/{content}", LARGEST)
            # A build may have written the source anew in the same moment.
            if made is not None and _holds(f"{place.tree}/{path}", content):
                _keep(_kept(store, content), made)
        self._shelf.grown.touch()


def open_treecode(shelf: Shelf, project: str) -> Treecode:
    """With what earlier hunts in that project learnt."""
    folder = shelf.root / BYTECODE / fingerprint("bytecode", [project])
    try:
        lines = (folder / IMPORTED).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        lines = []
    return Treecode(shelf, folder, frozenset(lines))


def _kept(store: Path, content: str) -> str:
    return f"{store}/{content[:2]}/{content}"


def _cached(module: str, suffix: str) -> str:
    """Where Python looks for the bytecode of a module."""
    folder, slash, name = module.rpartition("/")
    return f"{folder}{slash}__pycache__/{name.removesuffix('.py')}{suffix}"


def _holds(source: str, content: str) -> bool:
    """Whether the file is what git calls by that id: a build may have written it anew, a filter changed it."""
    said = leftovers.content_of(source)
    if said is None:
        return False
    digest = hashlib.sha1 if len(content) == SHA1 else hashlib.sha256
    return digest(b"blob %d\0" % len(said) + said).hexdigest() == content


def _keep(path: str, made: bytes) -> None:
    """With its digest behind it, where Python looks at nothing any more."""
    half = f"{path}.{os.getpid()}.{threading.get_ident()}"
    with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o444), "wb") as file:
        file.write(made + hashlib.sha256(made).digest())
    os.replace(half, path)  # noqa: PTH105


def _is_signed(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            kept = file.read()
    except FileNotFoundError:
        return False
    return hashlib.sha256(kept[:-DIGEST]).digest() == kept[-DIGEST:]
