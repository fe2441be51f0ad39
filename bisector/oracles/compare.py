"""`python -m bisector.oracles.compare FILE REFERENCE --rtol R --atol A --memory B`: a line of JSON on stdout.

A process of its own, so that a time and a memory limit can hold for it, whatever a file contains.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Sequence
from pathlib import Path

from bisector.oracles.finding import Alike, Apart, Comparison, Incomparable, IsTheReference
from bisector.oracles.tensors import compare


def to_json(comparison: Comparison) -> str:
    match comparison:
        case Alike(largest):
            return json.dumps({"alike": largest})
        case Apart(reason):
            return json.dumps({"apart": reason})
        case Incomparable(reason):
            return json.dumps({"incomparable": reason})
        case IsTheReference():
            return json.dumps({"reference": True})


def from_json(text: str) -> Comparison:
    """What the other process printed, or a record holds; raises ValueError for what it cannot have been."""
    match json.loads(text):
        case {"alike": float(largest)}:
            return Alike(largest)
        case {"apart": str(reason)}:
            return Apart(reason)
        case {"incomparable": str(reason)}:
            return Incomparable(reason)
        case {"reference": True}:
            return IsTheReference()
        case other:
            raise ValueError(f"not the result of a comparison: {other!r}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bisector.oracles.compare")
    parser.add_argument("file", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--rtol", type=float, default=1e-4)
    parser.add_argument("--atol", type=float, default=1e-6)
    parser.add_argument("--memory", type=int, help="bytes that may be allocated")
    asked = parser.parse_args(arguments)
    if asked.memory is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (asked.memory, asked.memory))
    sys.stdout.write(to_json(compare(asked.file, asked.reference, asked.rtol, asked.atol)) + "\n")


if __name__ == "__main__":
    main()
