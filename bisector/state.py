"""The state directory: where everything that bisector keeps lies."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

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

    def hunt(self, name: str) -> Path:
        """What one hunt writes: logs, its ledger, the scratch of its trials."""
        return self.hunts / name

    def hunt_lock(self, name: str) -> Path:
        return self.hunts / f"{name}.lock"

    def now(self, name: str) -> Path:
        """What a hunt does at this moment, for `status`."""
        return self.hunt(name) / "now.json"


def choose(option: str | None, machine: Mapping[str, str]) -> State:
    """`--state`, else BISECTOR_STATE, else the platform's user state directory."""
    named = option or machine.get("BISECTOR_STATE")
    return State(Path(named).expanduser().absolute() if named else platformdirs.user_state_path("bisector"))


def usable(state: State) -> State:
    """The same, made and found writable."""
    try:
        state.root.mkdir(parents=True, exist_ok=True)
        probe = state.root / f".writable-{os.getpid()}"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise MachineFault(
            f"cannot write to the state directory {state.root}: {error.strerror}",
            "give a writable folder by --state or BISECTOR_STATE",
        ) from error
    return state


def free_bytes(state: State) -> int:
    return shutil.disk_usage(state.root).free
