"""The records: every hunt, its phases and its trials, in one SQLite file. Facts only; opinions are derived.

The only user of the database. Each write is committed before the caller goes on.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path

from bisector.errors import MachineFault
from bisector.hunt import Event, Phase
from bisector.model import Account, Ending, Trial
from bisector.store.journal import Journal, Kept
from bisector.store.rows import ACCOUNT, HUNT, TRIAL, VERSIONS, HuntRow

LEAST_FREE = 1 << 17
"""Bytes without which SQLite cannot open a database."""
_COLUMNS = ", ".join(HuntRow.__dataclass_fields__)


class Store:
    """One connection for the threads of one process."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()
        self.notice: str | None = None
        """What a person should know of how the records were opened."""

    @property
    def hunts_folder(self) -> Path:
        """Where the journals of the hunts are."""
        return self.path.with_name("hunts")

    def _journal(self, hunt: str) -> Journal:
        return Journal(self.hunts_folder / hunt)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise unwell(self.path, error) from error

    def _read(self, query: str, parameters: Sequence[str] = ()) -> list[tuple[str, ...]]:
        with self._lock:
            try:
                return self._connection.execute(query, parameters).fetchall()
            except sqlite3.Error as error:
                raise unwell(self.path, error) from error

    @staticmethod
    def get_ready() -> None:
        """Load what the first record takes: a tenth of a second."""
        HUNT.get_ready()

    def add_hunt(self, row: HuntRow) -> None:
        with self._writing() as db:
            _insert_hunt(db, row)
        self._keep(row.id)

    def _keep(self, hunt: str) -> None:
        """The hunt as it is on record now, once more in its journal."""
        with self._lock:
            row = self.hunt(hunt)
            rows = self._read("SELECT fingerprint, versions FROM locks WHERE hunt = ?", (hunt,))
            versions = {fingerprint: VERSIONS.load(text) for fingerprint, text in rows}
            if row is not None:
                self._journal(hunt).keep(Kept(row, versions, self.account(hunt)))

    def restore(self, kept: Kept, trials: Iterable[Trial]) -> None:
        """A hunt as its journal has it."""
        hunt = kept.row.id
        with self._writing() as db:
            _insert_hunt(db, kept.row)
            for fingerprint, versions in kept.versions.items():
                db.execute("INSERT INTO locks VALUES (?, ?, ?)", (hunt, fingerprint, _text(versions)))
            for trial in trials:
                _insert_trial(db, hunt, trial)
            if kept.account is not None:
                account = ACCOUNT.dump(kept.account).decode()
                db.execute("UPDATE hunts SET account = ? WHERE id = ?", (account, hunt))

    def catch_up(self, hunt: str) -> None:
        """Trials that are in the journal alone: bisector was killed between the two."""
        known = self.trials(hunt)
        missing = [trial for trial in self._journal(hunt).trials() if trial not in known]
        with self._writing() as db:
            for trial in missing:
                _insert_trial(db, hunt, trial)
        self._keep(hunt)

    def hunts(self, digest: str | None = None) -> list[HuntRow]:
        """The newest first, whatever the clock said when they began."""
        where, parameters = ("WHERE digest = ?", (digest,)) if digest else ("", ())
        rows = self._read(f"SELECT {_COLUMNS} FROM hunts {where} ORDER BY rowid DESC", parameters)
        return [_hunt(row) for row in rows]

    def hunt(self, name: str) -> HuntRow | None:
        """By id, or by a beginning of it that only one hunt has."""
        rows = self._read(f"SELECT {_COLUMNS} FROM hunts WHERE substr(id, 1, length(?)) = ?", (name, name))
        return _hunt(rows[0]) if len(rows) == 1 else None

    def remove_hunt(self, hunt: str) -> None:
        self._journal(hunt).forget()
        with self._writing() as db:
            db.execute("DELETE FROM hunts WHERE id = ?", (hunt,))

    def shrink(self) -> None:
        """Give back the space of what was removed; not while somebody else is busy with the records."""
        with self._lock, suppress(sqlite3.Error):
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def resolved(self, hunt: str, old: tuple[str, str], new: tuple[str, str]) -> None:
        """Which commits the ends are: from now on the hunt is about these, whatever the branches do."""
        with self._writing() as db:
            db.execute(
                "UPDATE hunts SET old_ref = ?, old_commit = ?, new_ref = ?, new_commit = ? WHERE id = ?",
                (*old, *new, hunt),
            )
        self._keep(hunt)

    def happened(
        self, hunt: str, phase: Phase, event: Event, ending: Ending | None, detail: str = ""
    ) -> None:
        """An event, and the phase it led to."""
        with self._writing() as db:
            db.execute(
                "INSERT INTO events (hunt, at, phase, event, detail) VALUES (?, ?, ?, ?, ?)",
                (hunt, _now(), phase.value, event.name, detail),
            )
            db.execute(
                "UPDATE hunts SET phase = ?, ending = ?, message = ? WHERE id = ?",
                (phase.value, ending.value if ending else None, detail, hunt),
            )

    def details(self, hunt: str, event: Event) -> list[str]:
        """What was noted with each event of a kind, oldest first."""
        rows = self._read(
            "SELECT detail FROM events WHERE hunt = ? AND event = ? ORDER BY seq", (hunt, event.name)
        )
        return [row[0] for row in rows]

    def add_seconds(self, hunt: str, seconds: float) -> None:
        with self._writing() as db:
            db.execute("UPDATE hunts SET seconds = seconds + ? WHERE id = ?", (seconds, hunt))

    def keep_account(self, hunt: str, account: Account) -> None:
        """What the hunt amounts to so far; every report is made from it again."""
        text = ACCOUNT.dump(account).decode()
        with self._writing() as db:
            db.execute("UPDATE hunts SET account = ? WHERE id = ?", (text, hunt))
        self._keep(hunt)

    def account(self, hunt: str) -> Account | None:
        rows = self._read("SELECT account FROM hunts WHERE id = ? AND account IS NOT NULL", (hunt,))
        return ACCOUNT.load(rows[0][0]) if rows else None

    def add_trial(self, hunt: str, trial: Trial) -> None:
        """In the journal first: what is there is never made again."""
        self._journal(hunt).add(trial)
        with self._writing() as db:
            _insert_trial(db, hunt, trial)

    def trials(self, hunt: str) -> list[Trial]:
        rows = self._read("SELECT facts FROM trials WHERE hunt = ? ORDER BY seq", (hunt,))
        return [TRIAL.load(row[0]) for row in rows]

    def trial_count(self, hunt: str) -> int:
        rows = self._read("SELECT count(*) FROM trials WHERE hunt = ?", (hunt,))
        return int(rows[0][0])

    def trial_by_key(self, key: str) -> Trial | None:
        """The newest trial, of any hunt, that observed the same."""
        rows = self._read("SELECT facts FROM trials WHERE key = ? ORDER BY seq DESC LIMIT 1", (key,))
        return TRIAL.load(rows[0][0]) if rows else None

    def versions(self, hunt: str, fingerprint: str) -> tuple[str, ...] | None:
        """The exact versions that a set of requirements was resolved to in this hunt."""
        rows = self._read(
            "SELECT versions FROM locks WHERE hunt = ? AND fingerprint = ?", (hunt, fingerprint)
        )
        return VERSIONS.load(rows[0][0]) if rows else None

    def keep_versions(self, hunt: str, fingerprint: str, versions: tuple[str, ...]) -> None:
        with self._writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO locks (hunt, fingerprint, versions) VALUES (?, ?, ?)",
                (hunt, fingerprint, _text(versions)),
            )
        self._keep(hunt)

    def close(self) -> None:
        self._connection.close()


def _insert_hunt(db: sqlite3.Connection, row: HuntRow) -> None:
    values = [_cell(getattr(row, name)) for name in HuntRow.__dataclass_fields__]
    marks = ", ".join("?" * len(values))
    db.execute(f"INSERT INTO hunts ({_COLUMNS}) VALUES ({marks})", values)


def _insert_trial(db: sqlite3.Connection, hunt: str, trial: Trial) -> None:
    db.execute(
        "INSERT INTO trials (hunt, commit_sha, key, purpose, facts) VALUES (?, ?, ?, ?, ?)",
        (hunt, trial.commit, trial.key, trial.purpose.value, TRIAL.dump(trial).decode()),
    )


def is_damage(error: sqlite3.Error) -> bool:
    """Not of what somebody else does to the file, or the disk: those have classes of their own."""
    return type(error) is sqlite3.DatabaseError


def unwell(path: Path, error: Exception) -> MachineFault:
    words = str(error)
    if isinstance(error, sqlite3.Error) and is_damage(error):
        return MachineFault(
            f"the records {path} are damaged: {words}",
            "the same command sets them aside and goes on from the hunts' own journals",
        )
    if "locked" in words:
        return MachineFault(
            f"the records {path} are kept locked by another process",
            "end that process; the same command goes on from here",
        )
    if "full" in words or _is_full(path):
        return MachineFault(
            f"the records {path} cannot grow: {words}", "`bisector clean` frees what bisector keeps"
        )
    return MachineFault(
        f"cannot use the records {path}: {words}", "give a writable folder by --state or BISECTOR_STATE"
    )


def _is_full(path: Path) -> bool:
    """SQLite has other words for it where it could not even begin."""
    with suppress(OSError):
        return shutil.disk_usage(path.parent).free < LEAST_FREE
    return False


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()


def _text(lines: tuple[str, ...]) -> str:
    return VERSIONS.dump(lines).decode()


def _cell(value: object) -> object:
    if isinstance(value, tuple):
        return _text(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return value.value if isinstance(value, Phase | Ending) else value


def _hunt(row: Sequence[object]) -> HuntRow:
    cells = dict(zip(HuntRow.__dataclass_fields__, row, strict=True))
    cells["overrides"] = VERSIONS.load(str(cells["overrides"]))
    return HUNT.made_of(cells)
