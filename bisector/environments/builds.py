"""The project's own install: found again while nothing that its build reads has changed, else made anew."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path

from bisector.beside import beside
from bisector.environments import artefacts, backend, builder, moving, yard
from bisector.environments.backend import Failed, Kind, Made, Task, Wants
from bisector.environments.builder import Builder
from bisector.environments.dependencies import Dependencies
from bisector.environments.fingerprint import fingerprint
from bisector.environments.known import BUILT_FOR, KnownInputs, built_for, is_foreign, name_for, own_name
from bisector.environments.layers import Layer, Shelf, remove, temporary
from bisector.environments.naming import Served
from bisector.environments.project import Project
from bisector.environments.ready import Place
from bisector.environments.requirements import Metadata, declared, merge, name_of, parse
from bisector.environments.yard import Outfit
from bisector.installers.settings import redact
from bisector.installers.words import is_out_of_time
from bisector.model import EnvironmentRequest, Stage, Trouble, Untestable

SHAPE = "6"
"""To be counted up when a build's layer comes to hold something else: the old ones are then made anew."""
REQUIRES = ".requires"
"""In a layer, the exact versions of what its build saw, a line each."""
MOST_ROUNDS = 4
"""A backend may ask for more packages, and then for more again; not for ever."""


@dataclass(frozen=True, slots=True)
class Built:
    layer: Layer
    metadata: Metadata | None
    """None: only the recipe's own steps were run."""
    building: tuple[str, ...]
    """The exact versions of what the build saw, whenever that was."""
    borrowed: bool
    """It was made for another commit."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be built and with what; equal words build the same from the same inputs."""

    request: EnvironmentRequest
    project: Project
    kind: Kind
    served: Served
    cutoff: datetime | None
    """For what the build itself requires: None as a rule, whatever date the dependencies obey."""

    @property
    def requires(self) -> tuple[str, ...]:
        own = () if self.kind is Kind.STEPS else self.project.build_system.requires
        if self.request.build_isolation:
            return merge(own, self.request.build_requirements)
        static = self.project.metadata if self.request.declared else None
        wanted = declared(static, self.request.extras, self.served.interpreter.version) if static else ()
        return merge(merge(wanted, self.request.requirements), self.request.build_requirements)

    def key(self, tree: Path) -> str:
        system = self.project.build_system
        return fingerprint(
            "order",
            self.served.interpreter.words(),
            [self.kind.value, str(self.project.folder.relative_to(tree)), str(self.request.build_isolation)],
            [system.backend, *system.backend_path],
            self.requires,
            self.request.build,
            [self.cutoff.isoformat() if self.cutoff else "", SHAPE],
            [self.served.tools.isoformat() if self.served.tools else ""],
        )


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a build sees."""

    layers: tuple[Layer, ...]
    lines: tuple[str, ...]


Meanwhile = Callable[[Place], None]
"""What can be done in a place of its own while a build goes on. What is in the way is met again alone."""


@dataclass
class Builds:
    """Makes project layers on a shelf. Remembers what each way to build reads, and which builds failed."""

    shelf: Shelf
    known: KnownInputs
    dependencies: Dependencies
    bound: bool = False
    """What was built serves one tree alone; in another one of the same content it would have to be built anew."""
    _failed: dict[str, Untestable] = field(default_factory=dict)
    _likely: Outfit | None = None
    """What the next build is made with, if there is one: as the last commit's, where that was built."""

    def provide(
        self, order: Order, place: Place, meanwhile: Meanwhile | None
    ) -> Built | Untestable | Trouble:
        """The project layer, with its artefacts lying in the tree. `meanwhile`: to be done beside a build, if any."""
        key = order.key(place.tree)
        files = place.facts.files()
        own = own_name(key, files, order.request.commit)
        for name in chain(self.known.names(key, files, order.request.commit), [own]):
            if name in self._failed and (name == own or not order.request.own_build):
                return self._failed[name]
            layer = self._found(name, place)
            if isinstance(layer, Layer) and order.request.own_build and is_foreign(layer, own):
                continue
            if isinstance(layer, Layer):
                self._likely = None
                artefacts.put_back(layer.path / "tree", place.tree)
                return self._built(layer, own)
            if layer is not None:
                return layer
        if meanwhile is not None and place.beside is not None:
            made, is_sure = self._make_beside(meanwhile, place.beside, key, order, place, files), False
        else:
            made = self._make(key, order, place, files)
            is_sure = not _is_doubtful(place, made)
        if is_sure or not isinstance(made, Untestable):
            return made
        # Beside other work a build may fail that would not alone: it is believed when it fails once more.
        return self._make(key, order, replace(place, builder=None), files)

    @contextmanager
    def expecting(self, place: Place) -> Iterator[Builder | None]:
        """Who may do the next build here, and starts before there is a tree; None: there will hardly be one."""
        likely = self._likely
        if likely is None:
            yield None
            return
        with temporary(place.scratch / "builder") as scratch:
            own = yard.furnish(likely, place.runner, place.tree, scratch)
            with builder.waiting(own, place.cancelled.set) as waiting:
                yield waiting

    def _make_beside(
        self,
        meanwhile: Meanwhile,
        own: Place,
        key: str,
        order: Order,
        place: Place,
        files: Mapping[str, str],
    ) -> Built | Untestable | Trouble:
        with beside(partial(meanwhile, own), own.cancelled.set):
            # Needed as soon as both are through, and made once for an interpreter.
            self.dependencies.seed(order.served.interpreter, place.cancelled)
            made = self._make(key, order, replace(place, keeps_failures=False), files)
            own.hurry()
            if not isinstance(made, Built):
                own.cancelled.set()
        return made

    def _make(
        self, key: str, order: Order, place: Place, files: Mapping[str, str]
    ) -> Built | Untestable | Trouble:
        result = place.scratch / "project"
        try:
            made = self._build(order, place, result)
            if not isinstance(made, Made) and not place.cancelled.is_set():
                # Who builds here next must find what this one has found.
                place.restore()
            if isinstance(made, Untestable | Trouble):
                return made
            own = own_name(key, files, order.request.commit)
            name = own
            if not order.request.own_build:
                name = name_for(key, made.inputs, files, order.request.commit)
                self.known.remember(key, made.inputs)
            if isinstance(made, Failed):
                failed = backend.untestable(made)
                if place.keeps_failures and not _is_doubtful(place, failed):
                    self._failed[name] = failed
                return failed
            (result / BUILT_FOR).write_text(own, encoding="utf-8")
            layer = self._kept(name, result, place)
            return self._built(layer, own) if isinstance(layer, Layer) else layer
        finally:
            remove(result)

    def _found(self, name: str, place: Place) -> Layer | Untestable | Trouble | None:
        """The layer for this very tree: as it was built in it, or built in another one and turned to it."""
        first, own = self.shelf.get(name), _own(name, place.tree)
        if first is not None and moving.serves(first.path, place.tree):
            return first
        if first is None or not moving.can_turn(first.path):
            return self.shelf.get(own)

        def build(path: Path) -> None:
            moving.turn(first.path, place.tree, path, share=self.shelf.guarded)

        return self.shelf.make(own, build, place.cancelled)

    def _kept(self, name: str, result: Path, place: Place) -> Layer | Untestable | Trouble:
        """Under a name that all trees look for; under the tree's own, where another tree's layer has that one."""
        moving.settle(result, place.tree)
        layer = self.shelf.make(name, lambda path: _move(result, path), place.cancelled)
        if isinstance(layer, Layer) and not moving.serves(layer.path, place.tree):
            return self.shelf.make(_own(name, place.tree), lambda path: _move(result, path), place.cancelled)
        return layer

    def _built(self, layer: Layer, own: str) -> Built:
        self.bound = self.bound or not moving.can_turn(layer.path)
        path = layer.path / "METADATA"
        said = parse(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else None
        building = (layer.path / REQUIRES).read_text(encoding="utf-8").splitlines()
        return Built(layer, said, tuple(building), built_for(layer) != own)

    def _build(self, order: Order, place: Place, result: Path) -> Made | Failed | Untestable | Trouble:
        requires = order.requires
        for _ in range(MOST_ROUNDS):
            seen = self._environment(requires, order, place)
            if not isinstance(seen, _Seen):
                return seen
            remove(result)
            task = Task(
                project=order.project,
                kind=order.kind,
                steps=order.request.build,
                interpreter=order.served.interpreter,
                layers=seen.layers,
                have=tuple(name for line in seen.lines if (name := name_of(line)) is not None),
                timeout=order.request.timeout,
                guarded=self.shelf.guarded,
            )
            made = backend.build(task, place, result)
            self._likely = task.outfit if isinstance(made, Made) and task.outfit.imports else None
            if isinstance(made, Made):
                lines = (f"{redact(line)}\n" for line in seen.lines)
                (result / REQUIRES).write_text("".join(lines), encoding="utf-8")
            if not isinstance(made, Wants):
                return made
            requires = merge(merge(requires, made.requires), order.request.build_requirements)
        return Untestable(Stage.INSTALL, "its build backend asks for more packages again and again")

    def _environment(
        self, requires: tuple[str, ...], order: Order, place: Place
    ) -> _Seen | Untestable | Trouble:
        """Always the newest that it allows, for an old one may not run."""
        lines = self.dependencies.lock(requires, order.cutoff, order.served, order.request, place)
        if isinstance(lines, Untestable | Trouble):
            return lines
        if not lines:
            return _Seen((), ())
        layer = self.dependencies.layer(lines, order.served, order.request, place)
        return _Seen((layer,), lines) if isinstance(layer, Layer) else layer


def _is_doubtful(place: Place, made: object) -> bool:
    """Whether it failed at one who started before there was a tree; who hangs would hang again."""
    hangs = isinstance(made, Untestable) and is_out_of_time(made)
    return place.builder is not None and place.builder.was_told and not hangs


def _own(name: str, tree: Path) -> str:
    return fingerprint("project", [name, str(tree)])


def _move(result: Path, path: Path) -> None:
    for item in result.iterdir():
        shutil.move(item, path / item.name)
