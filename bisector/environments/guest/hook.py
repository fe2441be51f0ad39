"""Calls a build backend (PEP 517 and 660) in the project's folder. The job is a line of JSON on standard input.

Arguments: the file for the answer, and modules to import while there is no job yet.
"""

# ruff: noqa: PTH100, PTH104, PTH109, PTH116

import gc
import importlib
import json
import os
import re
import sys
from typing import Any

RECORDER = "_bisector_recorder"


def canonical(requirement: str) -> str:
    name = re.match(r"\s*([A-Za-z0-9._-]+)", requirement)
    return re.sub(r"[-_.]+", "-", name.group(1)).lower() if name else requirement


def load(spec: str, places: "list[str]") -> Any:
    sys.path[:0] = places
    module, _, path = spec.partition(":")
    backend = importlib.import_module(module)  # type: Any
    for part in path.split(".") if path else ():
        backend = getattr(backend, part)
    return backend


class State:
    """What the project's code may have changed when it was asked something: the next question finds none of it.

    As PEP 517 has it, where each hook has a process of its own; a second one would import all of the backend again.
    """

    def __init__(self) -> None:
        self.folder = os.getcwd()
        self.environ = dict(os.environ)
        self.path, self.argv = list(sys.path), list(sys.argv)
        self.modules = set(sys.modules)

    def restore(self) -> None:
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(self.environ)
        sys.path[:], sys.argv[:] = self.path, self.argv
        for name in set(sys.modules) - self.modules:
            file = getattr(sys.modules[name], "__file__", None)
            is_own = isinstance(file, str) and os.path.abspath(file).startswith(self.folder + os.sep)
            if is_own and name.split(".")[0] not in self.modules:
                del sys.modules[name]


def work(job: "dict[str, Any]") -> "dict[str, object]":
    """The answer: {"requires": [...]}, {"unsupported": hook}, {"wheel": name} or {"metadata": folder}."""
    backend = load(job["backend"], job["backend_path"])
    kind = job["kind"]
    family = "editable" if kind == "editable" else "wheel"
    if kind == "editable" and not hasattr(backend, "build_editable"):
        return {"unsupported": "build_editable"}
    before = State()
    ask = getattr(backend, "get_requires_for_build_" + family, None)
    requires = list(ask(None)) if ask is not None else []
    before.restore()
    if any(canonical(line) not in job["have"] for line in requires):
        return {"requires": requires}
    if kind == "metadata" and hasattr(backend, "prepare_metadata_for_build_wheel"):
        return {"metadata": backend.prepare_metadata_for_build_wheel(job["out"], None)}
    build = getattr(backend, "build_" + family)
    return {"wheel": build(job["out"], None)}


def enter(folder: str, identity: "list[int]") -> None:
    """What was seen of the file system before the tree was laid out may show another folder there."""
    os.chdir(folder)
    os.environ["PWD"] = folder
    status = os.stat(".")
    if [status.st_dev, status.st_ino] != identity:
        sys.exit(folder + " is another folder now")


def main() -> None:
    # The folder of this script must not be where the backend finds its modules.
    del sys.path[0]
    result, modules = sys.argv[1], sys.argv[2:]
    for module in modules:
        importlib.import_module(module)
    said = sys.stdin.readline()
    if not said:
        return
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    job = json.loads(said)
    enter(job["folder"], job["identity"])
    importlib.import_module(RECORDER).Counting.may_wait = True
    answer = work(job)
    aside = result + ".part"
    with open(aside, "w") as file:
        json.dump(answer, file)
    os.rename(aside, result)
    if hasattr(gc, "freeze"):
        # As it ends Python would look through all that it holds, twice.
        gc.freeze()


main()
