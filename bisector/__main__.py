"""`bisector` and `python -m bisector`."""

from __future__ import annotations

import gc
import signal
import sys

from bisector.cli.guard import guarded
from bisector.errors import ExitStatus


def main() -> None:
    try:
        status = guarded(sys.argv[1:])
    except KeyboardInterrupt:
        status = int(ExitStatus.INTERRUPTED)
    # All is said. While Python ends nothing is left to be interrupted, and it would die by the signal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nor does it look through all that it holds, which takes longer than to end.
    gc.freeze()
    sys.exit(status)


if __name__ == "__main__":
    main()
