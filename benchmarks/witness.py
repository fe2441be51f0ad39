"""Runs a bisector command in this process and writes down what the process itself took at most.

`python -m benchmarks.witness FILE ARGUMENTS...`; its children, git's among them, are not counted.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from bisector.cli.guard import guarded


def peak_bytes() -> int:
    """The kernel's high-water mark of this process since it was started."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit("benchmark: this system does not tell the peak memory of a process")
    return int(found[1]) * 1024


def main() -> None:
    status = guarded(sys.argv[2:])
    Path(sys.argv[1]).write_text(str(peak_bytes()))
    sys.exit(status)


if __name__ == "__main__":
    main()
