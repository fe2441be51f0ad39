"""Requirements become exact versions once, and exact versions become a layer once."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from bisector.beside import Turns
from bisector.environments import alike, scripts, thin, wheels
from bisector.environments.alike import most_alike
from bisector.environments.budget import DOWNLOADS
from bisector.environments.bytecode import Lend, compile_packages, no_lending
from bisector.environments.fingerprint import fingerprint
from bisector.environments.interpreters import Interpreter
from bisector.environments.later import Later
from bisector.environments.layers import Layer, Shelf, temporary
from bisector.environments.likely import Likely
from bisector.environments.naming import Served, kind_of, layer_name, lock_name
from bisector.environments.ready import Desk, Place
from bisector.environments.requirements import with_passwords
from bisector.installers import Bench, Say, Wanted, unheard
from bisector.installers.pip import wheel_for
from bisector.installers.settings import redact
from bisector.model import EnvironmentRequest, Stage, Trouble, Untestable
from bisector.process import Finished, leftovers

PROOF_TIMEOUT = 120.0


@dataclass
class Dependencies:
    """Makes dependency layers on a shelf. What could not be resolved or installed fails at once again."""

    shelf: Shelf
    later: Later
    root: Path
    environ: Mapping[str, str] = field(repr=False)
    pauses: tuple[float, ...]
    say: Say = unheard
    """Hears why an installer takes so long."""
    likely: Likely = field(default_factory=Likely)
    _failed: dict[str, Untestable] = field(default_factory=dict)
    _troubles: dict[str, tuple[float, Trouble]] = field(default_factory=dict)
    """What was met last, and when."""
    _ahead: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    """Answers that came before there was a hunt to record them, with what the installer said."""
    _turns: Turns = field(default_factory=Turns)

    def lock(
        self,
        requirements: tuple[str, ...],
        cutoff: datetime | None,
        served: Served,
        request: EnvironmentRequest,
        place: Place,
    ) -> tuple[str, ...] | Untestable | Trouble:
        """The exact versions, as recorded or resolved now."""
        if not requirements:
            return ()
        name = lock_name(requirements, cutoff, served, request)
        asked = time.monotonic()
        # Two answers to one question would not be the same when a release appears in between.
        with self._turns.of(name, place.cancelled) as is_mine:
            if not is_mine:
                return Trouble("cancelled while the same requirements were resolved for another trial")
            recorded = with_passwords(place.locks.get(name), requirements)
            known = recorded or self._failed.get(name) or self._met_since(asked, name)
            if known is not None:
                return known
            lines: tuple[str, ...] | Untestable | Trouble
            if name in self._ahead:
                lines, said = self._ahead.pop(name)
                _log(said, place)
            else:
                with temporary(place.scratch / "resolve") as scratch:
                    wanted = Wanted(served.interpreter.path, requirements, cutoff)
                    lines = served.installer.resolve(wanted, self.bench(served, request, place, scratch))
            if isinstance(lines, Untestable):
                self._fails(name, lines, place)
            elif not isinstance(lines, Trouble):
                place.locks.put(name, tuple(map(redact, lines)))
            elif place.keeps_failures and not place.cancelled.is_set():
                self._troubles[name] = time.monotonic(), lines
            return lines

    def ask_ahead(
        self,
        requirements: tuple[str, ...],
        cutoff: datetime | None,
        served: Served,
        request: EnvironmentRequest,
        desk: Desk,
    ) -> bool:
        """The same, before there is a hunt: whoever needs the answer next waits for it and puts it on record.

        Of wheels alone, as an installer tries at first: where they do not do, nothing is known. Whether the answer is
        what is `likely`.
        """
        name = lock_name(requirements, cutoff, served, request)
        with self._turns.of(name, desk.cancelled) as is_mine:
            if not is_mine:
                return False
            wanted = Wanted(served.interpreter.path, requirements, cutoff)
            bench = replace(self.bench(served, request, desk, desk.scratch), wheels_only=True)
            lines = served.installer.resolve(wanted, bench)
            if isinstance(lines, Trouble) and not desk.cancelled.is_set():
                self._troubles[name] = time.monotonic(), lines
            if not isinstance(lines, tuple):
                return False
            said = desk.log.read_text(encoding="utf-8") if desk.log.exists() else ""
            self._ahead[name] = lines, said
            return self.likely.is_wanted(layer_name(lines, served, self.shelf.guarded))

    def lay_out_likely(
        self,
        requirements: tuple[str, ...],
        cutoff: datetime | None,
        served: Served,
        request: EnvironmentRequest,
        desk: Desk,
    ) -> None:
        """The packages that are the answer if the registry has nothing new to say, from the installer's cache."""
        wanted = Wanted(served.interpreter.path, requirements, cutoff)
        bench = self.bench(served, request, desk, desk.scratch)
        bench = replace(bench, wheels_only=True, offline=True)
        lines = served.installer.resolve(wanted, bench)
        if not isinstance(lines, tuple) or not lines or self.has(lines, served):
            return

        def install(path: Path) -> bool:
            venv = thin.make(path, served.interpreter)
            sharing = replace(bench, share_files=self.shelf.guarded)
            return served.installer.install(venv.python, lines, sharing) is None

        self.likely.lay_out(layer_name(lines, served, self.shelf.guarded), desk, install)

    def _met_since(self, asked: float, name: str) -> Trouble | None:
        """While somebody waited for his turn: a registry that is silent is not waited for twice."""
        when, trouble = self._troubles.get(name, (0.0, None))
        return trouble if when > asked else None

    def known(
        self,
        requirements: tuple[str, ...],
        cutoff: datetime | None,
        served: Served,
        request: EnvironmentRequest,
        place: Place,
    ) -> tuple[str, ...] | None:
        """The exact versions, if they are on record."""
        if not requirements:
            return ()
        return with_passwords(place.locks.get(lock_name(requirements, cutoff, served, request)), requirements)

    def has(self, lines: tuple[str, ...], served: Served) -> bool:
        """Whether their layer lies there."""
        return (self.shelf.layers / layer_name(lines, served, self.shelf.guarded)).is_dir()

    def layer(
        self, lines: tuple[str, ...], served: Served, request: EnvironmentRequest, place: Place
    ) -> Layer | Untestable | Trouble:
        """Exactly `lines`, installed and proven to let Python start."""
        interpreter = served.interpreter
        key = layer_name(lines, served, self.shelf.guarded)
        if key in self._failed:
            return self._failed[key]

        def build(path: Path) -> Untestable | Trouble | None:
            venv = thin.at(path / "venv", interpreter)
            failed = (
                self._install(lines, venv, served, request, place)
                or compile_packages(venv, interpreter, place, request.timeout, self._lend(interpreter))
                or self._prove(venv, interpreter, place)
            )
            if failed is None and not leftovers.is_below(venv.bin, path):
                return Untestable(Stage.INSTALL, "a package put a link in the place of its virtualenv")
            if failed is None:
                _slim(path / "venv", path)
            return failed

        made = self.shelf.make(key, build, place.cancelled)
        if isinstance(made, Untestable):
            self._fails(key, made, place)
        elif isinstance(made, Layer):
            self.later.used(made, interpreter, place)
        return made

    def _install(
        self,
        lines: tuple[str, ...],
        venv: thin.Thin,
        served: Served,
        request: EnvironmentRequest,
        place: Place,
    ) -> Untestable | Trouble | None:
        """Where they were likely it may be done."""
        said = self.likely.take(layer_name(lines, served, self.shelf.guarded), venv.path, place.cancelled)
        if said is not None:
            _log(said, place)
            return None
        thin.make(venv.path, served.interpreter)
        with temporary(place.scratch / "install") as scratch:
            bench = replace(self.bench(served, request, place, scratch), share_files=self.shelf.guarded)
            return served.installer.install(venv.python, lines, bench)

    def _lend(self, interpreter: Interpreter) -> Lend:
        """The bytecode of layers for the same interpreter; nothing of those that what runs could write to."""

        def lend(site: Path, suffix: str) -> None:
            keys = (
                path.name for path in self.shelf.published() if path.name.startswith(kind_of(interpreter))
            )
            there = {self.shelf.layers / key / interpreter.site: key for key in keys}
            for other in most_alike(site, there):
                with self.shelf.borrowed(there[other]) as is_whole:
                    if is_whole:
                        alike.lend(site, other, suffix)

        return lend if self.shelf.guarded else no_lending

    def _fails(self, key: str, failed: Untestable, place: Place) -> None:
        if place.keeps_failures:
            self._failed[key] = failed

    def seed(self, interpreter: Interpreter, cancelled: threading.Event) -> Layer | Untestable | Trouble:
        """pip alone: a repro expects it in a virtualenv, and must not reach for the machine's."""
        wheel = wheel_for(interpreter.path)
        if isinstance(wheel, Trouble):
            return wheel
        key = fingerprint("seed", interpreter.words(), [wheel.path.name])
        return self.shelf.make(
            key, lambda path: wheels.unpack(wheel.path, path, path / interpreter.site), cancelled
        )

    def bench(self, served: Served, request: EnvironmentRequest, place: Desk, scratch: Path) -> Bench:
        """Where an installer works for this request."""
        name = served.installer.name
        told = self.environ.get(f"{name.upper()}_CACHE_DIR")
        cache = Path(told) if told else self.root / DOWNLOADS / name
        cache.mkdir(parents=True, exist_ok=True)
        self.shelf.hold(DOWNLOADS)
        return Bench(
            environ=self.environ,
            index=request.index,
            cache=cache,
            scratch=scratch,
            log=place.log,
            runner=place.runner,
            timeout=request.timeout,
            cancelled=place.cancelled,
            readable=served.interpreter.readable,
            tools=served.tools,
            pauses=self.pauses,
            say=self.say,
        )

    def _prove(self, venv: thin.Thin, interpreter: Interpreter, place: Place) -> Untestable | Trouble | None:
        """A broken .pth or sitecustomize shows when Python starts: here, not in every trial."""
        readable = (venv.path, *interpreter.readable)
        # Code of packages runs here, beside other work of this place: in a folder of its own.
        with temporary(place.scratch / "start") as own:
            env = {"PATH": "/usr/bin:/bin", "HOME": str(own), "LANG": "C.UTF-8"}
            ran = place.runner([venv.python, "-c", "pass"], own, env, PROOF_TIMEOUT, (own,), readable)
        if isinstance(ran, Finished) and ran.ok:
            return None
        said = redact(ran.stderr or ran.stdout) if isinstance(ran, Finished) else ran.reason
        return Trouble(f"the environment does not let Python start: {said[-1000:]}")


def _log(said: str, place: Place) -> None:
    """What an installer said before this trial, whose log it belongs into."""
    with place.log.open("a", encoding="utf-8") as log:
        log.write(said)


def _slim(venv: Path, layer: Path) -> None:
    """What was installed, without the virtualenv around it."""
    scripts.rewrite(venv / "bin")
    for name in ("pyvenv.cfg", "lib64"):
        (venv / name).unlink(missing_ok=True)
    for item in venv.iterdir():
        item.rename(layer / item.name)
    venv.rmdir()
