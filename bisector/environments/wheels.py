"""A wheel unpacked into a layer, as an installer would do it, scripts freed of their path."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from bisector.environments import scripts

ALWAYS_FINE = 256 << 20
DENSEST = 50
"""Bytes that a byte of a wheel may become: no code is denser, a bomb is a thousand times as large."""


def unpack(wheel: Path, layer: Path, site: Path, editable_from: Path | None = None) -> None:
    """`layer` has the shape of a virtualenv, `site` is its folder of packages."""
    with zipfile.ZipFile(wheel) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if size > ALWAYS_FINE + DENSEST * wheel.stat().st_size:
            raise zipfile.BadZipFile(f"it would unpack to {size} bytes")
        for member in archive.infolist():
            target = _target(member.filename, layer, site)
            if target is None or member.is_dir():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, target.open("wb") as file:
                shutil.copyfileobj(source, file)
            if (member.external_attr >> 16) & 0o111 or target.parent == layer / "bin":
                target.chmod(0o755)
    scripts.rewrite(layer / "bin")
    for info in dist_infos(site):
        entry_points = info / "entry_points.txt"
        if entry_points.is_file():
            scripts.write_entry_points(
                entry_points.read_text(encoding="utf-8", errors="replace"), layer / "bin"
            )
        (info / "INSTALLER").write_text("bisector\n")
        if editable_from is not None:
            origin = {"url": editable_from.as_uri(), "dir_info": {"editable": True}}
            (info / "direct_url.json").write_text(json.dumps(origin))


def _target(member: str, layer: Path, site: Path) -> Path | None:
    """Where a member goes; None for what would leave the layer."""
    if member.startswith("/") or ".." in member.split("/"):
        return None
    top, _, rest = member.partition("/")
    if not top.endswith(".data"):
        return site / member
    scheme, _, inner = rest.partition("/")
    roots = {
        "purelib": site,
        "platlib": site,
        "scripts": layer / "bin",
        "headers": layer / "include" / top.partition("-")[0],
        "data": layer,
    }
    return roots[scheme] / inner if scheme in roots and inner else None


def dist_infos(site: Path) -> Iterator[Path]:
    """The metadata folders of what is installed there."""
    yield from sorted(site.glob("*.dist-info"))
