"""Fills the directory given, file by file."""

import pathlib
import sys
import time

place = pathlib.Path(sys.argv[1])
for number in range(400):
    (place / f"file{number}").write_bytes(b"x" * (1 << 20))
    time.sleep(0.005)
print("room enough", flush=True)
