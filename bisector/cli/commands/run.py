"""`bisector run`: a recipe to its culprit; again, it goes on; finished, it shows the result at once."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click

from bisector.beside import beside
from bisector.caps import survey
from bisector.caps import sweep as sweep_machine
from bisector.cli.commands.consent import agree
from bisector.cli.commands.opening import (
    Opened,
    ears,
    interruptible,
    open_mirror,
    open_state,
    read_recipe,
    tools,
    unmet,
)
from bisector.cli.commands.writing import check_place, write_reports
from bisector.cli.options import Options
from bisector.cli.words import tell
from bisector.console import Several
from bisector.engine import begin
from bisector.engine.moved import moved
from bisector.engine.now import NowFile
from bisector.engine.progress import Listener, Note
from bisector.engine.revisions import fetch_if_possible
from bisector.engine.run import Result, hunt
from bisector.engine.session import Tools, session
from bisector.engine.workers import attempt
from bisector.environments import Environments
from bisector.errors import ExitStatus, Interrupted, MachineFault, UsageFault
from bisector.git.door import RepositoryIncomplete, tells_of_missing_objects
from bisector.git.mirror import Mirror
from bisector.git.upkeep import renew
from bisector.harmless import line
from bisector.housekeeping import sweep
from bisector.model import Account, Ending, EnvironmentRequest
from bisector.plan import environment_of_all
from bisector.recipe.faults import RecipeFault
from bisector.recipe.places import in_order
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


def main(argument: str, fresh: bool, options: Options) -> int:
    opened = read_recipe(argument, options)
    if options.report:
        check_place(options.report)
    state, store = open_state(options)
    sweep(state)
    row = None if fresh else begin.find(store, opened.recipe)
    if row is not None and row.finished and (known := store.account(row.id)) is not None:
        sweep_machine(survey(os.environ.get("PATH", os.defpath)))
        click.echo(f"hunt {row.id} is finished; `--fresh` hunts anew", err=True)
        for one in moved(row, open_mirror(state, opened.recipe, threading.Event())):
            commits = f"{one.before[:12]}..{one.now[:12]}"
            click.echo(f"{line(one.name)} has moved since: {commits}; `--fresh` hunts anew", err=True)
        return show(known, options)
    if opened.recipe.foreign:
        agree(opened, options)
    with interruptible() as stop, ears(options) as listener:
        result = _Undertaking(state, store, opened, options, fresh, listener, stop).persist(row)
    if result.fault is not None and not options.quiet:
        tell(result.fault, options.state)
    if isinstance(result.fault, Interrupted):
        again = [word for word in sys.argv if word != "--fresh"]
        click.echo(f"  to go on: {command_line(again)}", err=True)
    return show(result.account, options)


@dataclass(frozen=True)
class _Undertaking:
    """What one call of the command hunts, and with what."""

    state: State
    store: Store
    opened: Opened
    options: Options
    fresh: bool
    listener: Listener
    stop: threading.Event

    def persist(self, row: HuntRow | None) -> Result:
        """Hunt; once more where it was bisector's own copy of the repository that was broken."""
        result, fault = None, None
        try:
            result = self._hunt(row)
        except RepositoryIncomplete as incomplete:
            fault = incomplete
        ended_by = fault if result is None else result.fault
        if isinstance(ended_by, MachineFault) and tells_of_missing_objects(ended_by):
            mirror = open_mirror(self.state, self.opened.recipe, self.stop)
            if renew(mirror, lambda text: self.listener.hear(Note(text))):
                return self._hunt(begin.find(self.store, self.opened.recipe))
        if fault is not None:
            raise fault
        assert result is not None
        return result

    def _hunt(self, row: HuntRow | None) -> Result:
        """Go on with this hunt, or begin one."""
        recipe, listener = self.opened.recipe, self.listener
        mirror = open_mirror(self.state, recipe, self.stop)
        with (
            tools(self.state, self.store, recipe, self.options, listener, self.stop) as kit,
            _environments_begun(None if row else environment_of_all(recipe), kit),
        ):
            _get_ready(self.opened, mirror, listener, kit.environments, known=row is not None)
            begun = row is None
            row = row or _new_hunt(self.store, self.opened, mirror, listener, fresh=self.fresh)
            kit = kit.heard_by(Several(listener, NowFile(self.state.now(row.id))))
            try:
                with session(kit, row, recipe, mirror, fresh=self.fresh or row.fresh) as hunter:
                    return hunt(hunter, os.environ)
            except UsageFault:
                # A fault of the recipe that only git could see: as if nothing had been begun.
                if begun:
                    _forget(self.state, self.store, row)
                raise


@contextmanager
def _environments_begun(request: EnvironmentRequest | None, kit: Tools) -> Iterator[None]:
    """What its environments need and no commit decides, beside all else; a hunt that goes on has it."""
    if request is None:
        yield
        return
    over = threading.Event()
    # Whatever is met there is met again by who needs it: it ends no hunt.
    with beside(lambda: attempt(lambda: kit.environments.begin(request, over)), over.set):
        yield
        over.set()


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
    for old in begin.relatives(store, opened.recipe, mirror.source.shown)[:1]:
        count = len(store.trials(old.id))
        reuses = "" if fresh else f", which reuses those of its {count} trials that would observe the same"
        listener.hear(Note(f"the recipe has changed since hunt {old.id}: a new hunt{reuses}"))
    return begin.create(store, opened.recipe, opened.written, mirror.source.shown, fresh=fresh)


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
