"""The state directory: where everything that bisector keeps lies."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from bisector.apart import keep_apart
from bisector.errors import MachineFault


@dataclass(frozen=True, slots=True)
class State:
    root: Path

    @property
    def mirrors(self) -> Path:
        return self.root / "mirrors"

    @property
    def environments(self) -> Path:
        return self.root / "environments"

    @property
    def caged_environments(self) -> Path:
        """Of hunts in the sandbox: what strangers' builds left there, no other hunt takes over."""
        return self.root / "environments-sandbox"

    @property
    def demo(self) -> Path:
        """The repository that `bisector demo` makes, and its recipe."""
        return self.root / "demo"

    @property
    def hunts(self) -> Path:
        return self.root / "hunts"

    @property
    def tries(self) -> Path:
        """Trials outside any hunt; each folder goes with its trial."""
        return self.root / "tries"

    @property
    def holds_records(self) -> bool:
        """The records, or the journals that they are made from again."""
        return (self.root / "records.sqlite3").exists() or self.hunts.is_dir()

    def hunt(self, name: str) -> Path:
        """What one hunt writes: logs, its ledger, the scratch of its trials."""
        return self.hunts / name

    def hunt_lock(self, name: str) -> Path:
        return self.hunts / f"{name}.lock"

    def now(self, name: str) -> Path:
        """What a hunt does at this moment, for `status`."""
        return self.hunt(name) / "now.json"


def choose(option: str | None, machine: Mapping[str, str]) -> State:
    """`--state`, else BISECTOR_STATE, else the platform's user state directory; where it really lies.

    A sandbox mounts what it shows by name, and a link that leads there is not in it.
    """
    named = option or machine.get("BISECTOR_STATE")
    place = Path(named).expanduser() if named else platformdirs.user_state_path("bisector")
    return State(Path(os.path.realpath(place)))


def usable(state: State) -> State:
    """The same, made and found writable."""
    try:
        if not state.root.is_dir():
            state.root.mkdir(parents=True, exist_ok=True)
            keep_apart(state.root)
        probe = state.root / f".writable-{os.getpid()}"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise MachineFault(
            f"cannot write to the state directory {state.root}: {error.strerror}",
            "give a writable folder by --state or BISECTOR_STATE",
        ) from error
    return state


def probe(state: State) -> int:
    """The bytes free there, or the fault of `usable`; a folder that was not there is not there afterwards."""
    missing = [folder for folder in (state.root, *state.root.parents) if not folder.exists()]
    try:
        return free_bytes(usable(state))
    finally:
        with suppress(OSError):
            for folder in missing:
                folder.rmdir()


def free_bytes(state: State) -> int:
    return shutil.disk_usage(state.root).free
