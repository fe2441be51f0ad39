"""`python -m benchmarks [ROOM...]`: measure, print one table; status 1 if a target is missed."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks import environments, hunts, sandbox, scale, simulate, startup
from benchmarks.table import Row, Word, lines

ROOMS: Mapping[str, Callable[[Path], Sequence[Row]]] = {
    "startup": startup.rows,
    "hunts": hunts.rows,
    "scale": scale.rows,
    "environments": environments.rows,
    "sandbox": sandbox.rows,
    "simulate": simulate.rows,
}


def main(asked: Sequence[str]) -> int:
    unknown = [name for name in asked if name not in ROOMS]
    if unknown:
        print(f"no such room: {', '.join(unknown)}; there are {', '.join(ROOMS)}", file=sys.stderr)
        return 2
    measured: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="bisector-bench-") as folder:
        for name in asked or ROOMS:
            print(f"measuring {name} ...", file=sys.stderr, flush=True)
            place = Path(folder, name)
            place.mkdir()
            measured += ROOMS[name](place)
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} processors, load {load:.1f}: beside others' work, trust the ratios\n")
    print(*lines(measured), sep="\n")
    return int(any(row.word is Word.MISSED for row in measured))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
