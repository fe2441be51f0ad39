"""Proof before judging: the module under test would be imported from the commit's own tree."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from bisector.environments.census import CACHE, facts_of
from bisector.environments.fingerprint import fingerprint
from bisector.environments.interpreters import GUEST
from bisector.environments.layers import Shelf, temporary
from bisector.environments.ready import Place, Ready
from bisector.folders import walk
from bisector.installers.words import reason_of
from bisector.model import InstallMode, Stage, Trouble, Untestable
from bisector.process import Finished, ProgramMissing, leftovers

PROOF_TIMEOUT = 60.0
FEW = 20
"""So many files of a layer are read, to know it from another one."""
FOR_PEOPLE = {"METADATA", "RECORD", "WHEEL", "INSTALLER", "REQUESTED", "direct_url.json", "licenses"}
"""Of a distribution's own folder: nothing that is imported as Python starts goes by these."""


@dataclass(frozen=True)
class Proofs:
    """Asks Python once for each set of layers and each tree: that start costs as much as the rest of an environment.

    Nothing but the tree's own files can then change the answer: the search path, its order and everything on it
    outside of the tree are the same. While the file that was found is there, what comes before it can only be
    another file of the tree. Where no run can write to a layer the answer is kept in it for the next hunt. Two
    editable installs that differ in nothing but their metadata are one.
    """

    shelf: Shelf
    _found: dict[str, tuple[Path, ...]] = field(default_factory=dict)

    def prove(self, ready: Ready, place: Place) -> Untestable | Trouble | None:
        """None: each module lies in the tree. Nothing of the project is executed."""
        if not ready.modules:
            return None
        key = _key(ready, place.tree)
        known = self._found.get(key) or self._kept(key, ready, place.tree)
        if known and all(_lies_in(file, place.tree) for file in known):
            self._found[key] = known
            return None
        said = _ask(ready, place)
        if isinstance(said, Untestable | Trouble):
            return said
        for module in ready.modules:
            fault = _judge(module, said.get(module), ready)
            if fault is not None:
                return fault
        files = tuple(Path(origin) for origin in said.values() if origin)
        if all(_lies_in(file, place.tree) for file in files):
            self._found[key] = files
            self._keep(key, files, ready, place.tree)
        return None

    def _note(self, key: str, ready: Ready) -> Path | None:
        """In the uppermost layer, with which it goes."""
        top = ready.readable[0]
        return top / f".{key}" if self.shelf.guarded and top.parent == self.shelf.layers else None

    def _kept(self, key: str, ready: Ready, tree: Path) -> tuple[Path, ...]:
        note = self._note(key, ready)
        said = note.read_text("utf-8", "surrogateescape") if note is not None and note.exists() else ""
        return tuple(tree / line for line in said.splitlines())

    def _keep(self, key: str, files: tuple[Path, ...], ready: Ready, tree: Path) -> None:
        note = self._note(key, ready)
        lines = [str(file.relative_to(tree)) for file in files]
        if note is not None and not any("\n" in line for line in lines):
            half = note.with_name(f"{note.name}.{os.getpid()}.{threading.get_ident()}")
            # Where it cannot be written it is asked again.
            with suppress(OSError):
                half.write_text("".join(f"{line}\n" for line in lines), "utf-8", "surrogateescape")
                half.replace(note)


def _key(ready: Ready, tree: Path) -> str:
    """What decides where modules come from, but for the files of the tree."""
    return fingerprint(
        "proof",
        ready.interpreter.words(),
        [_own_words(ready) or _name(ready.readable[0]), *map(_name, ready.readable[1:])],
        ready.modules,
        map(str, (*ready.origins, tree)),
        [ready.variables.get("PYTHONPATH", "")],
    )


def _name(layer: Path) -> str:
    """Which making of it this is."""
    facts = facts_of(layer)
    return f"{layer} {facts.made if facts else ''}"


def _own_words(ready: Ready) -> str:
    """What an editable install of the project says to Python; empty where it is none, or more than that."""
    if ready.request.mode is not InstallMode.EDITABLE:
        return ""
    site = ready.readable[0] / ready.interpreter.site
    found = list(islice(_looked_at(site), FEW + 1))
    if len(found) > FEW or any(path.is_symlink() for path in found):
        return ""
    said = ((path.relative_to(site), hashlib.sha256(path.read_bytes()).hexdigest()) for path in found)
    return " ".join(sorted(f"{path} {digest}" for path, digest in said))


def _looked_at(site: Path) -> Iterator[Path]:
    for top, below, names in walk(site):
        folder = Path(top)
        below[:] = [name for name in below if name != CACHE]
        if folder.suffix == ".dist-info":
            below[:] = [name for name in below if name not in FOR_PEOPLE]
            names = [name for name in names if name not in FOR_PEOPLE]
        yield from (folder / name for name in names)


def _lies_in(file: Path, tree: Path) -> bool:
    return file.is_relative_to(tree) and file.is_file() and file.resolve().is_relative_to(tree.resolve())


def _ask(ready: Ready, place: Place) -> Mapping[str, str | None] | Untestable | Trouble:
    # Other work goes on in this place.
    with temporary(place.scratch / "proof") as own:
        return _told(own, ready, place)


def _told(own: Path, ready: Ready, place: Place) -> Mapping[str, str | None] | Untestable | Trouble:
    answer = own / "where.json"
    argv = [str(ready.python), str(GUEST / "where.py"), str(answer), *ready.modules]
    ran = _run(argv, PROOF_TIMEOUT, ready, place, own, ready.venv)
    if not isinstance(ran, Finished):
        return Trouble(f"{ran.program} cannot be started: {ran.reason}")
    if ran.cancelled:
        return Trouble("cancelled")
    if not ran.ok:
        return Untestable(Stage.IMPORT, reason_of(ran.stdout + ran.stderr) or "Python does not start")
    try:
        said = json.loads(leftovers.read(answer, own) or "")
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        return Trouble("Python did not say where it would import from")
    return {str(name): origin and str(origin) for name, origin in said.items()}


def _run(
    argv: list[str], timeout: float, ready: Ready, place: Place, own: Path, *readable: Path
) -> Finished | ProgramMissing:
    """Code of the commit and of its packages, which can write to the tree and to its `own` folder."""
    env = ready.environment({"HOME": str(own), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"})
    visible = (*ready.readable, *readable, place.tree, GUEST)
    return place.runner(argv, own, env, timeout, (own, place.tree), visible)


def _judge(module: str, origin: str | None, ready: Ready) -> Untestable | Trouble | None:
    if origin is None:
        return Untestable(Stage.IMPORT, f"there is no module {module} at this commit (install.module)")
    path = Path(origin).resolve()
    if any(path.is_relative_to(own.resolve()) for own in ready.origins):
        return None
    return Trouble(
        f"{module} would be imported from {origin}, which is not the commit's own tree; "
        "no verdict can be given (install.mode, install.path and install.module decide it)"
    )


def imports(ready: Ready, place: Place) -> Untestable | Trouble | None:
    """None: the module can be imported; else the last lines of why not."""
    if not ready.modules:
        return None
    script = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    argv = [str(ready.python), "-c", script, *ready.modules]
    ran = _run(argv, ready.request.timeout, ready, place, place.scratch)
    if not isinstance(ran, Finished):
        return Trouble(f"{ran.program} cannot be started: {ran.reason}")
    if ran.cancelled:
        return Trouble("the import was cancelled")
    if ran.ok:
        return None
    reason = reason_of(ran.stdout + ran.stderr) or "the import failed without a word"
    return Untestable(Stage.IMPORT, reason)


def needs(ready: Ready, place: Place) -> str:
    """What a project may lack that cannot run from its sources alone; empty: nothing that is known."""
    if ready.request.mode is not InstallMode.PYTHONPATH:
        return ""
    said = place.tree / "pyproject.toml"
    text = said.read_text(encoding="utf-8", errors="replace") if said.is_file() else ""
    if re.search(r"^\s*(write_to|version_file|version-file)\s*=", text, re.MULTILINE):
        return "its build writes a version file, `install: {mode: editable}` runs the build"
    if re.search(r"^\[project\.entry-points", text, re.MULTILINE) or (place.tree / "setup.py").is_file():
        return "it may need its entry points or built files, `install: {mode: editable}` makes them"
    return ""
