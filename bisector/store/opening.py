"""How the database is opened: made if need be, looked through, and made again from the journals when damaged."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

from bisector.errors import MachineFault
from bisector.hunt import Phase
from bisector.locks import locked
from bisector.store.journal import Journal, Kept
from bisector.store.records import Store, is_damage, unwell

FORMAT = 2
_SCHEMA = """
CREATE TABLE hunts (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL, name TEXT NOT NULL, repo TEXT NOT NULL,
    recipe TEXT NOT NULL, recipe_name TEXT NOT NULL, base TEXT NOT NULL, overrides TEXT NOT NULL,
    created TEXT NOT NULL, phase TEXT NOT NULL, ending TEXT, message TEXT NOT NULL DEFAULT '',
    old_ref TEXT, old_commit TEXT, new_ref TEXT, new_commit TEXT, seconds REAL NOT NULL DEFAULT 0,
    fresh INTEGER NOT NULL DEFAULT 0, account TEXT
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
PATIENCE = 30.0
"""Seconds that another process may keep the records locked."""


@dataclass(frozen=True, slots=True)
class _Opened:
    connection: sqlite3.Connection
    is_new: bool


def open_store(folder: Path, patience: float = PATIENCE) -> Store:
    """The records under a state directory. `Store.notice` says so when they had to be made again."""
    path = folder / "records.sqlite3"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            return _store(path, _opened(path, patience), "were gone")
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
        with locked(folder / "records.lock", lambda: None):
            return _mended(path, patience)
    except (OSError, sqlite3.Error) as error:
        raise unwell(path, error) from error


def no_records(folder: Path) -> Store:
    """Where nothing was ever recorded: for who only looks, without a file."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    path = folder / "records.sqlite3"
    _prepare(connection, path)
    return Store(path, connection)


def _mended(path: Path, patience: float) -> Store:
    """Looked at again: another process may have mended them meanwhile."""
    try:
        return _store(path, _opened(path, patience), "were gone")
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        aside = _set_aside(path)
        return _store(path, _opened(path, patience), f"were damaged ({error}) and are now {aside.name}")


def _set_aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    for suffix in ("-wal", "-shm"):
        beside = path.with_name(f"{path.name}{suffix}")
        if beside.exists():
            beside.rename(f"{aside}{suffix}")
    path.rename(aside)
    return aside


def _opened(path: Path, patience: float) -> _Opened:
    connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if said != "ok":
            raise sqlite3.DatabaseError(str(said))
        return _Opened(connection, _prepare(connection, path))
    except (sqlite3.Error, MachineFault):
        connection.close()
        raise


def _prepare(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the tables were made just now."""
    connection.execute("BEGIN IMMEDIATE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                connection.execute(statement)
    elif version == 1:
        _add_fresh(connection)
    if version < FORMAT:
        connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")
    if version > FORMAT:
        raise MachineFault(
            f"{path} was written by a newer bisector (format {version}, this one knows {FORMAT})",
            "upgrade bisector, or give another --state directory",
        )
    return bool(version == 0)


def _add_fresh(connection: sqlite3.Connection) -> None:
    """The first format had it only in the end."""
    columns = {row[1] for row in connection.execute("PRAGMA table_info(hunts)")}
    if "fresh" not in columns:
        connection.execute("ALTER TABLE hunts ADD COLUMN fresh INTEGER NOT NULL DEFAULT 0")


def _store(path: Path, opened: _Opened, why: str) -> Store:
    """New records hold what the journals know: there are none where nothing was lost."""
    store = Store(path, opened.connection)
    if not opened.is_new:
        return store
    found = _journals(store.hunts_folder)
    for kept, journal in found:
        store.restore(kept, journal.trials())
    if found or "damaged" in why:
        store.notice = f"the records {path} {why}; hunts made again from their journals: {len(found)}"
    return store


def _journals(hunts: Path) -> list[tuple[Kept, Journal]]:
    """Oldest first. What was decided without the account to show for it is walked through again."""
    found = []
    for journal in map(Journal, sorted(hunts.iterdir()) if hunts.is_dir() else ()):
        kept = journal.kept()
        if kept is not None:
            finished = kept.row.finished and kept.account is not None
            row = kept.row if finished else replace(kept.row, phase=Phase.PREPARE)
            found.append((replace(kept, row=row), journal))
    return sorted(found, key=lambda one: one[0].row.created)
