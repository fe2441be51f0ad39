"""The files of a report."""

from __future__ import annotations

from pathlib import Path

from bisector.errors import MachineFault
from bisector.model import Account
from bisector.report import RENDERERS, Format

_FILES = {
    "report.md": Format.MARKDOWN,
    "report.html": Format.HTML,
    "report.json": Format.JSON,
    "junit.xml": Format.JUNIT,
}


def write_reports(account: Account, folder: str) -> tuple[str, ...]:
    """Every file, each complete or not there; where they are."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, form in _FILES.items():
            aside = place / f".{name}.new"
            aside.write_text(RENDERERS[form](account), encoding="utf-8")
            aside.replace(place / name)
    except OSError as error:
        raise MachineFault(
            f"cannot write the report to {place}: {error.strerror}",
            f"`bisector report {account.hunt} --report DIR` writes it elsewhere",
        ) from error
    return tuple(str(place / name) for name in _FILES)
