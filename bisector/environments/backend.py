"""One build of one commit's project, in a virtualenv of its own: what it made, what it read, how it failed.

Keeps nothing and shares nothing; `builds` decides whether this is needed at all.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bisector.environments import artefacts, compiled, inputs, loaders, scripts, wheels, yard
from bisector.environments.builder import PATIENT, Builder
from bisector.environments.inputs import Breadth, Inputs
from bisector.environments.interpreters import Interpreter
from bisector.environments.layers import Layer, temporary
from bisector.environments.project import Project
from bisector.environments.ready import Place
from bisector.environments.requirements import with_requires
from bisector.environments.yard import Outfit, Yard
from bisector.folders import is_folder, walk
from bisector.installers.words import BUILD_FAILED, DISK_FULL, OUT_OF_TIME, reason_of
from bisector.model import Stage, Trouble, Untestable
from bisector.process import Finished, ProgramMissing, leftovers

LITTLE = 8 << 10
"""Bytes of an editable install's own modules: a run compiles them in a millisecond, a process starts in thirty."""


class Kind(Enum):
    """What is wanted of a build."""

    EDITABLE = "editable"
    WHEEL = "wheel"
    METADATA = "metadata"
    STEPS = "steps"
    """Only the recipe's own commands."""

    @property
    def keeps_artefacts(self) -> bool:
        """Whether what it leaves in the tree is part of the result."""
        return self in {Kind.EDITABLE, Kind.STEPS}


@dataclass(frozen=True, slots=True)
class Task:
    project: Project
    kind: Kind
    steps: tuple[str, ...]
    interpreter: Interpreter
    layers: tuple[Layer, ...]
    """What the build sees."""
    have: tuple[str, ...]
    """The names of the packages in them."""
    timeout: float
    guarded: bool
    """No run can write to what comes of it."""

    @property
    def outfit(self) -> Outfit:
        system = self.project.build_system
        is_patient = not system.backend_path and not self.steps
        imports = PATIENT.get(system.backend) if is_patient else None
        return Outfit(self.interpreter, self.layers, imports, self.kind is Kind.WHEEL, self.timeout)


@dataclass(frozen=True, slots=True)
class Made:
    inputs: Inputs


@dataclass(frozen=True, slots=True)
class Failed:
    """The project's own build did not succeed on what it read."""

    inputs: Inputs
    reason: str


@dataclass(frozen=True, slots=True)
class Wants:
    """The backend asks for more before it builds."""

    requires: tuple[str, ...]


def build(task: Task, place: Place, result: Path) -> Made | Failed | Wants | Trouble:
    """Fill `result` with a layer: packages, scripts, METADATA, and `tree` for what it left there."""
    result.mkdir(parents=True)
    outfit, builder = task.outfit, place.builder
    if builder is not None and builder.fits(outfit):
        return _Build(task, place, result, builder.yard, builder).run()
    with temporary(place.scratch / "build") as scratch:
        own = yard.furnish(outfit, place.runner, place.tree, scratch)
        return _Build(task, place, result, own).run()


@dataclass(frozen=True)
class _Build:
    task: Task
    place: Place
    result: Path
    yard: Yard
    builder: Builder | None = None

    def run(self) -> Made | Failed | Wants | Trouble:
        since = artefacts.moment(self.yard.scratch)
        job = self._job()
        failed: str | Trouble | Wants | None = None
        for step in self.task.steps:
            failed = failed or self._command(["/bin/sh", "-c", step], self.place.tree)
        if failed is None and self.task.kind is not Kind.STEPS:
            failed = self._hook(job)
        if not is_folder(self.place.tree):
            self.place.restore()
            inputs = self._inputs().settled(self.place.facts.files())
            return Failed(inputs, "its build removed the tree that it was to build")
        left = artefacts.find(self.place.tree, self.place.facts.files(), since)
        if isinstance(failed, Trouble | Wants):
            artefacts.take_away(left, self.place.tree)
            return failed
        files = self.place.facts.files()
        places = (self.task.project.folder, self.place.tree)
        noted = compiled.python_read(self.place.tree, left.new, files, places)
        read = self._inputs().with_files([*left.changed, *left.new, *noted]).settled(files)
        if failed is not None:
            artefacts.take_away(left, self.place.tree)
            return Failed(read, failed)
        if self.task.kind.keeps_artefacts:
            # A step of the recipe's may leave objects for the repro to link.
            artefacts.keep(left, self.place.tree, self.result / "tree", objects=bool(self.task.steps))
        else:
            artefacts.take_away(left, self.place.tree)
        # Last: it alone may write to the result, which nobody but the trial reads from then on.
        self._compile()
        return Made(read)

    def _inputs(self) -> Inputs:
        folder = self.task.project.folder.relative_to(self.place.tree)
        top = "" if folder == Path() else folder.as_posix()
        read = inputs.from_record(self.yard.record, self.yard.venv.bin, top)
        if self.task.kind is Kind.WHEEL:
            # What is copied is what is there: a new file must not go unnoticed.
            return read.at_least(Breadth.ALL if read.breadth is Breadth.SOURCES else read.breadth)
        if any(not _records_itself(step) for step in self.task.steps):
            return read.at_least(Breadth.ALL)
        return read

    def _job(self) -> bytes:
        """As it is before any code of the project runs."""
        project, system = self.task.project, self.task.project.build_system
        folder = project.folder.stat()
        words = {
            "folder": str(project.folder),
            "identity": [folder.st_dev, folder.st_ino],
            "backend": system.backend,
            "backend_path": [str(project.folder / place) for place in system.backend_path],
            "kind": self.task.kind.value,
            "out": str(self.yard.out),
            "have": self.task.have,
        }
        return f"{json.dumps(words)}\n".encode()

    def _hook(self, job: bytes) -> str | Trouble | Wants | None:
        failed = self._fault(self.yard.hook, self._told(job))
        if failed is not None:
            return failed
        said = _answer(self.yard)
        if said is None:
            return "its build backend ended without an answer"
        if "requires" in said:
            requires = said["requires"]
            return Wants(tuple(map(str, requires)) if isinstance(requires, list) else ())
        if "unsupported" in said:
            return self._develop()
        try:
            return self._take(said)
        except (zipfile.BadZipFile, FileNotFoundError) as error:
            return f"its build backend made no wheel that can be read: {error}"

    def _told(self, job: bytes) -> Finished | ProgramMissing:
        if self.builder is not None:
            return self.builder.tell(job)
        with tempfile.TemporaryFile(dir=self.place.scratch) as file:
            file.write(job)
            file.seek(0)
            return self.yard.run(self.yard.hook, self.task.project.folder, stdin=file.fileno())

    def _take(self, said: Mapping[str, object]) -> str | None:
        if "metadata" in said:
            metadata = self.yard.out / Path(str(said["metadata"])).name / "METADATA"
            if not leftovers.is_own(metadata, self.yard.scratch):
                return "its build backend made no metadata that can be read"
            shutil.copyfile(metadata, self.result / "METADATA")
            return None
        wheel = self.yard.out / Path(str(said["wheel"])).name
        if not leftovers.is_own(wheel, self.yard.scratch):
            return "its build backend made no wheel that can be read"
        # Of a wheel that was built for its metadata alone, nothing else may reach the trial.
        layer = self.result / "unpacked" if self.task.kind is Kind.METADATA else self.result
        site = layer / self.task.interpreter.site
        site.mkdir(parents=True)
        editable = self.task.project.folder if self.task.kind is Kind.EDITABLE else None
        wheels.unpack(wheel, layer, site, editable)
        loaders.disarm(site)
        for info in wheels.dist_infos(site):
            shutil.copyfile(info / "METADATA", self.result / "METADATA")
        if layer != self.result:
            shutil.rmtree(layer)
        return None

    def _develop(self) -> str | Trouble | None:
        """What editable meant before PEP 660; old setuptools know nothing else."""
        project, venv = self.task.project, self.yard.venv
        if not project.has_setup:
            return (
                f"its build backend, {project.build_system.backend}, cannot make an editable install: "
                "install.mode pythonpath or wheel can do without, or build_requirements a newer one"
            )
        before = set(venv.site.iterdir()) | set(venv.bin.iterdir())
        failed = self._command([venv.python, "setup.py", "develop", "--no-deps"], project.folder)
        if failed is not None:
            return failed
        if not all(leftovers.is_below(folder, self.yard.scratch) for folder in (venv.site, venv.bin)):
            return "its setup.py put a link in the place of its virtualenv"
        site = self.result / self.task.interpreter.site
        for item in [*venv.site.iterdir(), *venv.bin.iterdir()]:
            if item not in before and item.name != "__pycache__":
                target = (site if item.parent == venv.site else self.result / "bin") / item.name
                target.parent.mkdir(parents=True, exist_ok=True)
                item.rename(target)
        self._describe_developed()
        return None

    def _describe_developed(self) -> None:
        """Its scripts would ask pkg_resources, which need not be there: they are written anew."""
        scripts.rewrite(self.result / "bin")
        # The shallowest last: what lies deeper may be a test's.
        found = (Path(top, name) for top, names, _ in walk(self.place.tree) for name in names)
        infos = [path for path in found if path.suffix == ".egg-info"]
        for info in sorted(infos, key=lambda path: -len(path.parts)):
            said = leftovers.read(info / "PKG-INFO", self.place.tree)
            if said is not None:
                listed = leftovers.read(info / "requires.txt", self.place.tree) or ""
                (self.result / "METADATA").write_text(with_requires(said, listed), encoding="utf-8")
            entry_points = leftovers.read(info / "entry_points.txt", self.place.tree)
            if entry_points is not None:
                scripts.write_entry_points(entry_points, self.result / "bin")

    def _compile(self) -> None:
        """Bytecode once: nobody may write it into the layer later. What does not compile says so itself."""
        site = self.result / self.task.interpreter.site
        little = LITTLE if self.task.guarded and self.task.kind is Kind.EDITABLE else 0
        if sum(path.lstat().st_size for path in site.rglob("*.py")) > little:
            command: list[str | Path] = [self.yard.venv.python, "-I", "-m", "compileall", "-q", site]
            self._command(command, self.yard.scratch, self.result)

    def _command(self, argv: list[str | Path], cwd: Path, *writable: Path) -> str | Trouble | None:
        return self._fault(argv, self.yard.run(argv, cwd, *writable))

    def _fault(self, argv: list[str | Path], ran: Finished | ProgramMissing) -> str | Trouble | None:
        """None: it succeeded; a reason, when the project's own code failed."""
        if not isinstance(ran, Finished):
            return Trouble(f"{ran.program} cannot be started: {ran.reason}")
        said = f"{ran.stdout}\n{ran.stderr}"
        with self.place.log.open("a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(map(str, argv))}\n{said}\n")
        if ran.cancelled:
            return Trouble("the build was cancelled")
        if ran.ok:
            return None
        if DISK_FULL.search(said):
            return Trouble("the disk is full: the project's build could not write", lasting=True)
        if ran.timed_out:
            return f"its build {OUT_OF_TIME}"
        return reason_of(said) or f"its build exited with {ran.exit_status}"


def _answer(yard: Yard) -> Mapping[str, object] | None:
    """What hook.py wrote: the build's code runs beside it and may have kept it from writing."""
    try:
        said = json.loads(leftovers.read(yard.answer, yard.scratch) or "")
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def _records_itself(step: str) -> bool:
    """Whether a command is one Python program and nothing of the shell's."""
    words = step.split()
    return bool(words) and words[0] in {"python", "python3"} and not set(step) & set("|&;<>$`(){}\n")


def untestable(failed: Failed) -> Untestable:
    return Untestable(Stage.INSTALL, f"{BUILD_FAILED}{failed.reason}")
