"""Which versions of a package an installer would choose in between two others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from packaging.requirements import Requirement
from packaging.version import Version

from bisector.environments.dependencies import Dependencies
from bisector.environments.layers import temporary
from bisector.environments.naming import Served
from bisector.environments.ready import Place
from bisector.installers import Wanted
from bisector.model import EnvironmentRequest, Trouble, Untestable

MOST_RELEASES = 400
"""An installer is asked once for each: for some seconds, not for minutes."""


@dataclass(frozen=True, slots=True)
class Between:
    """Two versions of a package; which is the newer one does not matter."""

    name: str
    one: str
    other: str

    def below(self, top: str) -> str:
        """A requirement for what lies above the lower one and below `top`."""
        low = min(self.one, self.other, key=Version)
        lowest = Version(low).public
        return f"{self.name}>={lowest},!={lowest},<{Version(top).public}"

    @property
    def top(self) -> str:
        return max(self.one, self.other, key=Version)


def releases(
    dependencies: Dependencies,
    between: Between,
    cutoff: datetime | None,
    served: Served,
    request: EnvironmentRequest,
    place: Place,
) -> tuple[str, ...] | Trouble:
    """Newest first, each the one that would be chosen below the last.

    As it would choose: a release that lies there as source alone is not seen while a wheel lies below.
    """
    found: list[str] = []
    while len(found) < MOST_RELEASES:
        asked = between.below(found[-1] if found else between.top)
        wanted = Wanted(served.interpreter.path, (asked,), cutoff, alone=True)
        with temporary(place.scratch / "resolve") as scratch:
            bench = dependencies.bench(served, request, place, scratch)
            lines = served.installer.resolve(wanted, replace(bench, wheels_only=True))
            if isinstance(lines, Trouble):
                return lines
            if isinstance(lines, Untestable):
                # The index answered. Sources that it does not give without a password are not offered.
                lines = served.installer.resolve(wanted, bench)
        if isinstance(lines, Trouble) and place.cancelled.is_set():
            return lines
        version = None if isinstance(lines, Untestable | Trouble) else _version_of(lines)
        if version is None:
            break
        found.append(version)
    return tuple(found)


def _version_of(lines: tuple[str, ...]) -> str | None:
    """Of a package that was resolved alone; None where it comes from a URL and has no number."""
    exact = [one.version for line in lines for one in Requirement(line).specifier if one.operator == "=="]
    return exact[0] if len(exact) == 1 else None
