"""Work in a second thread while the first one does its own: for what another program does, or the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager


@contextmanager
def beside(work: Callable[[], None]) -> Iterator[None]:
    """`work` is through at the end; what it raises is raised there."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="beside") as pool:
        begun = pool.submit(work)
        yield
        begun.result()
