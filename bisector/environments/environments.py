"""From a request to an environment that is ready: interpreter, project, dependencies, thin virtualenv.

Judges nothing: what stands in the way is the commit's (Untestable) or the machine's (Trouble).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.specifiers import SpecifierSet

from bisector.environments import budget as budgets
from bisector.environments import ladder, packages, project, proof, thin, wants
from bisector.environments.backend import Kind
from bisector.environments.builder import Builder
from bisector.environments.builds import Builds, Built, Order
from bisector.environments.dependencies import Dependencies
from bisector.environments.interpreters import Interpreter, Interpreters, NoInterpreter
from bisector.environments.ladder import Rung
from bisector.environments.later import MakePlace
from bisector.environments.layers import Holding, Layer, Shelf, remove
from bisector.environments.naming import Served
from bisector.environments.packages import Wish
from bisector.environments.project import Project
from bisector.environments.proof import Proofs
from bisector.environments.ready import Place, Ready
from bisector.environments.releases import Between, releases
from bisector.installers import Installer
from bisector.installers.settings import redact
from bisector.installers.words import is_out_of_time
from bisector.model import EnvironmentFacts, EnvironmentRequest, InstallMode, Stage, Trouble, Untestable


@dataclass(frozen=True)
class Environments:
    """All that environments are made with; one for all workers of a process."""

    interpreters: Interpreters
    installers: tuple[Installer, ...]
    """In the order of preference."""
    shelf: Shelf
    dependencies: Dependencies
    builds: Builds
    proofs: Proofs

    def prepare(self, request: EnvironmentRequest, place: Place) -> Ready | Untestable | Trouble:
        """The first rung of the ladder that gives an environment; the reasons of all when none does."""
        failed: list[tuple[Rung, Untestable]] = []
        for rung in ladder.rungs(request):
            if not ladder.helps(rung, failed):
                continue
            answer = self._on(rung, request, place)
            if isinstance(answer, Ready):
                return replace(answer, facts=replace(answer.facts, rungs=ladder.tried(failed, rung)))
            if isinstance(answer, Trouble):
                return answer
            failed.append((rung, answer))
            if answer.stage is not Stage.INSTALL:
                break
        return ladder.summed_up(failed)

    def early(self, request: EnvironmentRequest, place: Place) -> Callable[[], None] | None:
        """What of `prepare` needs no tree, where the recipe alone says it; None: nothing, or it is done.

        What fails is remembered, and met again by `prepare`.
        """
        served = self._told(request)
        if served is None:
            return None
        rung = ladder.rungs(request)[0]
        return packages.early(self.dependencies, Wish(rung, request, None, served), place)

    def begin(self, request: EnvironmentRequest, cancelled: threading.Event) -> None:
        """What the recipe alone decides, before there is a repository: pip is laid out, versions are asked for.

        A registry takes longer to answer than git to fetch. What fails is met again by who needs it.
        """
        served = self._told(request)
        if served is not None:
            wish = Wish(ladder.rungs(request)[0], request, None, served)
            packages.begin(self.dependencies, wish, cancelled)

    def expecting(self, place: Place) -> AbstractContextManager[Builder | None]:
        """Who may do the build of a commit whose tree is not there yet; None: there will hardly be one."""
        return self.builds.expecting(place)

    def _told(self, request: EnvironmentRequest) -> Served | None:
        """Where the recipe says which Python, whatever lies in the tree."""
        interpreter = self.interpreters.find(request.python) if request.python is not None else None
        if interpreter is None or isinstance(interpreter, NoInterpreter):
            return None
        served = self._served(interpreter)
        return None if isinstance(served, Trouble) else served

    def prove(self, ready: Ready, place: Place) -> Untestable | Trouble | None:
        """None: the module under test would come from the commit's tree."""
        return self.proofs.prove(ready, place)

    def imports(self, ready: Ready, place: Place) -> Untestable | Trouble | None:
        """Really import the module: dear, so only asked when the repro's failure looks like an import's."""
        return proof.imports(ready, place)

    def needs(self, ready: Ready, place: Place) -> str:
        """What the project may lack where the module cannot be imported; empty: nothing that is known."""
        return proof.needs(ready, place)

    def fallback(self, ready: Ready) -> EnvironmentRequest | None:
        """What to ask for when the module cannot be imported in `ready`; None: nothing is left to try."""
        return ladder.after_import_failure(ready)

    def releases(
        self, between: Between, request: EnvironmentRequest, place: Place
    ) -> tuple[str, ...] | Untestable | Trouble:
        """The versions of a package that `request` could have got, those at both ends left out."""
        served = self._serve(request, project.read(place.tree))
        if isinstance(served, Untestable | Trouble):
            return served
        cutoff = ladder.rungs(request)[0].cutoff
        return releases(self.dependencies, between, cutoff, served, request, place)

    @property
    def is_bound(self) -> bool:
        """Whether something that was built serves one tree alone: to prepare a second tree costs a second build."""
        return self.builds.bound

    def holdings(self) -> tuple[Holding, ...]:
        """What lies in the cache, least recently used first."""
        return self.shelf.holdings()

    def begin_what_was_put_off(self, make_place: MakePlace) -> None:
        """Beside the runs, in a place that outlives this trial."""
        self.dependencies.later.begin(make_place)

    def prefer(self, files: Iterable[str]) -> None:
        """What of these was put off comes first."""
        self.dependencies.later.prefer(files)

    def fit(self, budget: int) -> int:
        """Bring the cache to `budget` bytes, or as near as what is in use allows; the bytes freed."""
        return budgets.fit(self.shelf, budget)

    def close(self) -> None:
        self.dependencies.later.close()
        self.shelf.close()

    def _on(self, rung: Rung, request: EnvironmentRequest, place: Place) -> Ready | Untestable | Trouble:
        roots = _roots(request, place.tree)
        if not roots:
            return Untestable(
                Stage.INSTALL, f"this commit has none of {', '.join(request.paths)} (install.path)"
            )
        found = project.read(_project_folder(request, roots, place.tree))
        served = self._serve(request, found)
        if isinstance(served, Untestable | Trouble):
            return served
        built = self._build(rung, request, found, served, place)
        if isinstance(built, Untestable | Trouble):
            return built
        metadata = built.metadata if built is not None and built.metadata else found.metadata
        refused = wants.refusal(request, metadata, served.interpreter)
        if refused is not None:
            return refused
        served = replace(served, tools=rung.tools(served.interpreter.minor))
        lines = packages.exact(self.dependencies, Wish(rung, request, metadata, served), place)
        if isinstance(lines, Untestable | Trouble):
            return lines
        return self._assemble(request, found, roots, served, lines, built, place)

    def _serve(self, request: EnvironmentRequest, found: Project) -> Served | Untestable | Trouble:
        if request.python is not None:
            interpreter = self.interpreters.find(request.python)
        else:
            interpreter = self.interpreters.newest(
                found.requires_python or SpecifierSet(), found.newest_python
            )
        if isinstance(interpreter, NoInterpreter):
            return Untestable(Stage.INTERPRETER, f"{interpreter.reason}; {interpreter.hint}")
        return self._served(interpreter)

    def _served(self, interpreter: Interpreter) -> Served | Trouble:
        reasons = []
        for installer in self.installers:
            reason = installer.unavailable() or installer.unfit(interpreter.minor)
            if reason is None:
                return Served(interpreter, installer)
            reasons.append(f"{installer.name}: {reason}")
        return Trouble(
            f"no installer serves Python {interpreter.version} ({'; '.join(reasons)})", lasting=True
        )

    def _build(
        self, rung: Rung, request: EnvironmentRequest, found: Project, served: Served, place: Place
    ) -> Built | Untestable | Trouble | None:
        kind = wants.build(request, found)
        if kind is None:
            return None
        if kind is not Kind.STEPS and not found.can_build:
            return Untestable(
                Stage.INSTALL,
                f"there is neither pyproject.toml nor setup.py in {found.folder.name}: install.path names "
                "the folder, install.mode pythonpath needs none",
            )
        # The build gets what makes it work: today's packages first, those of the date where they do not.
        by_old_tools = replace(served, tools=rung.tools(served.interpreter.minor))
        wish = Wish(rung, request, found.metadata, by_old_tools)
        meanwhile = packages.meanwhile(self.dependencies, wish, place)
        answer: Built | Untestable | Trouble | None = None
        for way in dict.fromkeys(((served, None), (served, rung.cutoff), (by_old_tools, rung.cutoff))):
            answer = self.builds.provide(Order(request, found, kind, *way), place, meanwhile)
            if not isinstance(answer, Untestable) or is_out_of_time(answer):
                break
            meanwhile = None
        return answer

    def _assemble(
        self,
        request: EnvironmentRequest,
        found: Project,
        roots: tuple[Path, ...],
        served: Served,
        lines: tuple[str, ...],
        built: Built | None,
        place: Place,
    ) -> Ready | Untestable | Trouble:
        layers: list[Layer] = [] if built is None else [built.layer]
        if lines:
            below = self.dependencies.layer(lines, served, request, place)
            if not isinstance(below, Layer):
                return below
            layers.append(below)
        seed = self.dependencies.seed(served.interpreter, place.cancelled)
        if isinstance(seed, Layer):
            layers.append(seed)
        interpreter = served.interpreter
        remove(place.scratch / "venv")
        venv = thin.make(place.scratch / "venv", interpreter, [layer.path for layer in layers])
        origins = (place.tree,)
        if request.mode is InstallMode.WHEEL and built is not None:
            origins = (built.layer.path,)
        return Ready(
            interpreter=interpreter,
            python=venv.python,
            venv=venv.path,
            variables=_variables(request, roots, venv.path),
            readable=(*(layer.path for layer in layers), *interpreter.readable),
            modules=_modules(request, found, built, roots),
            origins=origins,
            facts=EnvironmentFacts(
                python=interpreter.version,
                packages=tuple(map(redact, lines)),
                installer=served.installer.name,
                building=() if built is None else built.building,
                borrowed=built is not None and built.borrowed,
            ),
            request=request,
        )


def _roots(request: EnvironmentRequest, tree: Path) -> tuple[Path, ...]:
    return (tree,) if request.mode is InstallMode.NONE else project.folders(request.paths, tree)


def _project_folder(request: EnvironmentRequest, roots: tuple[Path, ...], tree: Path) -> Path:
    """PYTHONPATH names where modules lie; what describes the project usually lies above, at the top."""
    if request.mode is InstallMode.PYTHONPATH:
        return tree
    return next((root for root in roots if project.is_project(root)), roots[0])


def _modules(
    request: EnvironmentRequest, found: Project, built: Built | None, roots: tuple[Path, ...]
) -> tuple[str, ...]:
    if request.module is not None:
        return (request.module,)
    if request.mode is InstallMode.NONE:
        return ()
    name = built.metadata.name if built is not None and built.metadata is not None else found.name
    if request.mode is InstallMode.PYTHONPATH:
        return project.modules(roots, name)
    likely = project.modules((found.folder / "src",), name) or project.modules((found.folder,), name)
    # Not every package of a tree is installed: where there are several, none may be insisted on.
    return likely if len(likely) == 1 else ()


def _variables(request: EnvironmentRequest, roots: tuple[Path, ...], venv: Path) -> dict[str, str]:
    variables = {"VIRTUAL_ENV": str(venv)}
    if request.mode is InstallMode.PYTHONPATH:
        variables["PYTHONPATH"] = ":".join(map(str, roots))
    return variables
