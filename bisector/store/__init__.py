"""The records of all hunts: one SQLite file, and beside each hunt's logs a journal that it can be made from again."""

from bisector.store.opening import no_records, open_store
from bisector.store.records import Store
from bisector.store.rows import HuntRow, Shape

__all__ = ["HuntRow", "Shape", "Store", "no_records", "open_store"]
