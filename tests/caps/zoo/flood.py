"""Writes 64 MB as fast as it can, between two words."""

import os

os.write(1, b"first words\n")
block = b"0123456789abcdef" * 4096
for _ in range(1000):
    os.write(2, block)
os.write(1, b"\nlast words\n")
