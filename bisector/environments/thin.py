"""A virtualenv made by hand: a link to the interpreter, a settings file, and a line for each layer below it.

Nothing is copied and no process is started. The layers' scripts are linked in and run by its own python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bisector.environments.interpreters import Interpreter

LINES = "_bisector_layers.pth"
OWN_FOLDERS = {"bin", "lib", "lib64", "include", "pyvenv.cfg"}


@dataclass(frozen=True, slots=True)
class Thin:
    """A fresh virtualenv, writable, with nothing in it but links."""

    path: Path
    python: Path
    site: Path

    @property
    def bin(self) -> Path:
        return self.path / "bin"


def make(path: Path, interpreter: Interpreter, layers: Sequence[Path] = ()) -> Thin:
    """`layers` are folders of the same shape; an earlier one goes before a later one."""
    site = path / interpreter.site
    site.mkdir(parents=True)
    (path / "include").mkdir()
    (path / "lib64").symlink_to("lib")
    folder = path / "bin"
    folder.mkdir()
    python = folder / "python"
    python.symlink_to(interpreter.path)
    major, minor = interpreter.minor
    for name in ("python3", f"python{major}.{minor}"):
        (folder / name).symlink_to("python")
    (path / "pyvenv.cfg").write_text(
        f"home = {interpreter.path.parent}\ninclude-system-site-packages = false\n"
        f"version = {interpreter.version}\n"
    )
    if layers:
        lines = (f"import site; site.addsitedir({str(layer / interpreter.site)!r})\n" for layer in layers)
        (site / LINES).write_text("".join(lines))
    for layer in layers:
        _link(layer, path)
    return at(path, interpreter)


def at(path: Path, interpreter: Interpreter) -> Thin:
    """The one that lies there."""
    return Thin(path, path / "bin" / "python", path / interpreter.site)


def _link(layer: Path, venv: Path) -> None:
    """The layer's scripts, and what else it brought (share, etc); what an earlier layer gave stays."""
    for given, taken in ((layer / "bin", venv / "bin"), (layer, venv)):
        if not given.is_dir():
            continue
        for item in given.iterdir():
            link = taken / item.name
            if (
                (given == layer and item.name in OWN_FOLDERS)
                or item.name.startswith(".")
                or link.is_symlink()
            ):
                continue
            link.symlink_to(item)
