"""The records: every hunt, its phases and its trials, in one SQLite file. Facts only; opinions are derived.

The only user of the database. Each write is committed before the caller goes on.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from pydantic import TypeAdapter

from bisector.errors import MachineFault
from bisector.hunt import Event, Phase
from bisector.model import Account, Ending, Trial

FORMAT = 1
_SCHEMA = """
CREATE TABLE hunts (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL, name TEXT NOT NULL, repo TEXT NOT NULL,
    recipe TEXT NOT NULL, recipe_name TEXT NOT NULL, base TEXT NOT NULL, overrides TEXT NOT NULL,
    created TEXT NOT NULL, phase TEXT NOT NULL, ending TEXT, message TEXT NOT NULL DEFAULT '',
    old_ref TEXT, old_commit TEXT, new_ref TEXT, new_commit TEXT, seconds REAL NOT NULL DEFAULT 0,
    account TEXT
);
CREATE INDEX hunts_digest ON hunts (digest, created);
CREATE TABLE events (
    hunt TEXT NOT NULL REFERENCES hunts (id) ON DELETE CASCADE, seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL, phase TEXT NOT NULL, event TEXT NOT NULL, detail TEXT NOT NULL DEFAULT ''
);
CREATE TABLE trials (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, hunt TEXT NOT NULL REFERENCES hunts (id) ON DELETE CASCADE,
    commit_sha TEXT NOT NULL, key TEXT NOT NULL, purpose TEXT NOT NULL, facts TEXT NOT NULL
);
CREATE INDEX trials_hunt ON trials (hunt, seq);
CREATE INDEX trials_key ON trials (key);
CREATE TABLE locks (
    hunt TEXT NOT NULL REFERENCES hunts (id) ON DELETE CASCADE,
    fingerprint TEXT NOT NULL, versions TEXT NOT NULL,
    PRIMARY KEY (hunt, fingerprint)
);
"""
_TRIAL = TypeAdapter(Trial)
_ACCOUNT = TypeAdapter(Account)
_VERSIONS = TypeAdapter(tuple[str, ...])


@dataclass(frozen=True, slots=True)
class HuntRow:
    id: str
    digest: str
    name: str
    repo: str
    recipe: str
    recipe_name: str
    base: str
    overrides: tuple[str, ...]
    created: datetime
    phase: Phase
    ending: Ending | None
    message: str
    old_ref: str | None
    old_commit: str | None
    new_ref: str | None
    new_commit: str | None
    seconds: float

    @property
    def finished(self) -> bool:
        return self.phase is Phase.DONE


_COLUMNS = ", ".join(HuntRow.__dataclass_fields__)


class Store:
    """One connection for the threads of one process."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise _unwell(self.path, error) from error

    def _read(self, query: str, parameters: Sequence[str] = ()) -> list[tuple[str, ...]]:
        with self._lock:
            try:
                return self._connection.execute(query, parameters).fetchall()
            except sqlite3.Error as error:
                raise _unwell(self.path, error) from error

    def add_hunt(self, row: HuntRow) -> None:
        values = [_cell(getattr(row, name)) for name in HuntRow.__dataclass_fields__]
        marks = ", ".join("?" * len(values))
        with self._writing() as db:
            db.execute(f"INSERT INTO hunts ({_COLUMNS}) VALUES ({marks})", values)

    def hunts(self, digest: str | None = None) -> list[HuntRow]:
        """The newest first."""
        where, parameters = ("WHERE digest = ?", (digest,)) if digest else ("", ())
        rows = self._read(f"SELECT {_COLUMNS} FROM hunts {where} ORDER BY created DESC", parameters)
        return [_hunt(row) for row in rows]

    def hunt(self, name: str) -> HuntRow | None:
        """By id, or by a beginning of it that only one hunt has."""
        rows = self._read(f"SELECT {_COLUMNS} FROM hunts WHERE substr(id, 1, length(?)) = ?", (name, name))
        return _hunt(rows[0]) if len(rows) == 1 else None

    def remove_hunt(self, hunt: str) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM hunts WHERE id = ?", (hunt,))

    def resolved(self, hunt: str, old: tuple[str, str], new: tuple[str, str]) -> None:
        """Which commits the ends are: from now on the hunt is about these, whatever the branches do."""
        with self._writing() as db:
            db.execute(
                "UPDATE hunts SET old_ref = ?, old_commit = ?, new_ref = ?, new_commit = ? WHERE id = ?",
                (*old, *new, hunt),
            )

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
        text = _ACCOUNT.dump_json(account).decode()
        with self._writing() as db:
            db.execute("UPDATE hunts SET account = ? WHERE id = ?", (text, hunt))

    def account(self, hunt: str) -> Account | None:
        rows = self._read("SELECT account FROM hunts WHERE id = ? AND account IS NOT NULL", (hunt,))
        return _ACCOUNT.validate_json(rows[0][0]) if rows else None

    def add_trial(self, hunt: str, trial: Trial) -> None:
        facts = _TRIAL.dump_json(trial).decode()
        with self._writing() as db:
            db.execute(
                "INSERT INTO trials (hunt, commit_sha, key, purpose, facts) VALUES (?, ?, ?, ?, ?)",
                (hunt, trial.commit, trial.key, trial.purpose.value, facts),
            )

    def trials(self, hunt: str) -> list[Trial]:
        rows = self._read("SELECT facts FROM trials WHERE hunt = ? ORDER BY seq", (hunt,))
        return [_TRIAL.validate_json(row[0]) for row in rows]

    def trial_count(self, hunt: str) -> int:
        rows = self._read("SELECT count(*) FROM trials WHERE hunt = ?", (hunt,))
        return int(rows[0][0])

    def trial_by_key(self, key: str) -> Trial | None:
        """The newest trial, of any hunt, that observed the same."""
        rows = self._read("SELECT facts FROM trials WHERE key = ? ORDER BY seq DESC LIMIT 1", (key,))
        return _TRIAL.validate_json(rows[0][0]) if rows else None

    def versions(self, hunt: str, fingerprint: str) -> tuple[str, ...] | None:
        """The exact versions that a set of requirements was resolved to in this hunt."""
        rows = self._read(
            "SELECT versions FROM locks WHERE hunt = ? AND fingerprint = ?", (hunt, fingerprint)
        )
        return _VERSIONS.validate_json(rows[0][0]) if rows else None

    def keep_versions(self, hunt: str, fingerprint: str, versions: tuple[str, ...]) -> None:
        with self._writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO locks (hunt, fingerprint, versions) VALUES (?, ?, ?)",
                (hunt, fingerprint, _VERSIONS.dump_json(versions).decode()),
            )

    def close(self) -> None:
        self._connection.close()


def open_store(folder: Path) -> Store:
    """The records under a state directory, made if need be."""
    path = folder / "records.sqlite3"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        _prepare(connection, path)
    except (OSError, sqlite3.Error) as error:
        raise _unwell(path, error) from error
    return Store(path, connection)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")
    if version > FORMAT:
        raise MachineFault(
            f"{path} was written by a newer bisector (format {version}, this one knows {FORMAT})",
            "upgrade bisector, or give another --state directory",
        )


def _unwell(path: Path, error: Exception) -> MachineFault:
    words = str(error)
    if isinstance(error, sqlite3.DatabaseError) and ("malformed" in words or "not a database" in words):
        return MachineFault(
            f"the records {path} are damaged: {words}", f"move the file away: mv {path} {path}.damaged"
        )
    if "full" in words:
        return MachineFault(
            f"the records {path} cannot grow: {words}", "`bisector clean` frees what bisector keeps"
        )
    return MachineFault(
        f"cannot use the records {path}: {words}", "give a writable folder by --state or BISECTOR_STATE"
    )


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()


def _cell(value: object) -> object:
    if isinstance(value, tuple):
        return _VERSIONS.dump_json(value).decode()
    if isinstance(value, datetime):
        return value.isoformat()
    return value.value if isinstance(value, Phase | Ending) else value


_HUNT = TypeAdapter(HuntRow)


def _hunt(row: Sequence[object]) -> HuntRow:
    cells = dict(zip(HuntRow.__dataclass_fields__, row, strict=True))
    cells["overrides"] = _VERSIONS.validate_json(str(cells["overrides"]))
    return _HUNT.validate_python(cells)
