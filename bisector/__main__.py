"""`bisector` and `python -m bisector`."""

from __future__ import annotations

import sys

from bisector.cli.guard import guarded


def main() -> None:
    sys.exit(guarded(sys.argv[1:]))


if __name__ == "__main__":
    main()
