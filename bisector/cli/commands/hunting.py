"""From an opened recipe to a result that is told. Imports all that hunts, so `run` imports it late."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

import click

from bisector.beside import beside
from bisector.caps import survey
from bisector.caps import sweep as sweep_machine
from bisector.cli.commands.opening import ears, open_mirror, tools, unmet
from bisector.cli.commands.reading import Opened
from bisector.cli.commands.workshop import Workshop
from bisector.cli.commands.writing import write_reports
from bisector.cli.options import Options
from bisector.cli.words import tell
from bisector.console import Several
from bisector.engine import which
from bisector.engine.moved import moved
from bisector.engine.now import NowFile
from bisector.engine.progress import Listener, Note
from bisector.engine.revisions import fetch_if_possible
from bisector.engine.run import Result, hunt
from bisector.engine.session import session
from bisector.environments import Environments
from bisector.errors import ExitStatus, Interrupted, MachineFault, UsageFault
from bisector.git.door import RepositoryIncomplete, tells_of_missing_objects
from bisector.git.mirror import Mirror
from bisector.git.upkeep import renew
from bisector.harmless import line
from bisector.model import Account, Ending
from bisector.recipe.faults import RecipeFault
from bisector.recipe.places import in_order
from bisector.recipe.schema import Recipe
from bisector.report import RENDERERS, Format, as_text
from bisector.state import State
from bisector.store import HuntRow, Store
from bisector.wrapping import columns, wrapped

STATUS = {
    Ending.FOUND: ExitStatus.FOUND,
    Ending.DEPENDENCY: ExitStatus.FOUND,
    Ending.SUSPECTS: ExitStatus.SUSPECTS,
    Ending.UNCONFIRMED: ExitStatus.SUSPECTS,
    Ending.ENDPOINTS: ExitStatus.ENDPOINTS,
    Ending.FAILED: ExitStatus.FAILED,
    Ending.INTERRUPTED: ExitStatus.INTERRUPTED,
}


def persist(undertaking: Undertaking, row: HuntRow | None, options: Options) -> Result:
    """Go on with this hunt, or begin one, with its progress shown."""
    with ears(options) as listener:
        return _Hunting(undertaking, options, listener).persist(row)


def tell_again(state: State, row: HuntRow, recipe: Recipe, known: Account, options: Options) -> int:
    """What is known already, and what has moved since."""
    sweep_machine(survey(os.environ.get("PATH", os.defpath)))
    click.echo(f"hunt {row.id} is finished; `--fresh` hunts anew", err=True)
    for one in moved(row, open_mirror(state, recipe, threading.Event())):
        commits = f"{one.before[:12]}..{one.now[:12]}"
        click.echo(f"{line(one.name)} has moved since: {commits}; `--fresh` hunts anew", err=True)
    return show(known, options)


def tell_result(result: Result, options: Options) -> int:
    if result.fault is not None and not options.quiet:
        tell(result.fault, options.state)
    if isinstance(result.fault, Interrupted):
        again = [word for word in sys.argv if word != "--fresh"]
        click.echo(f"  to go on: {command_line(again)}", err=True)
    return show(result.account, options)


@dataclass(frozen=True)
class Undertaking:
    """What one call of the command hunts, and with what."""

    state: State
    store: Store
    opened: Opened
    fresh: bool
    workshop: Callable[[], Workshop]
    stop: threading.Event


@dataclass(frozen=True)
class _Hunting:
    undertaking: Undertaking
    options: Options
    listener: Listener

    def persist(self, row: HuntRow | None) -> Result:
        """Hunt; once more where it was bisector's own copy of the repository that was broken."""
        result, fault = None, None
        try:
            result = self._hunt(row)
        except RepositoryIncomplete as incomplete:
            fault = incomplete
        ended_by = fault if result is None else result.fault
        is_incomplete = isinstance(ended_by, MachineFault) and tells_of_missing_objects(ended_by)
        if is_incomplete and renew(self._mirror, lambda text: self.listener.hear(Note(text))):
            return self._hunt(which.find(self.undertaking.store, self._opened.recipe))
        if fault is not None:
            raise fault
        assert result is not None
        return result

    @property
    def _opened(self) -> Opened:
        return self.undertaking.opened

    @property
    def _mirror(self) -> Mirror:
        return open_mirror(self.undertaking.state, self._opened.recipe, self.undertaking.stop)

    def _hunt(self, row: HuntRow | None) -> Result:
        """Go on with this hunt, or begin one."""
        asked, opened, listener, mirror = self.undertaking, self._opened, self.listener, self._mirror
        workshop = asked.workshop()
        with tools(workshop, asked.state, asked.store, self.options, listener, asked.stop) as kit:
            with beside(asked.store.get_ready):
                _get_ready(opened, mirror, listener, kit.environments, known=row is not None)
            begun = row is None
            row = row or _new_hunt(asked.store, opened, mirror, listener, fresh=asked.fresh)
            kit = kit.heard_by(Several(listener, NowFile(asked.state.now(row.id))))
            try:
                with session(kit, row, opened.recipe, mirror, fresh=asked.fresh or row.fresh) as hunter:
                    return hunt(hunter, os.environ)
            except UsageFault:
                # A fault of the recipe that only git could see: as if nothing had been begun.
                if begun:
                    _forget(asked.state, asked.store, row)
                raise


def _get_ready(
    opened: Opened, mirror: Mirror, listener: Listener, environments: Environments, *, known: bool
) -> None:
    """The repository is here and has what the recipe names, the machine its Pythons; all faults at once."""

    def say(text: str) -> None:
        listener.hear(Note(text))

    if known:
        if not mirror.ensure(say) and mirror.is_shallow():
            # What stopped the hunt may have been that, and the source may be deeper now.
            fetch_if_possible(mirror, say)
        return
    faults, hints = unmet(opened, mirror, environments.interpreters, environments.installers, say)
    if faults:
        raise RecipeFault(in_order(faults), "; ".join(hints))


def _forget(state: State, store: Store, row: HuntRow) -> None:
    store.remove_hunt(row.id)
    shutil.rmtree(state.hunt(row.id), ignore_errors=True)
    state.hunt_lock(row.id).unlink(missing_ok=True)


def _new_hunt(store: Store, opened: Opened, mirror: Mirror, listener: Listener, *, fresh: bool) -> HuntRow:
    for old in which.relatives(store, opened.recipe, mirror.source.shown)[:1]:
        count = len(store.trials(old.id))
        reuses = "" if fresh else f", which reuses those of its {count} trials that would observe the same"
        listener.hear(Note(f"the recipe has changed since hunt {old.id}: a new hunt{reuses}"))
    return which.create(store, opened.recipe, opened.written, mirror.source.shown, fresh=fresh)


def show(account: Account, options: Options) -> int:
    """The result on standard output, the reports where they were asked for."""
    places = write_reports(account, options.report) if options.report else ()
    if options.json:
        click.echo(RENDERERS[Format.JSON](account), nl=False)
    else:
        click.echo(wrapped(as_text(account, places), columns(sys.stdout)), nl=False)
    return int(STATUS[account.ending])


def command_line(argv: list[str]) -> str:
    return shlex.join(["bisector", *argv[1:]])
